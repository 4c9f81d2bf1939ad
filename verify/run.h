// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "verify/artifacts.h"
#include "verify/batch.h"
#include "verify/clock_steps.h"
#include "verify/digest.h"
#include "verify/digest_sizes.h"
#include "verify/ended_runs.h"
#include "verify/json.h"
#include "verify/problem.h"
#include "verify/record.h"
#include "verify/run_table.h"
#include "verify/text_list.h"
#include "verify/zone.h"

namespace ethos::verify {

// What the records of one run say, collected until its end.
struct RunEvidence {
  enum class State { opened, refused, running, closed, aborted };

  std::string id;
  State state = State::opened;
  std::int64_t first_seq = 0;
  std::int64_t last_seq = 0;
  Digest last_leaf;          // hash of the record there
  std::int64_t wall_ms = 0;  // of run.open
  std::int64_t last_ms = 0;  // of its last record
  bool is_after_step = false;  // the host's clock was set before it began
  // The newest state of the auditor's memory without its first record; size 0: none.
  struct AddedAfter {
    std::uint64_t size = 0;
    std::int64_t at_ms = 0;
    bool is_dated_before = false;  // a record of that state has a later date than its beginning
  };
  AddedAfter added_after;
  DatedBack dated_back;
  bool is_straddled = false;  // it goes on behind an order that dropped something after its record before
  // Where its records lie: first and last of each piece without a hole. What lies between two pieces may be
  // anything, and any number of records.
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
  std::uint64_t records = 0;
  Value open;
  std::string open_text;
  std::optional<std::string> workspace;  // its path, once it was disclosed and looked at
  TextList grant_texts;            // their bodies
  std::string enforced_text;
  Value enforced;                  // kind none: the run never got that far
  std::int64_t enforced_seq = -1;
  Value close;                     // kind none: open or aborted
  std::string abort_reason;
  // Of an aborted one: the last record before recovery came, and how long after it that was by the steady clock; -1 in a
  // later start of the host.
  std::int64_t own_last_seq = -1;
  std::int64_t own_last_ms = 0;
  std::int64_t recovered_after_ms = -1;
  bool is_recovered_before = false;  // in that start, and by its clock before that record
  std::uint64_t denial_records = 0;  // phases run and commit
  std::uint64_t denial_acts = 0;  // at most INT64_MAX
  std::bitset<BodyFacts::kMostCalls> denied_calls;  // by x86-64 number: those that the filter told of
  std::int64_t act_seq = -1;  // of the first denial of what only a program that runs can do
  int stage = 0;              // of what the writer adds last, how far it is
  std::set<std::string> gap_reasons;
  std::uint64_t gaps = 0;
  std::uint64_t lost_acts = 0;        // of those gaps: acts that may have been denied; at most UINT64_MAX
  bool has_flood = false;             // one of them is of denials beyond the writer's or the kernel's room
  bool has_flood_gap = false;         // that of the writer's room
  bool lost_view = false;             // one of them ends the run: nobody saw what came then
  bool lost_artifacts = false;        // files came out that could not be read
  std::uint64_t unlisted_programs = 0;  // of the gaps `programs`
  std::uint64_t program_gaps = 0;
  std::uint64_t hide_gaps = 0;        // those of reason `not_hidden`
  std::uint64_t not_hidden = 0;       // places that these count; at most UINT64_MAX
  std::uint64_t start_gaps = 0;       // gaps in which the start of a program can have been lost
  std::set<std::string> streams;      // that output was captured of
  std::uint64_t output_bytes = 0;     // of both; at most UINT64_MAX
  std::int64_t truncated_seq = -1;    // of an output.captured that is not whole
  ArtifactList artifacts;
  bool has_unjudged_artifacts = false;
  bool is_beyond_budget = false;  // a long value that it names was named too often to be read again
  std::uint64_t artifact_work = 0;  // steps that its names took so far
  bool has_closed_artifacts = false;  // one of a place that is not disclosed
  std::optional<std::vector<Value>> write_grants;  // opened as far as they are disclosed; once a file came out
  // Of the first kMaxArtifacts files that it brought out, for showing: bodies and record numbers.
  TextList artifact_texts;
  std::vector<std::int64_t> artifact_seqs;
  std::uint64_t artifact_records = 0;
  std::int64_t staged_seq = -1;       // of what came out of a directory that was granted
  std::string writer;                 // R-29, of the first record that has it
  std::string boot;                   // of the first record
  std::uint64_t open_mono_ns = 0;
  std::uint64_t close_mono_ns = 0;
  std::uint64_t last_mono_ns = 0;  // of its last record but an abort
  std::uint64_t newest_mono_ns = 0;  // the latest of its records
  std::uint64_t counted_bytes = 0;   // of output, when the counter of it spoke
  std::set<std::string> limits_hit;
  std::set<std::string> limits_killed;  // those of them that ended something
  std::set<std::string> killers;        // the sources that told of them
  std::uint64_t timer_ms = 0;           // what the timer saw
  // Bodies of the first denials, for showing and for assertions. They stay text until somebody looks:
  // of most nobody does. Those of phase setup give the reason of a refusal.
  TextList denial_texts;
  std::vector<Problem> problems;   // the first kMaxProblems, also in Findings
  bool failed = false;             // one of all its problems was a failure
  bool has_foreign = false;        // a record of it is of a type or version unknown here: nothing can be judged

  // More than anything can do; a sum that comes to it is none.
  static constexpr std::uint64_t kMaxActs = std::uint64_t{1} << 53U;
  static constexpr std::size_t kMaxDenials = 20;
  static constexpr std::size_t kMaxArtifacts = 100;
  static constexpr std::size_t kMaxReasons = 1000;
  static constexpr std::size_t kMaxProblems = 20;

  [[nodiscard]] bool has_enforced() const { return enforced_seq >= 0; }
  [[nodiscard]] bool was_refused() const;
  [[nodiscard]] std::string_view state_name() const;
  // `lint, begun 2026-10-01T08:00:00Z`
  [[nodiscard]] std::string story(const Zone& zone) const;
  // Of an aborted one: when it was last heard of, and when recovery came.
  [[nodiscard]] std::string abort_story(const Zone& zone) const;
  [[nodiscard]] Value denial(std::size_t index) const;
  // As trees, made when somebody looks.
  [[nodiscard]] const std::vector<Value>& grants() const;
  void add_place(std::int64_t seq);
  // Where its record of that `run_seq` lies.
  [[nodiscard]] std::int64_t place_of(std::int64_t run_seq) const;
  // Adds a problem of this run to its own list and to `findings`.
  void report(Problem problem, Findings& findings);

 private:
  mutable std::vector<Value> grants_;
};

// The bytes behind the commitment of a path; nothing where they are not disclosed.
using PathOpener = std::function<std::optional<std::string>(const Value& commitment)>;

// Replays the order of records in every run (events.md, "Order in a run") and the links within one
// (record.md ). Memory: the evidence of runs that are open, a few words for each other.
class RunTracker {
 public:
  // Called once for each run: at its close or abort, or from finish() when it has no end.
  using OnEnd = std::function<void(RunEvidence&)>;
  // Before more files that a run brought out are listed than are kept at once.
  using OnArtifacts = std::function<void(RunEvidence&)>;
  // A sarif.written record, which comes after the end.
  using OnSarif = std::function<void(const std::string& run, const SarifMoment& moment, const Value& body)>;

  RunTracker(Zone zone, OnEnd on_end, OnArtifacts on_artifacts, OnSarif on_sarif, PathOpener open_path)
      : zone_(std::move(zone)), on_end_(std::move(on_end)), on_artifacts_(std::move(on_artifacts)), on_sarif_(std::move(on_sarif)), open_path_(std::move(open_path)) {}

  // `may_be_late`: records before the first one seen may not be there (coverage tail).
  // `is_foreign`: of a type or version that is not known here; it counts, and is not judged.
  // True: of a run whose beginning is not there, and that has not ended before it.
  bool on_record(CheckedRecord& record, bool is_foreign, bool may_be_late, Findings& findings);
  // An order said that records were dropped, the last of them at `seq`.
  void on_dropped(std::int64_t seq) { last_dropped_ = std::max(last_dropped_, seq); }
  // The next record is the first that `why` (a pin, a memory, a change of keys) does not hold. What was
  // dropped before lies among those, the last at `last_dropped`: it was there before what comes now.
  void on_boundary(std::int64_t seq, std::int64_t last_dropped, std::string why) {
    boundary_ = seq;
    boundary_why_ = std::move(why);
    on_dropped(last_dropped);
  }
  // Where the runs without an end begin, ascending; nothing where that cannot be told, or there are more.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> open_at(std::size_t most) const;
  // Of the records before the next one: the latest date.
  void set_newest(const NewestDate& newest) { newest_ = newest; }
  // A record was seen that may be of any run.
  void lose_track() { has_lost_track_ = true; }
  void finish(Findings& findings);

  [[nodiscard]] std::uint64_t runs() const {
    return static_cast<std::uint64_t>(runs_.size() + ended_.size());
  }
  [[nodiscard]] bool has(std::string_view run) const {
    return runs_.find(run) != runs_.end() || ended_.find(run);
  }
  [[nodiscard]] std::vector<std::string> ids() const;
  [[nodiscard]] std::uint64_t grants() const { return grants_; }
  [[nodiscard]] std::uint64_t denials() const { return denials_; }
  [[nodiscard]] std::uint64_t open_runs() const { return open_runs_; }
  [[nodiscard]] std::uint64_t aborted_runs() const { return aborted_runs_; }
  // Runs whose beginning is not there.
  [[nodiscard]] std::uint64_t late_runs() const { return late_runs_; }

 private:
  struct Link {
    Digest last_leaf;                  // not of one that was taken from ended_
    std::optional<std::uint64_t> tag;  // of it, then
    std::int64_t run_seq = -1;
    RunEvidence::State state = RunEvidence::State::opened;
    std::unique_ptr<RunEvidence> evidence;  // gone after the end
    bool is_late = false;                   // its beginning is not there
    bool has_foreign = false;
    std::uint64_t reported = 0;             // denial and limit records
    bool has_sarif = false;                 // its sarif.written came
  };

  // Does `text` stand for that hash?
  [[nodiscard]] bool is_hash(std::string_view text, const Digest& digest) const;
  // Is it the hash of the run's last record?
  [[nodiscard]] bool is_linked(std::string_view text, const Link& link) const;
  // Between records: of a run without evidence a few bytes stay.
  std::pair<Link*, bool> find_or_add(std::string_view id);
  void put_away(std::string_view id, const Link& link);
  static void judge_body(const CheckedRecord& record, Link& link, Findings& findings);
  void check_link(const Envelope& e, Link& link, Findings& findings);
  void begin(const Envelope& e, Value&& body, Link& link, Findings& findings);
  void see_sarif(const Envelope& e, const Value& body, Link& link, Findings& findings);
  void step(const Envelope& e, const BodyFacts& facts, Value&& body, Link& link, Findings& findings);
  void collect(const Envelope& e, Value&& body, RunEvidence& run, Findings& findings);
  void end(const Envelope& e, Value&& body, Link& link, Findings& findings);

  static void check_writer(const Envelope& e, RunEvidence& run, Findings& findings);
  static void check_ended(const Envelope& e, const EndedRun& run, Findings& findings);
  [[nodiscard]] std::string late_words(const Envelope& e, const EndedRun* run) const;
  static void check_moment(const Envelope& e, RunEvidence& run, Findings& findings);

  Zone zone_;  // of the times that are told
  OnEnd on_end_;
  OnArtifacts on_artifacts_;
  OnSarif on_sarif_;
  PathOpener open_path_;
  // Found by a view: most records belong to a run that is known, and need no new string.
  struct IdHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view id) const { return std::hash<std::string_view>{}(id); }
  };
  std::unordered_map<std::string, Link, IdHash, std::equal_to<>> runs_;  // with evidence
  RunTable ended_;
  EndedRuns last_ended_;
  std::int64_t boundary_ = -1;
  std::string boundary_why_;
  std::pair<const std::string, Link>* last_ = nullptr;  // the entry of the last record
  // Of the record before, of whatever run: most runs stand alone.
  Digest near_leaf_;
  HashText near_text_;
  std::uint64_t grants_ = 0;
  std::uint64_t denials_ = 0;
  std::uint64_t open_runs_ = 0;
  std::uint64_t aborted_runs_ = 0;
  std::uint64_t late_runs_ = 0;
  bool has_lost_track_ = false;
  std::int64_t last_dropped_ = -1;
  DigestSizes sizes_;  // of files that any run brought out
  NewestDate newest_;
};

}  // namespace ethos::verify
