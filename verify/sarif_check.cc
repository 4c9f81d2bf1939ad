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

namespace ethos::verify {
namespace {

struct RunRecords {
  std::string origin;
  std::vector<SarifRecord> records;
};

// The records of one run in [first, last], read a second time; the audit has checked them.
RunRecords records_of(EvidenceSource& source, const std::string& run, std::int64_t first, std::int64_t last) {
  RunRecords out;
  for (std::int64_t seq = first; seq <= last; ++seq) {
    const auto bytes = source.record(seq);
    if (!bytes) continue;
    const RecordScan scan = scan_record(*bytes);
    if (scan.fault != RecordFault::none || scan.envelope.run != run) continue;
    auto body = parse_canonical(scan.envelope.body, kRecordLimits);
    if (!body) continue;
    out.origin = scan.envelope.ledger;
    out.records.push_back({seq, std::string(scan.envelope.type_name), *std::move(body)});
  }
  return out;
}

// SD-2.
std::string level_of(const SarifRecord& record) {
  if (record.type == "runtime.sandbox_denial") return record.body.text_at("outcome") == "denied" ? "error" : "warning";
  const std::string& action = record.body.text_at("action");
  return action == "killed" || action == "refused" ? "error" : "warning";
}

bool denial_fits(const SarifResult& result, const std::vector<SarifRecord>& records) {
  return std::any_of(records.begin(), records.end(), [&](const SarifRecord& record) {
    return record.seq == result.record_seq && record.type == result.record_type &&
           (record.type == "runtime.sandbox_denial" || record.type == "resource.limit") && level_of(record) == result.level;
  });
}

// The digests that a sarif.written record lists, each with how often.
bool listed_digests(const Value& written, DocumentReader& reader, std::map<Digest, std::int64_t>& out) {
  const auto text = reader.open(written.at("list"));
  if (!text) return false;
  for (std::string_view rest = *text; !rest.empty();) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return false;
    const auto digest = Digest::from_text(rest.substr(0, end));
    if (!digest) return false;
    ++out[*digest];
    rest.remove_prefix(end + 1);
  }
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

void add_text(std::string& text, const std::string& more) {
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

void SarifChecker::on_run_end(const std::string& run, std::int64_t first_seq, std::int64_t last_seq) {
  if (wanted(run)) spans_[run] = {first_seq, last_seq};
}

void SarifChecker::on_sarif_written(const std::string& run, const Value& body) {
  if (wanted(run)) written_[run].push_back(body);
}

// One of the ledger's own that covers the run. A bundle may hold others: then it must be signed.
bool SarifChecker::checkpoint_holds(const std::string& note_bytes, const std::string& origin, std::int64_t last_seq,
                                    EvidenceSource& source) const {
  const auto note = parse_note(note_bytes);
  const auto text = note ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
  if (!text || text->origin != origin || text->size <= static_cast<std::uint64_t>(last_seq)) return false;
  const auto stored = source.checkpoint(static_cast<std::int64_t>(text->size));
  if (stored) return *stored == note_bytes;
  std::vector<Vkey> signers;
  return source.kind() == std::string_view("bundle") && verify_note(*note, keys_, signers) == NoteVerdict::ok;
}

void SarifChecker::check_run(const SarifFile& file, const SarifRun& run, EvidenceSource& source, Answer& answer) {
  const auto fail = [&](const std::string& why) {
    answer.failed = true;
    add_text(answer.text, why);
  };
  if (!run.block.is_object()) {
    answer.unknown = true;
    answer.foreign += run.results.size();
    return add_text(answer.text, "a run carries no sandbox block: " + std::to_string(run.results.size()) + " results are nobody's");
  }
  const std::string id = run.block.at("ledger").text_at("run");
  const auto span = spans_.find(id);
  if (span == spans_.end()) return fail("run " + printable(id, 40) + " is not in this ledger");
  const RunRecords found = records_of(source, id, span->second.first, span->second.last);
  // The block's own checkpoint is a text of the ledger, not a function of the run.
  Value block = run.block;
  Value ledger = block.at("ledger");
  const std::string checkpoint = ledger.text_at("checkpoint");
  ledger.erase("checkpoint");
  block.set("ledger", std::move(ledger));
  const std::string difference = first_difference(sandbox_block(found.origin, id, found.records), block);
  if (!difference.empty()) fail("the sandbox block is not the ledger's: " + difference);
  if (!checkpoint_holds(checkpoint, found.origin, span->second.last, source)) fail("the block's checkpoint is not one of the ledger after the run");

  DocumentReader reader(source);
  std::map<Digest, std::int64_t> listed;
  const auto written = written_.find(id);
  bool has_list = false;
  if (written != written_.end()) {
    // Of several files written for a run, the one with this file's digest; else the last.
    const auto& all = written->second;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Value& body) { return body.text_at("sha256") == file.digest.text(); });
    has_list = listed_digests(same != all.end() ? *same : all.back(), reader, listed);
  }
  auto& denials = answer.denials[id];
  for (const SarifRecord& record : found.records) {
    if (record.type == "runtime.sandbox_denial" || record.type == "resource.limit") denials.try_emplace(record.seq, false);
  }
  for (const SarifResult& result : run.results) {
    if (result.is_denial) {
      if (!denial_fits(result, found.records)) {
        fail("a denial in the file is not one of the ledger (record_seq " + std::to_string(result.record_seq) + ")");
      }
      denials[result.record_seq] = true;
    }
    const auto at = listed.find(result.digest);
    if (at != listed.end() && at->second > 0) {
      --at->second;
      ++answer.kept;
    } else if (has_list) {
      ++answer.foreign;
      answer.failed = true;
    }
  }
  for (const auto& [digest, count] : listed) answer.missing += static_cast<std::uint64_t>(count);
  if (!has_list && !run.results.empty()) {
    answer.unknown = true;
    add_text(answer.text, "the ledger holds no list of results for this run");
  }
}

Value SarifChecker::check_file(const Named& named, EvidenceSource& source, Findings& findings) {
  Answer answer;
  std::string run;
  for (std::size_t i = 0; i < named.file.runs.size(); ++i) {
    if (run.empty()) run = named.file.runs[i].block.at("ledger").text_at("run");
    check_run(named.file, named.file.runs[i], source, answer);
  }
  if (named.file.runs.empty()) {
    answer.unknown = true;
    add_text(answer.text, "the file holds no run");
  }
  // A file may leave out what a tool found (filtered, split); what the cage refused is the evidence
  // itself, and a file without it does not say what the ledger says.
  for (const auto& [id, denials] : answer.denials) {
    const auto left_out = std::find_if(denials.begin(), denials.end(), [](const auto& d) { return !d.second; });
    if (left_out == denials.end()) continue;
    answer.failed = true;
    add_text(answer.text, "denial of record " + std::to_string(left_out->first) + " is not in the file");
  }
  if (answer.foreign > 0) add_text(answer.text, std::to_string(answer.foreign) + " results are not those of the ledger");
  if (answer.missing > 0) add_text(answer.text, std::to_string(answer.missing) + " results of the ledger are not in the file");
  const char* result = answer.failed ? "fail" : answer.unknown ? "unknown" : "pass";
  if (answer.failed) {
    findings.add({.code = Code::sarif_mismatch, .run = printable(run, 40), .found = printable(named.name, 200), .text = answer.text});
  } else if (answer.unknown) {
    findings.add({.code = Code::not_recomputed, .found = printable(named.name, 200), .text = "SARIF file: " + answer.text});
  }
  const auto number = [](std::uint64_t n) { return Value::of(static_cast<std::int64_t>(n)); };
  Value v = Value::object();
  v.set("file", Value::of(named.name)).set("run", Value::of(run)).set("result", Value::of(result));
  v.set("kept", number(answer.kept)).set("missing", number(answer.missing)).set("foreign", number(answer.foreign));
  v.set("text", Value::of(answer.text.empty() ? "the block and every result are the ledger's" : answer.text));
  return v;
}

Value SarifChecker::check(EvidenceSource& source, const std::vector<Vkey>& keys, Findings& findings) {
  keys_ = keys;
  Value out = Value::array();
  for (const Named& named : files_) out.push(check_file(named, source, findings));
  return out;
}

}  // namespace ethos::verify
