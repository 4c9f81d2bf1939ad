// SPDX-License-Identifier: Apache-2.0
#include "verify/report_check.h"

#include "verify/batch.h"
#include "verify/encoding.h"
#include "verify/input.h"
#include "verify/report_head.h"
#include "verify/report_recount.h"
#include "verify/tree.h"

namespace ethos::verify {
namespace {

// Reads [0, size) again; false when the records do not give the report's root.
bool read_again(const std::string& input, const ReportClaims& claims, ReportRecount& recount) {
  Findings findings;
  std::string kind;
  auto source = open_input(input, kind, findings);
  if (!source || *source == nullptr || (*source)->coverage() != EvidenceSource::Coverage::whole)
    return false;
  recount.look_into(**source);
  Sha256 hash;
  StreamingTree tree;
  RecordBatch batch;
  CheckedBatch checked;
  while (tree.size() < claims.size && (*source)->next_records(batch, findings)) {
    check_batch(batch, tree.size(), checked, hash);
    for (std::size_t i = 0; i < checked.records.size() && tree.size() < claims.size; ++i) {
      const CheckedRecord& record = checked.records[i];
      tree.append(record.leaf, hash);
      if (batch.rows[i].is_absent) {
        recount.on_dropped();
      } else if (record.scan.fault == RecordFault::none) {
        recount.on_record(record);
      }
    }
  }
  return tree.size() == claims.size && tree.root(hash) == claims.root;
}

std::string signature_words(const ReportDirectory& directory) {
  using Signature = ReportDirectory::Signature;
  switch (directory.signature) {
    case Signature::right:
      return "; signed by " + printable(directory.signer, 300);
    case Signature::not_checked:
      return "; its signature was not checked: no key was given (--signer)";
    case Signature::none:
      return "; it is not signed";
    case Signature::wrong:
      break;
  }
  return "";
}

}  // namespace

Value check_report(const std::string& name, const ReportClaims& claims, const std::string& input,
                   const AuditReport& audited, const Pin* pin, bool asks_witnesses,
                   Findings& findings) {
  std::vector<ReportDifference> differences;
  ReportRecount recount(claims, audited.findings.total() < ReportVerdicts::kMostProblems);
  if (claims.directory) differences = claims.directory->differences;
  compare_head(claims, audited, pin, differences);
  std::string unknown = differences.empty() ? why_not_judged(claims, audited, asks_witnesses) : "";
  if (differences.empty() && unknown.empty() && claims.directory)
    unknown = claims.directory->unknown;
  if (differences.empty() && unknown.empty()) {
    if (read_again(input, claims, recount)) {
      recount.finish(differences);
      if (differences.empty() && !recount.unknown_figure().empty()) {
        unknown = "it has a figure that this verifier does not know: " +
                  printable(recount.unknown_figure(), 60);
      } else if (differences.empty() && !recount.unknown_words().empty()) {
        unknown = "it has words that this verifier does not know: " +
                  printable(recount.unknown_words(), 120);
      }
    } else {
      unknown = "this evidence does not show all records that the report covers";
    }
  }
  const char* const result = !differences.empty() ? "fail" : unknown.empty() ? "pass" : "unknown";
  std::string text = unknown.empty()
                         ? std::to_string(recount.compared()) +
                               " figures, rows and record hashes follow from the records"
                         : unknown;
  if (unknown.empty() && recount.withheld() > 0)
    text += "; " + std::to_string(recount.withheld()) + " names of tools and objects are withheld";
  if (unknown.empty() && recount.closed_commands() > 0) {
    text += "; " + std::to_string(recount.closed_commands()) +
            " command lines could not be compared: they are not disclosed here";
  }
  if (unknown.empty() && !claims.is_current) {
    text +=
        "; an earlier program made it: its matrix, its comparison of grants and what each refused "
        "act was for are not compared";
  } else if (unknown.empty() && !recount.why_no_points().empty()) {
    text += "; its comparison of grants is not compared: " + recount.why_no_points();
  }
  if (unknown.empty() && claims.directory)
    text +=
        "; the " + std::to_string(claims.directory->files) +
        " files of the directory are those of its manifest (ethos-report verify makes each again)" +
        signature_words(*claims.directory);
  const bool is_of_files = claims.directory && !claims.directory->differences.empty();
  if (!differences.empty()) {
    text = differences[0].what + ": " + differences[0].expected +
           (is_of_files ? " by the manifest, " : " by the ledger, ") + differences[0].found +
           (is_of_files ? " in the directory" : " in the report");
  }
  for (const ReportDifference& d : differences) {
    findings.add({.code = Code::report_mismatch,
                  .seq = d.seq,
                  .run = d.run,
                  .expected = d.expected,
                  .found = d.found,
                  .text = printable(name, 200) + ": " + d.what});
  }
  if (!unknown.empty())
    findings.add({.code = Code::report_unknown, .text = printable(name, 200) + ": " + unknown});
  Value v = Value::object();
  v.set("file", Value::of(printable(name, 4000))).set("result", Value::of(result));
  v.set("compared", Value::of(static_cast<std::int64_t>(recount.compared())))
      .set("period", Value::of(printable(claims.period, 60)));
  v.set("size", Value::of(static_cast<std::int64_t>(claims.size))).set("text", Value::of(text));
  if (claims.directory) {
    constexpr const char* kSignatures[] = {"none", "not_checked", "right", "wrong"};
    v.set("signature",
          Value::of(kSignatures[static_cast<std::size_t>(claims.directory->signature)]));
    if (!claims.directory->signer.empty())
      v.set("signer", Value::of(printable(claims.directory->signer, 300)));
  }
  return v;
}

}  // namespace ethos::verify
