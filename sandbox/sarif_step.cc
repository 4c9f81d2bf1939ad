// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sarif_step.h"

#include <algorithm>

#include "ledger/base/build_version.h"
#include "ledger/bulk_hash.h"
#include "sandbox/boottime.h"
#include "sandbox/facts_collect.h"
#include "sandbox/jsonc.h"
#include "sandbox/output_format.h"
#include "sandbox/path_text.h"
#include "sandbox/plan_build.h"
#include "sandbox/sibling.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;

constexpr std::size_t kMaxEvidence = 64U << 20;

record::Digest digest_of(std::string_view bytes) {
  ledger::BulkSha256 hash(bytes.size());
  hash.update(base::as_bytes(bytes));
  return hash.finish();
}

// RFC 3986: what a path segment may hold as it is.
std::string percent_encode(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/!$&'()*+,;=@";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || kPlain.find(c) != std::string_view::npos;
    if (is_plain)
      out += c;
    else
      ((out += '%') += kHex[byte >> 4]) += kHex[byte & 0xF];
  }
  return out;
}

// The declaration's place, when it is a file of the workspace: denials may point at it.
std::string declaration_member(const Policy& policy, const Workspace& workspace) {
  if (!policy.declaration || policy.declaration->line == 0 || !policy.source ||
      policy.files.empty())
    return "";
  if (policy.origin != Origin::workspace && policy.origin != Origin::pinned) return "";
  const auto inside = relative_to(workspace, policy.source_name);
  if (!inside) return "";
  Json lines;
  lines[policy.tool] = policy.declaration->line;
  Json out;
  out["uri"] = percent_encode(*inside);
  out["lines"] = std::move(lines);
  return ",\"declaration\":" + out.encode();
}

// A cage that sees nothing of the workspace: for the evidence of a run that was refused.
Result<Plan> blind_plan(const Prepared& prepared, std::uint32_t host_id) {
  ToolDeclaration tool;
  tool.name = "ethos-sarif";
  tool.command = {"ethos-sarif"};
  tool.read.emplace();
  auto normal = build_normal(tool, Origin::catalog, {}, prepared.workspace.path);
  auto host = read_host_facts();
  if (!normal || !host) return base::fail(Errc::io, "facts of the host");
  FactsRequest request;
  request.host = *host;
  request.cwd = prepared.workspace.path;
  auto facts = collect_facts(prepared.workspace, *normal, request);
  if (!facts) return base::Unexpected(std::move(facts).error());
  Plan plan = build_plan(*normal, *facts, prepared.workspace.path);
  complete_plan(plan, *normal, *facts, {{}, {}, host_id});
  return plan;
}

class SarifStep {
 public:
  SarifStep(const SarifRequest& request, Recorder& recorder)
      : request_(request), recorder_(recorder) {}

  Result<std::string> run() {
    auto program = find_sibling("ethos-sarif");
    if (!program) return base::Unexpected(std::move(program).error());
    program_ = std::move(*program);
    if (auto planned = choose_plan(); !planned) return base::Unexpected(std::move(planned).error());
    auto evidence = evidence_document(*request_.ledger, request_.run, recorder_.sequences(),
                                      recorder_.checkpoint_note(), request_.prepared->policy,
                                      request_.prepared->workspace);
    if (!evidence) return base::Unexpected(std::move(evidence).error());
    auto converted = start(convert_arguments(), input(), *evidence);
    if (!converted) return base::Unexpected(std::move(converted).error());
    // Written by the converter; in a text of the tool's the quotes would be escaped.
    is_failed_ = converted->out.find("\"executionSuccessful\": false") != std::string::npos ||
                 converted->out.find("\"executionSuccessful\":false") != std::string::npos;
    if (converted->out.empty())
      return base::fail(Errc::malformed, "ethos-sarif convert wrote nothing: " + converted->err);
    // Both look at what the converter wrote from hostile bytes, so they are caged too.
    auto fault = validate(converted->out);
    if (!fault) return fault;
    auto digests = start({"digest", "-"}, converted->out, "");
    if (!digests) return base::Unexpected(std::move(digests).error());
    if (auto done = finish(*converted, *digests, !fault->empty()); !done)
      return base::Unexpected(std::move(done).error());
    return fault;
  }
  [[nodiscard]] bool is_failed() const { return is_failed_; }

 private:
  // The first error against the official schema, empty when there is none. SARIF that the tool
  // wrote is passed on as it is, and its faults are the tool's; any other fault is the converter's.
  Result<std::string> validate(const std::string& sarif) const {
    auto checked =
        try_start({"validate", "--level", "error", "--max-findings", "1", "-"}, sarif, "");
    if (!checked) return base::Unexpected(std::move(checked).error());
    if (checked->status == 0) return std::string();
    const std::string first = checked->out.substr(0, checked->out.find('\n'));
    if (checked->status == 1 && is_tools_own())
      return first.empty() ? std::string("an error") : first;
    return base::fail(Errc::malformed, "ethos-sarif validate ended with " +
                                           std::to_string(checked->status) + ": " +
                                           (first.empty() ? checked->err : first));
  }

  [[nodiscard]] bool is_tools_own() const {
    if (format() != "auto") return format() == "sarif";
    // What was taken for something else is not SARIF by itself.
    const auto alone =
        try_start({"convert", "--from", "sarif", "--quiet", "-o", "-", "-"}, input(), "");
    return alone && alone->status == 0;
  }

  Result<void> choose_plan() {
    if (request_.plan) {
      plan_ = *request_.plan;
      return {};
    }
    auto plan = blind_plan(*request_.prepared, request_.host_id);
    if (!plan) return base::Unexpected(std::move(plan).error());
    plan_ = std::move(*plan);
    return {};
  }

  [[nodiscard]] std::string format() const {
    const auto& normal = request_.prepared->policy.normal;
    if (!request_.plan || !normal) return "none";
    return normal->output_format.value_or("auto");
  }

  [[nodiscard]] std::string_view input() const {
    if (!request_.plan) return "";
    return is_on_standard_error(format()) ? request_.standard_error : request_.standard_output;
  }

  [[nodiscard]] std::vector<std::string> convert_arguments() const {
    std::vector<std::string> out = {"convert",
                                    "--from",
                                    format(),
                                    "--evidence",
                                    kEvidencePath,
                                    "--tool",
                                    request_.prepared->policy.tool,
                                    "--quiet"};
    if (request_.plan) {
      for (const std::string& word :
           {std::string("--root"), plan_.workspace, std::string("--cwd"), plan_.cwd})
        out.push_back(word);
      if (request_.exit_code) {
        out.emplace_back("--exit-code");
        out.push_back(std::to_string(*request_.exit_code));
      }
    }
    out.emplace_back("-o");
    out.emplace_back("-");
    out.emplace_back("-");
    return out;
  }

  // As try_start, where any status but 0 is an error.
  Result<SiblingOutput> start(const std::vector<std::string>& arguments, std::string_view input,
                              const std::string& evidence) const {
    auto done = try_start(arguments, input, evidence);
    if (done && done->status != 0)
      return base::fail(Errc::malformed, "ethos-sarif " + arguments.front() + " ended with " +
                                             std::to_string(done->status) + ": " + done->err);
    return done;
  }

  Result<SiblingOutput> try_start(const std::vector<std::string>& arguments, std::string_view input,
                                  const std::string& evidence) const {
    Plan plan = reading_plan(plan_, program_, arguments);
    const std::uint64_t taken = (boottime_ns() - started_ns_) / 1'000'000;
    for (Limit& limit : plan.limits)
      if (limit.name == "wall_ms") limit.value -= std::min(taken, limit.value - 1);
    if (!evidence.empty()) {
      plan.files.push_back({kEvidencePath, evidence});
      for (Mount& mount : plan.mounts)
        if (mount.kind == MountKind::root) mount.size_bytes += 2 * evidence.size();
    }
    return run_sibling(plan, input);
  }

  Result<void> finish(const SiblingOutput& converted, const SiblingOutput& digests,
                      bool has_faults) {
    const record::Digest file = digest_of(converted.out);
    auto list = read_digests(digests.out, file);
    if (!list) return base::Unexpected(std::move(list).error());
    if (auto written = write_output(*request_.file, converted.out); !written) return written;
    Json body;
    body["converter"]["product"] = base::kBuildVersion;
    body["converter"]["status"] = has_faults ? 1 : 0;
    Committer& committer = recorder_.committer();
    body["list"] = committer.commit("sarif", list->second);
    body["results"] = list->first;
    body["sha256"] = file.text();
    return recorder_.add_sarif(std::move(body), committer.take());
  }

  // {"file":"sha256:...","results":["sha256:...",...]} -> number of results, one digest a line.
  static Result<std::pair<std::int64_t, std::string>> read_digests(std::string_view text,
                                                                   const record::Digest& file) {
    const auto malformed = [] {
      return base::fail(Errc::malformed, "ethos-sarif digest answered something else");
    };
    auto root = parse_jsonc(text, {kMaxEvidence, 4});
    if (!root) return malformed();
    const JsonNode* digest = root->find("file");
    const JsonNode* results = root->find("results");
    if (digest == nullptr || digest->text != file.text() || results == nullptr ||
        results->kind != JsonNode::Kind::array)
      return malformed();
    std::string list;
    for (const JsonNode& item : results->items) {
      if (!record::Digest::from_text(item.text)) return malformed();
      (list += item.text) += '\n';
    }
    return std::pair(static_cast<std::int64_t>(results->items.size()), std::move(list));
  }

  const SarifRequest& request_;
  Recorder& recorder_;
  std::string program_;
  bool is_failed_ = false;
  Plan plan_;
  const std::uint64_t started_ns_ = boottime_ns();
};

}  // namespace

Result<std::string> evidence_document(RunSink& ledger, const std::string& run,
                                      const std::vector<std::uint64_t>& sequences,
                                      const std::string& checkpoint, const Policy& policy,
                                      const Workspace& workspace) {
  if (sequences.empty()) return base::fail(Errc::not_found, "no record of the run");
  std::string records;
  std::size_t count = 0;
  auto origin = ledger.read(sequences, [&](std::string_view bytes) {
    if (!records.empty()) records += ',';
    records += bytes;
    ++count;
    return records.size() <= kMaxEvidence;
  });
  if (!origin) return origin;
  if (count != sequences.size())
    return base::fail(Errc::too_large, "the run's records do not fit into an evidence document");
  Json place;
  place["checkpoint"] = checkpoint;
  place["first_seq"] = static_cast<std::int64_t>(sequences.front());
  place["last_seq"] = static_cast<std::int64_t>(sequences.back());
  place["origin"] = *origin;
  place["run"] = run;
  return R"({"v":1,"kind":"ethos-evidence","ledger":)" + place.encode() + ",\"records\":[" +
         records + "]" + declaration_member(policy, workspace) + "}";
}

Result<SarifAnswer> write_sarif(const SarifRequest& request, Recorder& recorder) {
  SarifStep step(request, recorder);
  auto fault = step.run();
  if (!fault) return base::Unexpected(std::move(fault).error());
  return SarifAnswer{std::move(*fault), step.is_failed()};
}

}  // namespace ethos::sandbox
