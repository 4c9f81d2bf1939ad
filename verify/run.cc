// SPDX-License-Identifier: Apache-2.0
#include "verify/run.h"

#include <algorithm>
#include <utility>

#include "verify/encoding.h"
#include "verify/run_events.h"
#include "verify/times.h"
#include "verify/view.h"

namespace ethos::verify {
namespace {

using State = RunEvidence::State;

// What RunTable keeps of a run besides its place in the chain.
constexpr unsigned kState = 7;
constexpr unsigned kLate = 8;
constexpr unsigned kForeign = 16;
constexpr unsigned kSarif = 32;

constexpr std::string_view kStateNames[] = {"opened", "refused", "running", "closed", "aborted"};

// The table of events.md. `ok` false: the record may not come now.
struct Move {
  bool ok = false;
  State next{};
};

Move move_of(State state, RecordType type, bool setup, bool refused) {
  using enum RecordType;
  switch (state) {
    case State::opened:
      if (type == capability_grant) return {true, State::opened};
      if (type == sandbox_enforced) return {true, State::running};
      if (type == sandbox_denial && setup) return {true, State::refused};
      break;
    case State::refused:
      if (type == sandbox_denial && setup) return {true, State::refused};
      if (type == run_close && refused) return {true, State::closed};
      break;
    case State::running:
      if (type == sandbox_denial && !setup) return {true, State::running};
      if (type == resource_limit || type == output_captured || type == artifact_exported || type == run_gap) {
        return {true, State::running};
      }
      if (type == run_close && !refused) return {true, State::closed};
      break;
    case State::closed:
      return {type == sarif_written || type == data_erase, State::closed};
    case State::aborted:
      return {type == data_erase, State::aborted};
  }
  return {type == run_abort, State::aborted};
}

// Of a body that was scanned when it came, so this cannot fail.
Value tree_of(std::string_view body) {
  auto tree = parse_canonical(body, kRecordLimits);
  return tree ? *std::move(tree) : Value();
}

// Of the clock that nobody can set: a record has its time a little before it is committed.
constexpr std::uint64_t kSlackNs = 2'000'000'000;

// Why two records of one run cannot have these writers; null: they can.
const char* writer_fault(std::string_view one, std::string_view other) {
  if (one == other) return nullptr;
  if (one.empty() || other.empty()) return "only some records of one run came through the service";
  const View first(one);
  const View now(other);
  const auto same = [&](const char* key) { return first.at(key).source() == now.at(key).source(); };
  const bool same_file = !first.at("exe").exists() || !now.at("exe").exists() || same("exe");
  const bool same_cage = first.at("cage").exists() == now.at("cage").exists();
  if (same("uid") && same("gid") && same("pid") && same_file && same_cage) return nullptr;
  return "the records of one run came from different writers";
}

}  // namespace

bool RunEvidence::was_refused() const { return close.text_at("ended_by") == "refused" || state == State::refused; }

std::string_view RunEvidence::state_name() const { return kStateNames[static_cast<std::size_t>(state)]; }

std::string RunEvidence::story(const Zone& zone) const { return printable(open.text_at("tool"), 64) + ", begun " + zoned_text(wall_ms, zone); }

std::string RunEvidence::abort_story(const Zone& zone) const {
  std::string out = "its runner (ethos-run) was gone (" + printable(abort_reason, 40) + "); last record of its own: " + std::to_string(own_last_seq) + " of " +
                    zoned_text(own_last_ms, zone) + ", recovered " + zoned_text(last_ms, zone);
  if (is_recovered_before) return out + ", in the same start of the host, by a steady clock that stood before that of its last record";
  if (recovered_after_ms < 0) return out + ", in a later start of the host";
  return out + ", " + duration_text(recovered_after_ms) + " later by the steady clock, in the same start of the host: no power cut";
}

Value RunEvidence::denial(std::size_t index) const { return tree_of(denial_texts[index]); }

const std::vector<Value>& RunEvidence::grants() const {
  while (grants_.size() < grant_texts.size()) grants_.push_back(tree_of(grant_texts[grants_.size()]));
  return grants_;
}

void RunEvidence::add_place(std::int64_t seq) {
  last_seq = seq;
  if (!pieces.empty() && pieces.back().second + 1 == seq) {
    pieces.back().second = seq;
  } else {
    pieces.emplace_back(seq, seq);
  }
}

std::int64_t RunEvidence::place_of(std::int64_t run_seq) const {
  for (const auto& [first, last] : pieces) {
    if (run_seq <= last - first) return first + run_seq;
    run_seq -= last - first + 1;
  }
  return first_seq;
}

void RunEvidence::report(Problem problem, Findings& findings) {
  problem.run = id;
  failed = failed || code_info(problem.code).severity == Severity::fail;
  if (problems.size() < kMaxProblems) problems.push_back(problem);
  findings.add(std::move(problem));
}

bool RunTracker::is_hash(std::string_view text, const Digest& digest) const {
  return digest == near_leaf_ ? near_text_.is(text) : HashText(digest).is(text);
}

bool RunTracker::is_linked(std::string_view text, const Link& link) const {
  if (!link.tag) return is_hash(text, link.last_leaf);
  const auto digest = Digest::from_base64(text);
  return digest && ended_.tag_of(*digest) == *link.tag;
}

void RunTracker::check_link(const Envelope& e, Link& link, Findings& findings) {
  const bool fits = e.run_seq == link.run_seq + 1 && is_linked(e.run_prev, link);
  // The record that is missing may be the one that could not be read.
  if (!fits && has_lost_track_) link.has_foreign = true;
  if (fits || has_lost_track_) return;
  if (e.run_seq != link.run_seq + 1) {
    findings.add({.code = Code::run_seq_gap, .seq = e.seq, .run = std::string(e.run), .expected = std::to_string(link.run_seq + 1),
                  .found = std::to_string(e.run_seq), .text = "a record of the run is missing or stands twice"});
  }
  // The first record follows 32 zero bytes, which is what last_leaf begins as.
  if (!is_linked(e.run_prev, link)) {
    findings.add({.code = Code::run_prev_mismatch,
                  .seq = e.seq,
                  .run = std::string(e.run),
                  .expected = link.tag ? "the hash of its record " + std::to_string(link.run_seq)
                                       : link.last_leaf.base64(),
                  .found = std::string(e.run_prev),
                  .text = "`run_prev` is not the hash of the run's previous record"});
  }
}

void RunTracker::collect(const Envelope& e, Value&& body, RunEvidence& run, Findings& findings) {
  using enum RecordType;
  check_stage(e, run, findings);
  switch (e.type) {
    case capability_grant:
      ++grants_;
      if (run.grant_texts.size() == 1000) {
        run.report({.code = Code::run_order, .seq = e.seq, .text = "more than 1,000 grants in one run"}, findings);
        return;
      }
      run.grant_texts.add(e.body);
      return;
    case sandbox_enforced:
      run.enforced = std::move(body);
      run.enforced_text = e.body;
      run.enforced_seq = e.seq;
      return;
    case resource_limit: check_limit(e, run, findings); break;
    case output_captured: check_output(e, run, findings); break;
    case artifact_exported:
      if (run.artifacts.is_full()) on_artifacts_(run);
      ++run.artifact_records;
      if (run.artifact_seqs.size() < RunEvidence::kMaxArtifacts) {
        run.artifact_texts.add(e.body);
        run.artifact_seqs.push_back(e.seq);
      }
      check_artifact(e, open_path_, run, findings);
      check_size(e, sizes_, run, findings);
      break;
    case run_gap: count_gap(e, run, findings); break;
    default: break;
  }
}

void RunTracker::end(const Envelope& e, Value&& body, Link& link, Findings& findings) {
  RunEvidence& run = *link.evidence;
  --open_runs_;
  if (e.type == RecordType::run_close) {
    run.close = std::move(body);
    last_ended_.add({run.id, run.open.text_at("tool"), run.boot, run.writer, run.first_seq, e.seq, run.wall_ms, e.mono_ns});
    if (run.close.at("records").number() != e.run_seq + 1) {
      run.report({.code = Code::run_count, .seq = e.seq, .expected = std::to_string(e.run_seq + 1),
                  .found = std::to_string(run.close.at("records").number()),
                  .text = "run.close states another number of records"}, findings);
    }
  } else {
    ++aborted_runs_;
    run.abort_reason = View(e.body).at("reason").text();
    run.report({.code = Code::run_aborted, .seq = e.seq,
                .text = "the run was ended by recovery: " + run.story(zone_) + ", " + run.abort_story(zone_)}, findings);
  }
  on_end_(run);
  link.evidence.reset();
}

// E-9. A later one would name another file, and what it lists as what the run found.
void RunTracker::see_sarif(const Envelope& e, const Value& body, Link& link, Findings& findings) {
  if (link.has_sarif && !link.has_foreign) {
    findings.add({.code = Code::contradiction, .seq = e.seq, .run = std::string(e.run), .expected = "one sarif.written",
                  .text = "the run names the SARIF file that was written for it a second time"});
  }
  link.has_sarif = true;
  SarifMoment moment{e.seq, link.reported, last_ended_.find(e.run), {}};
  if (!link.has_foreign) {
    if (moment.run != nullptr) check_ended(e, *moment.run, findings);
    moment.late = late_words(e, moment.run);
  }
  if (!moment.late.empty()) {
    findings.add({.code = Code::sarif_late, .seq = e.seq, .run = std::string(e.run), .text = "the record that names the SARIF file of a run may not be the run's own: " + moment.late});
  }
  on_sarif_(std::string(e.run), moment, body);
}

void RunTracker::step(const Envelope& e, const BodyFacts& facts, Value&& body, Link& link, Findings& findings) {
  Move move = move_of(link.state, e.type, facts.is_setup, facts.is_refused);
  if (!move.ok && link.has_foreign) {
    // What came before may have allowed it.
    const bool ends = e.type == RecordType::run_close || e.type == RecordType::run_abort;
    if (ends && link.evidence == nullptr) return;
    move = {true, !ends ? link.state : e.type == RecordType::run_close ? State::closed : State::aborted};
  }
  RunEvidence* run = link.evidence.get();
  if (!move.ok) {
    Problem problem{.code = Code::run_order, .seq = e.seq, .run = std::string(e.run),
                    .expected = "a record that may follow in state " +
                                std::string(kStateNames[static_cast<std::size_t>(link.state)]),
                    .found = std::string(e.type_name), .text = "the order of the run does not allow this record"};
    if (run != nullptr) {
      run->report(std::move(problem), findings);
    } else {
      findings.add(std::move(problem));
    }
    return;
  }
  link.state = move.next;
  if (e.type == RecordType::sandbox_denial || e.type == RecordType::resource_limit) ++link.reported;
  if (run == nullptr) {
    if (e.type == RecordType::sarif_written) see_sarif(e, body, link, findings);
    return;
  }
  run->state = move.next;
  if (e.type == RecordType::run_abort) {
    run->own_last_seq = run->last_seq;
    run->own_last_ms = run->last_ms;
    const bool is_same_start = e.boot == run->boot && e.mono_ns >= run->last_mono_ns;
    run->is_recovered_before = e.boot == run->boot && !is_same_start;
    run->recovered_after_ms = is_same_start ? static_cast<std::int64_t>((e.mono_ns - run->last_mono_ns) / 1'000'000U) : -1;
  }
  run->last_mono_ns = e.mono_ns;
  run->is_straddled = run->is_straddled || run->last_seq < last_dropped_;
  run->add_place(e.seq);
  run->last_ms = e.wall_ms;
  ++run->records;
  if (e.type == RecordType::run_close || e.type == RecordType::run_abort) {
    end(e, std::move(body), link, findings);
  } else {
    if (e.type == RecordType::sandbox_denial) {
      ++denials_;
      run->denial_records += facts.is_setup ? 0 : 1;
      // Shown and compared as a signed number: what is beyond it is as much as that.
      constexpr auto kMostActs = static_cast<std::uint64_t>(INT64_MAX);
      run->denial_acts += facts.is_setup ? 0 : std::min<std::uint64_t>(facts.acts, kMostActs - run->denial_acts);
      const std::size_t most = facts.is_setup ? RunEvidence::kMaxReasons : RunEvidence::kMaxDenials;
      if (run->denial_texts.size() < most) run->denial_texts.add(e.body);
      if (facts.is_audit) check_audit(e, *run, findings);
      if (facts.is_act && run->act_seq < 0) run->act_seq = e.seq;
      if (facts.call < BodyFacts::kMostCalls) run->denied_calls.set(facts.call);
    }
    collect(e, std::move(body), *run, findings);
  }
}

// A run with a record that is malformed, or that says two things at once, has not passed.
void RunTracker::judge_body(const CheckedRecord& record, Link& link, Findings& findings) {
  if (record.body_fault.any() && link.evidence) link.evidence->failed = true;
  if (record.facts.contradiction == nullptr) return;
  const Envelope& e = record.scan.envelope;
  Problem problem{.code = Code::contradiction, .seq = e.seq, .run = std::string(e.run), .found = std::string(e.type_name),
                  .text = record.facts.contradiction};
  if (link.evidence) {
    link.evidence->report(std::move(problem), findings);
  } else {
    findings.add(std::move(problem));
  }
}

// The file of the program is there only where the service may read it.
void RunTracker::check_writer(const Envelope& e, RunEvidence& run, Findings& findings) {
  const bool is_first = e.seq == run.first_seq;
  if (is_first) run.writer = e.writer;
  if (is_first) return;
  // Recovery and erasing are done by whoever comes; everything else by the one that began.
  const bool is_later = e.type == RecordType::run_abort || e.type == RecordType::data_erase;
  if (is_later && (e.writer.empty() || run.writer.empty())) return;
  const char* const fault = writer_fault(run.writer, e.writer);
  if (fault == nullptr) return;
  run.report({.code = Code::contradiction, .seq = e.seq, .expected = printable(run.writer, 200), .found = printable(e.writer, 200), .text = fault}, findings);
}

// The same of what comes after the end.
void RunTracker::check_ended(const Envelope& e, const EndedRun& run, Findings& findings) {
  const auto refuse = [&](const char* text, std::string expected, std::string found) {
    findings.add({.code = Code::contradiction, .seq = e.seq, .run = run.id, .expected = std::move(expected), .found = std::move(found), .text = text});
  };
  if (const char* const fault = writer_fault(run.writer, e.writer)) refuse(fault, printable(run.writer, 200), printable(e.writer, 200));
  if (e.boot != run.boot) {
    refuse("the records of one run are of two boots", run.boot, std::string(e.boot));
  } else if (run.close_mono_ns > kSlackNs && e.mono_ns < run.close_mono_ns - kSlackNs) {
    refuse("what a run adds after its end is older than its end", std::to_string(run.close_mono_ns), std::to_string(e.mono_ns));
  }
}

// The runner names the file in its own process, once it is written, right after run.close.
std::string RunTracker::late_words(const Envelope& e, const EndedRun* run) const {
  constexpr std::uint64_t kSoonNs = 3'600'000'000'000;
  if (run == nullptr) return "it came after more than " + std::to_string(EndedRuns::kKept) + " other runs had ended since";
  if (run->end_seq < last_dropped_) return "it came after records between the run's end and it were dropped, which may have named another file";
  if (run->end_seq < boundary_) return "it came after " + boundary_why_;
  if (e.boot == run->boot && e.mono_ns > run->close_mono_ns && e.mono_ns - run->close_mono_ns > kSoonNs) {
    return "it came " + duration_text(static_cast<std::int64_t>((e.mono_ns - run->close_mono_ns) / 1'000'000U)) + " after the run's end by the steady clock";
  }
  return {};
}

// E-22. A run is one process: it outlives no boot, and its clock goes on.
void RunTracker::check_moment(const Envelope& e, RunEvidence& run, Findings& findings) {
  if (e.seq == run.first_seq || e.type == RecordType::run_abort || e.type == RecordType::data_erase) return;
  const std::uint64_t newest = std::exchange(run.newest_mono_ns, std::max(run.newest_mono_ns, e.mono_ns));
  if (e.type == RecordType::run_close) run.close_mono_ns = e.mono_ns;
  const auto refuse = [&](const char* text, std::string expected, std::string found) {
    run.report({.code = Code::contradiction, .seq = e.seq, .expected = std::move(expected), .found = std::move(found), .text = text}, findings);
  };
  if (e.boot != run.boot) {
    refuse("the records of one run are of two boots", run.boot, std::string(e.boot));
  } else if (run.open_mono_ns > kSlackNs && e.mono_ns < run.open_mono_ns - kSlackNs) {
    refuse("a record of a run is older than its beginning", std::to_string(run.open_mono_ns), std::to_string(e.mono_ns));
  } else if (e.type == RecordType::run_close && newest > kSlackNs && e.mono_ns < newest - kSlackNs) {
    refuse("the end of a run is older than what came before it", std::to_string(newest), std::to_string(e.mono_ns));
  }
}

void RunTracker::begin(const Envelope& e, Value&& body, Link& link, Findings& findings) {
  ++open_runs_;
  link.evidence = std::make_unique<RunEvidence>();
  RunEvidence& run = *link.evidence;
  run.id = e.run;
  run.first_seq = e.seq;
  run.add_place(e.seq);
  run.wall_ms = e.wall_ms;
  run.dated_back = newest_.before(e.wall_ms);
  run.last_ms = e.wall_ms;
  run.boot = e.boot;
  run.open_mono_ns = e.mono_ns;
  run.last_mono_ns = e.mono_ns;
  run.records = 1;
  if (e.type == RecordType::run_open) {
    run.open = std::move(body);
    run.open_text = e.body;
  } else if (!link.has_foreign) {
    run.report({.code = Code::run_order, .seq = e.seq, .expected = "run.open", .found = std::string(e.type_name),
                .text = "the first record of a run is not run.open"}, findings);
  }
}

std::pair<RunTracker::Link*, bool> RunTracker::find_or_add(std::string_view id) {
  // Most records belong to the run of the one before.
  if (last_ != nullptr && same_text(last_->first, id)) return {&last_->second, false};
  auto entry = runs_.find(id);
  if (entry != runs_.end()) {
    last_ = &*entry;
    return {&last_->second, false};
  }
  last_ = &*runs_.try_emplace(std::string(id)).first;
  Link& link = last_->second;
  const auto ended = ended_.find(id);
  if (!ended) return {&link, true};
  link.tag = ended->tag;
  link.run_seq = ended->run_seq;
  link.reported = ended->reported;
  link.state = static_cast<State>(ended->bits & kState);
  link.is_late = (ended->bits & kLate) != 0;
  link.has_foreign = (ended->bits & kForeign) != 0;
  link.has_sarif = (ended->bits & kSarif) != 0;
  return {&link, false};
}

void RunTracker::put_away(std::string_view id, const Link& link) {
  if (link.evidence || link.run_seq < 0 ||
      static_cast<std::uint64_t>(link.run_seq) > RunTable::kMost)
    return;
  const auto bits = static_cast<unsigned>(link.state) | (link.is_late ? kLate : 0U) |
                    (link.has_foreign ? kForeign : 0U) | (link.has_sarif ? kSarif : 0U);
  const RunTable::Entry entry{
      ended_.tag_of(link.last_leaf), static_cast<std::uint32_t>(link.run_seq),
      static_cast<std::uint32_t>(std::min<std::uint64_t>(link.reported, RunTable::kMost)),
      static_cast<std::uint8_t>(bits)};
  if (!ended_.put(id, entry)) return;
  runs_.erase(runs_.find(id));
  last_ = nullptr;
}

bool RunTracker::on_record(CheckedRecord& record, bool is_foreign, bool may_be_late,
                           Findings& findings) {
  const Envelope& e = record.scan.envelope;
  const auto found = find_or_add(e.run);
  Link& link = *found.first;
  const bool is_new = found.second;
  if (is_new && (may_be_late || has_lost_track_) && e.run_seq > 0) {
    link.is_late = true;
    ++late_runs_;
  } else {
    check_link(e, link, findings);
  }
  link.has_foreign = link.has_foreign || is_foreign;
  // Of a run that begins in the middle the order cannot be judged; its links can.
  if (!link.is_late && is_new) begin(e, std::move(record.body), link, findings);
  if (link.evidence) {
    link.evidence->has_foreign = link.has_foreign;
    link.evidence->last_leaf = record.leaf;
    check_writer(e, *link.evidence, findings);
    check_moment(e, *link.evidence, findings);
  }
  judge_body(record, link, findings);
  if (!link.is_late && !is_new && is_foreign && link.evidence) {
    ++link.evidence->records;
    link.evidence->add_place(e.seq);
  } else if (!link.is_late && !is_new && !is_foreign) {
    step(e, record.facts, std::move(record.body), link, findings);
  }
  link.last_leaf = near_leaf_ = record.leaf;
  link.tag.reset();
  near_text_ = record.leaf_text;
  link.run_seq = e.run_seq;
  const bool is_late = link.is_late;
  put_away(e.run, link);
  return is_late && e.type != RecordType::sarif_written && e.type != RecordType::data_erase;
}

std::optional<std::vector<std::int64_t>> RunTracker::open_at(std::size_t most) const {
  if (has_lost_track_ || open_runs_ > most) return std::nullopt;
  std::vector<std::int64_t> out;
  for (const auto& [id, link] : runs_) {
    if (link.evidence) out.push_back(link.evidence->first_seq);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> RunTracker::ids() const {
  std::vector<std::string> out;
  for (const auto& [id, link] : runs_) out.push_back(id);
  ended_.add_ids(out);
  std::sort(out.begin(), out.end());
  return out;
}

void RunTracker::finish(Findings& findings) {
  std::vector<RunEvidence*> open;
  for (auto& [id, link] : runs_) {
    if (link.evidence) open.push_back(link.evidence.get());
  }
  // The table has no order of its own; reports must be the same every time.
  std::sort(open.begin(), open.end(),
            [](const RunEvidence* a, const RunEvidence* b) { return a->first_seq < b->first_seq; });
  for (RunEvidence* run : open) {
    run->report({.code = Code::run_open, .seq = run->last_seq, .text = "the run has no end: " + run->story(zone_) + ", last record " + zoned_text(run->last_ms, zone_)}, findings);
    on_end_(*run);
  }
  for (auto& [id, link] : runs_) link.evidence.reset();
}

}  // namespace ethos::verify
