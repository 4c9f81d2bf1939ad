// SPDX-License-Identifier: Apache-2.0
#include "verify/sarif_check.h"

#include <algorithm>
#include <map>
#include <set>

#include "verify/checkpoint.h"
#include "verify/documents.h"
#include "verify/encoding.h"
#include "verify/note.h"
#include "verify/record.h"
#include "verify/sarif_written.h"

namespace ethos::verify {
namespace {

struct RunRecords {
  std::string origin;
  std::vector<SarifRecord> records;
  Digest last_leaf;
  bool is_linked = true;
};

void add_record(EvidenceSource& source, const std::string& run, std::int64_t seq, Sha256& hash,
                RunRecords& out) {
  const auto bytes = source.record(seq);
  if (!bytes) return;
  const RecordScan scan = scan_record(*bytes);
  if (scan.fault != RecordFault::none || scan.envelope.run != run) return;
  auto body = parse_canonical(scan.envelope.body, kRecordLimits);
  if (!body) return;
  out.is_linked = out.is_linked && scan.envelope.run_prev == out.last_leaf.base64();
  out.last_leaf = hash.leaf(*bytes);
  out.origin = scan.envelope.ledger;
  out.records.push_back({seq, std::string(scan.envelope.type_name), *std::move(body)});
}

// The records of one run, read a second time: the audit has seen every one of these places, and
// what lies there may have changed since. Each names the hash of the one before it, and the
// first follows 32 zero bytes, so all of them are the same when the last one is.
RunRecords records_of(EvidenceSource& source, const std::string& run,
                      const SarifChecker::Pieces& pieces) {
  RunRecords out;
  Sha256 hash;
  for (const auto& [first, last] : pieces) {
    for (std::int64_t seq = first; seq <= last; ++seq) add_record(source, run, seq, hash, out);
  }
  return out;
}

// SD-2.
std::string level_of(const SarifRecord& record) {
  if (record.type == "runtime.sandbox_denial")
    return record.body.text_at("outcome") == "denied" ? "error" : "warning";
  const std::string& action = record.body.text_at("action");
  return action == "killed" || action == "refused" ? "error" : "warning";
}

const SarifRecord* record_of(const SarifDenial& result, const std::vector<SarifRecord>& records) {
  const auto at = std::find_if(records.begin(), records.end(), [&](const SarifRecord& record) {
    return record.seq == result.record_seq && record.type == result.record_type &&
           (record.type == "runtime.sandbox_denial" || record.type == "resource.limit") &&
           level_of(record) == result.level;
  });
  return at == records.end() ? nullptr : &*at;
}

bool is_another(const std::string& fingerprint, const std::string& tool,
                const SarifRecord& record) {
  return !fingerprint.empty() && fingerprint != denial_fingerprint(tool, record);
}

// The digests that a sarif.written record lists, each with how often.
bool listed_digests(const Value& written, DocumentReader& reader,
                    std::map<Digest, std::int64_t>& out) {
  const auto text = reader.open(written.at("list"));
  const auto lines = text ? digest_lines(*text) : std::nullopt;
  if (!lines) return false;
  for (const Digest& digest : *lines) ++out[digest];
  return true;
}

std::string first_difference(const Value& wanted, const Value& found) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Value* other = found.find(wanted.keys()[i]);
    if (other == nullptr) return "`" + wanted.keys()[i] + "` is missing";
    if (!(*other == wanted.items()[i])) return "`" + wanted.keys()[i] + "` differs";
  }
  for (const std::string& key : found.keys()) {
    if (!wanted.has(key)) return "`" + key + "` is not of the ledger";
  }
  return "";
}

// What a file says wrong may be said a million times.
void add_text(std::string& text, const std::string& more) {
  constexpr std::size_t kMost = 4000;
  constexpr std::string_view kMore = "; and more";
  if (text.ends_with(kMore)) return;
  if (text.size() > kMost) {
    text += kMore;
    return;
  }
  if (!text.empty()) text += "; ";
  text += more;
}

}  // namespace

bool SarifChecker::wanted(const std::string& run) const {
  for (const Named& named : files_) {
    for (const SarifRun& r : named.file.runs) {
      if (r.block.at("ledger").text_at("run") == run) return true;
    }
  }
  return false;
}

void SarifChecker::on_run_end(const std::string& run, const Pieces& pieces, const Digest& last_leaf,
                              bool is_known) {
  if (wanted(run)) spans_[run] = {pieces, last_leaf, is_known};
}

void SarifChecker::on_sarif_written(const std::string& run, const Value& body,
                                    const std::string& late) {
  if (!wanted(run)) return;
  written_[run].push_back(body);
  if (!late.empty()) late_.try_emplace(run, late);
}

// One of the ledger's own that covers the run. A bundle may hold others: then it must be signed.
bool SarifChecker::checkpoint_holds(const std::string& note_bytes, const std::string& origin,
                                    std::int64_t last_seq, EvidenceSource& source) const {
  const auto note = parse_note(note_bytes);
  const auto text = note ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
  if (!text || text->origin != origin || text->size <= static_cast<std::uint64_t>(last_seq))
    return false;
  const auto stored = source.checkpoint(static_cast<std::int64_t>(text->size));
  if (stored) return *stored == note_bytes;
  std::vector<Vkey> signers;
  return source.kind() == std::string_view("bundle") &&
         verify_note(*note, keys_, signers) == NoteVerdict::ok;
}

// Recomputes the block of one run of the file; false: the ledger has no such run.
bool SarifChecker::check_block(const SarifRun& run, EvidenceSource& source, Expected& expected,
                               Answer& answer) {
  const auto fail = [&](const std::string& why) {
    answer.failed = true;
    add_text(answer.text, why);
  };
  const std::string id = run.block.at("ledger").text_at("run");
  const auto span = spans_.find(id);
  if (span == spans_.end()) {
    fail("run " + printable(id, 40) + " is not in this ledger");
    return false;
  }
  if (!span->second.is_known) {
    answer.unknown = true;
    add_text(answer.text,
             "a record of the run is of a type or version that this verifier does not know");
    return false;
  }
  if (!expected.known) {
    RunRecords found = records_of(source, id, span->second.pieces);
    if (!found.is_linked || found.last_leaf != span->second.last_leaf)
      fail("the records of the run do not hold together, or changed while they were read");
    expected.known = true;
    expected.origin = std::move(found.origin);
    expected.records = std::move(found.records);
    for (const SarifRecord& record : expected.records) {
      if (record.type == "run.open") expected.tool = record.body.text_at("tool");
      if (record.type == "runtime.sandbox_denial" || record.type == "resource.limit")
        expected.denials.insert(record.seq);
    }
  }
  // The block's own checkpoint is a text of the ledger, not a function of the run.
  Value block = run.block;
  Value ledger = block.at("ledger");
  const std::string checkpoint = ledger.text_at("checkpoint");
  ledger.erase("checkpoint");
  block.set("ledger", std::move(ledger));
  Value recomputed = sandbox_block(expected.origin, id, expected.records);
  // Files of earlier versions do not have these; what is there must be true.
  for (const char* later : {"denied_acts", "refused_before_start"}) {
    if (!block.has(later)) recomputed.erase(later);
  }
  const std::string difference = first_difference(recomputed, block);
  if (!difference.empty()) fail("the sandbox block is not the ledger's: " + difference);
  if (!checkpoint_holds(checkpoint, expected.origin, span->second.pieces.back().second, source)) {
    fail("the block's checkpoint is not one of the ledger after the run");
  }
  return true;
}

void SarifChecker::open_list(const std::string& id, const Digest& file, EvidenceSource& source,
                             Expected& expected) const {
  const auto written = written_.find(id);
  if (written == written_.end()) return;
  DocumentReader reader(source);
  // A run has one. Where there are more, the first was written when it ended.
  const Value& first = written->second.front();
  if (const auto late = late_.find(id); late != late_.end()) expected.late = late->second;
  expected.is_ambiguous = written->second.size() > 1;
  expected.same_file = !expected.is_ambiguous && expected.late.empty() && first.text_at("sha256") == file.text();
  expected.has_list = listed_digests(first, reader, expected.listed);
}

void SarifChecker::check_results(const SarifRun& run, Expected& expected, Answer& answer) {
  const auto fail = [&](const std::string& why) {
    answer.failed = true;
    add_text(answer.text, why);
  };
  answer.passed_over += run.passed_over;
  answer.marked_down += run.marked_down;
  answer.rules_off += run.rules_off;
  for (const SarifResult& result : run.results) {
    if (result.denial != nullptr) {
      const SarifDenial& denial = *result.denial;
      const std::string which = " (record_seq " + std::to_string(denial.record_seq) + ")";
      const SarifRecord* record = record_of(denial, expected.records);
      if (record == nullptr) {
        fail("a denial in the file is not one of the ledger" + which);
      } else if (expected.denials.erase(denial.record_seq) == 0) {
        fail("a denial stands in the file twice" + which);
      } else if (!denial.neutral.empty()) {
        fail("a denial is made to look like none: " + denial.neutral + which);
      } else if (is_another(denial.fingerprint, expected.tool, *record) ||
                 is_another(denial.full_fingerprint, expected.tool, *record)) {
        fail("a denial has the fingerprint of another" + which);
      } else if (run.disables_denials) {
        fail("a denial is made to look like none: its rule is disabled" + which);
      }
      answer.suppressed += denial.is_suppressed ? 1 : 0;
    }
    const auto at = expected.listed.find(result.digest);
    if (at != expected.listed.end() && at->second > 0) {
      --at->second;
      ++answer.kept;
    } else if (expected.has_list) {
      ++answer.foreign;
      // A list that may be another file's convicts none.
      answer.failed = answer.failed || expected.late.empty();
    }
  }
}

// What no run of the file held, of one run of the ledger. A file may leave out what a tool found
// (filtered, split), and then is told to be partial; what the cage refused is the evidence itself.
void SarifChecker::check_left(const std::string& id, const Expected& expected, Answer& answer) {
  answer.same_file = answer.same_file && expected.known && expected.same_file;
  if (!expected.known) return;
  if (expected.is_ambiguous) {
    answer.failed = true;
    add_text(answer.text, "the ledger names more than one file that was written for this run");
  }
  if (!expected.late.empty()) {
    answer.unknown = true;
    add_text(answer.text, "what names the file of run " + printable(id, 40) +
                              " may not be the run's own: " + expected.late);
  }
  if (!expected.denials.empty()) {
    answer.failed = true;
    std::string text =
        "denial of record " + std::to_string(*expected.denials.begin()) + " is not in the file";
    if (expected.denials.size() > 1)
      text += ", and " + std::to_string(expected.denials.size() - 1) + " more";
    add_text(answer.text, text);
  }
  for (const auto& [digest, count] : expected.listed)
    answer.missing += static_cast<std::uint64_t>(count);
  if (!expected.has_list) {
    answer.unknown = true;
    add_text(answer.text, "the ledger holds no list of results for this run");
  }
}

Value SarifChecker::check_file(const Named& named, EvidenceSource& source, Findings& findings) {
  Answer answer;
  std::string run;
  std::map<std::string, Expected> by_run;  // results are counted over all runs of the file
  for (const SarifRun& r : named.file.runs) {
    const std::string id = r.block.at("ledger").text_at("run");
    if (run.empty()) run = id;
    if (!r.block.is_object()) {
      answer.unknown = true;
      answer.foreign += r.results.size();
      add_text(answer.text, "a run carries no sandbox block: " + std::to_string(r.results.size()) +
                                " results are nobody's");
      continue;
    }
    const auto [entry, is_new] = by_run.try_emplace(id);
    if (is_new) open_list(id, named.file.digest, source, entry->second);
    if (check_block(r, source, entry->second, answer)) check_results(r, entry->second, answer);
  }
  for (const auto& [id, expected] : by_run) check_left(id, expected, answer);
  if (by_run.empty()) answer.same_file = false;
  if (named.file.has_outside_results) {
    answer.unknown = true;
    add_text(answer.text,
             "results stand outside of its runs (external properties), where nothing of the ledger "
             "answers for them");
  }
  if (named.file.runs.empty()) {
    answer.unknown = true;
    add_text(answer.text, "the file holds no run");
  }
  return tell(named, run, answer, findings);
}

Value SarifChecker::tell(const Named& named, const std::string& run, Answer& answer,
                         Findings& findings) {
  const auto count = [](std::uint64_t n) {
    return std::to_string(n) + (n == 1 ? " result" : " results");
  };
  if (answer.foreign > 0)
    add_text(answer.text, count(answer.foreign) + " in the file and not in the ledger");
  if (answer.suppressed > 0)
    add_text(answer.text,
             "denials that are suppressed in the file: " + std::to_string(answer.suppressed));
  const bool partial =
      (answer.missing > 0 || answer.suppressed > 0) && !answer.failed && !answer.unknown;
  const std::string kept =
      "kept " + std::to_string(answer.kept) + " of " + count(answer.kept + answer.missing);
  if (answer.missing > 0)
    add_text(answer.text,
             kept + ": " + std::to_string(answer.missing) + " of the ledger's dropped");
  const char* result = answer.failed    ? "fail"
                       : answer.unknown ? "unknown"
                       : partial        ? "partial"
                                        : "pass";
  const std::string name = printable(named.name, 200);
  if (answer.failed) {
    findings.add({.code = Code::sarif_mismatch,
                  .run = printable(run, 40),
                  .found = name,
                  .text = answer.text});
  } else if (answer.unknown) {
    findings.add(
        {.code = Code::not_recomputed, .found = name, .text = "SARIF file: " + answer.text});
  } else if (partial) {
    findings.add({.code = Code::sarif_partial,
                  .run = printable(run, 40),
                  .found = name,
                  .text = "SARIF file: " + answer.text});
  } else {
    // The claim goes no further than what was compared.
    answer.text = answer.same_file
                      ? "byte-identical to what was written"
                      : "differs from what was written; " + kept +
                            "; block, denials and digests of results were compared, nothing else";
  }
  // Theirs to say, and for a reader to know.
  const auto mention = [&](std::uint64_t n, const char* what) {
    if (n > 0 && !answer.failed && !answer.same_file) add_text(answer.text, what + std::to_string(n));
  };
  mention(answer.passed_over, "results of the tool that are suppressed, no failure or absent in the file: ");
  mention(answer.rules_off, "rules of the tool that the file switches off: ");
  mention(answer.marked_down, "results of the tool with a text in Markdown, which was not compared: ");
  const auto number = [](std::uint64_t n) { return Value::of(static_cast<std::int64_t>(n)); };
  Value v = Value::object();
  v.set("file", Value::of(named.name)).set("run", Value::of(run)).set("result", Value::of(result));
  v.set("kept", number(answer.kept))
      .set("missing", number(answer.missing))
      .set("foreign", number(answer.foreign));
  v.set("identical", Value::of(answer.same_file));
  v.set("text", Value::of(answer.text));
  return v;
}

Value SarifChecker::check(EvidenceSource& source, const std::vector<Vkey>& keys,
                          Findings& findings) {
  keys_ = keys;
  Value out = Value::array();
  for (const Named& named : files_) out.push(check_file(named, source, findings));
  return out;
}

}  // namespace ethos::verify
