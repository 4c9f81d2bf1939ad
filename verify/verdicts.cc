// SPDX-License-Identifier: Apache-2.0
#include "verify/verdicts.h"

#include <algorithm>
#include <string>

#include "verify/encoding.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

std::string plural(std::uint64_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

// The outcome that the findings ask for; `clean` when they ask for nothing.
Outcome outcome_of(const Findings& findings, VerdictName name, Outcome clean) {
  switch (findings.worst(name)) {
    case Severity::fail: return Outcome::fail;
    case Severity::unknown: return Outcome::unknown;
    case Severity::incomplete: return clean == Outcome::unknown ? Outcome::unknown : Outcome::incomplete;
    case Severity::remark: return clean;
  }
  return Outcome::unknown;
}

// Names the first thing that is wrong with a verdict.
std::string reason(const Findings& findings, VerdictName name) {
  if (const auto& problem = findings.leading(name)) return (problem->seq >= 0 ? "record " + std::to_string(problem->seq) + ": " : "") + problem->text;
  return "see the problems listed";
}

class Drawer {
 public:
  Drawer(AuditReport& report, const VerdictInput& input) : report_(report), input_(input) {}

  void draw() {
    const AuditCounts& n = report_.counts;
    const bool read = n.records > 0;
    const std::uint64_t dropped = report_.pruned.records;
    put(VerdictName::integrity, read ? Outcome::pass : Outcome::unknown, n.records + dropped,
        plural(n.records, "record", "records") + std::string(input_.is_run ? " of one run and its keys, each proved to be in the signed tree" : " in one unbroken chain and tree") +
            (dropped > 0 ? ", of " + std::to_string(dropped) + " more the hashes" : ""));
    put(VerdictName::signatures, n.signatures > 0 ? Outcome::pass : Outcome::unknown, n.signatures,
        plural(n.signatures, "signature", "signatures") + " under " +
            plural(n.checkpoints, "checkpoint", "checkpoints") + " right" + key_words() + other_words());
    put(VerdictName::trust, read && input_.has_pin ? Outcome::pass : Outcome::unknown, input_.has_pin ? 3 : 0,
        "origin, first record and root key are the pinned ones");
    put(VerdictName::completeness, read ? Outcome::pass : Outcome::unknown, n.runs, completeness());
    count_open();
    freshness();
    time();
    disclosure();
    policy();
    statements();
  }

 private:
  void put(VerdictName name, Outcome clean, std::uint64_t checked, std::string good) {
    Verdict& verdict = report_.verdicts[static_cast<std::size_t>(name)];
    verdict.outcome = outcome_of(report_.findings, name, clean);
    verdict.checked = checked;
    verdict.text = verdict.outcome == clean && clean != Outcome::unknown ? std::move(good)
                   : report_.findings.worst(name) == Severity::remark ? "nothing could be checked"
                                                                     : reason(report_.findings, name);
  }

  std::string key_words() const {
    if (report_.key_changes.empty()) return "";
    constexpr std::size_t named = 6;
    std::string out = ", by " + plural(report_.keys, "key", "keys") + " one after the other (changed at record ";
    for (std::size_t i = 0; i < report_.key_changes.size() && i < named; ++i) {
      const auto& change = report_.key_changes[i];
      out += (i > 0 ? ", " : "") + std::to_string(change.seq) + ": " + change.reason;
    }
    return out + (report_.keys - 1 > named ? ", ...)" : ")");
  }

  // A line more under a note changes nothing, and is passed over by whoever does not know its key.
  std::string other_words() const {
    const std::uint64_t n = report_.other_signatures;
    if (n == 0) return "";
    return "; " + plural(n, "more signature line is", "more signature lines are") + " by no key of this ledger (the first names " + printable(report_.other_signer, 200) +
           "): not counted, and not judged but for witnesses of a --policy";
  }

  // Open runs are counted, not only named; what is graver keeps its own words.
  void count_open() {
    const AuditCounts& n = report_.counts;
    Verdict& verdict = report_.verdicts[static_cast<std::size_t>(VerdictName::completeness)];
    if (verdict.outcome != Outcome::incomplete) return;
    std::string out;
    if (n.open_runs > 0) {
      out = plural(n.open_runs, "run has", "runs have") + " no end";
      if (n.aborted_runs > 0) out += ", " + plural(n.aborted_runs, "was", "were") + " aborted";
      out += "; ";
    }
    verdict.text = out + verdict.text;
  }

  std::string completeness() const {
    const AuditCounts& n = report_.counts;
    std::string out = n.aborted_runs == 0 ? (input_.is_run ? "the run has an end" : "every run has an end") : aborted();
    out += input_.is_run ? " and no hole; other records of the ledger are not in the bundle" : "; the last checkpoint covers all records";
    if (report_.pruned.records > 0) out += "; " + report_.pruned.words(input_.zone) + kept_words();
    if (n.late_runs > 0) out += "; of " + plural(n.late_runs, "run", "runs") + " the beginning is not in the bundle: they are not judged, and of those that your pin or memory calls open only the number is compared, not which they are";
    return out;
  }

  // Whether what must stay has stayed can be told only of what somebody remembers.
  std::string kept_words() const {
    std::uint64_t size = 0;
    for (const KnownState& state : report_.known) {
      if (state.found && state.answer == KnownState::Answer::held)
        size = std::max(size, state.size);
    }
    if (size == 0) return "; nothing that you hold says which records had to stay";
    return "; of the ledger's own records among the first " + std::to_string(size) +
           " all are there that you remember";
  }

  // Complete as records, and not an end of its own: `ended` does not hold for such a run.
  std::string aborted() const {
    const AuditCounts& n = report_.counts;
    if (input_.is_run) return "the run was aborted (its runner was gone; recovery ended it)";
    return "no run is open, but " + plural(n.aborted_runs, "run was", "runs were") + " aborted (the runner was gone; recovery ended " + (n.aborted_runs == 1 ? "it)" : "them)");
  }

  std::string clock_words() const {
    const ClockSteps& clock = report_.clock;
    std::string out;
    if (clock.count > 0) out += "; the host's clock was set " + plural(clock.count, "time", "times") + " while they were made (`clock_stepped`)";
    if (clock.dated_back.count > 0) out += "; " + plural(clock.dated_back.count, "run is", "runs are") + " dated before records that came earlier (`dated_back`)";
    if (clock.steady_back > 0) out += "; the steady clock ran back (`steady_back`)";
    return out;
  }

  // Three grades, told apart: the host's own clock, witnesses, time stamp authorities.
  void time() {
    const AnchorSummary& stamps = report_.anchors;
    std::string text;
    if (stamps.good > 0) {
      const TimeAnchor& last = stamps.points.back();
      text = "the first " + std::to_string(last.size) + " records existed by " + zoned_text(last.at_ms, input_.zone) + " (" + std::to_string(stamps.good) + " of " +
             plural(stamps.stamps, "time stamp", "time stamps") + ")";
    }
    if (input_.anchor) text += (text.empty() ? "" : "; ") + input_.anchor->text;
    const std::uint64_t outside = stamps.good + (input_.anchor ? 1 : 0);
    put(VerdictName::time, outside > 0 ? Outcome::pass : Outcome::none, outside,
        outside > 0 ? text + "; the other times are the host's own" + clock_words() : "times are what the host's own clock said; no outside anchor" + clock_words());
    Verdict& verdict = report_.verdicts[static_cast<std::size_t>(VerdictName::time)];
    if (verdict.outcome == Outcome::none && stamps.unknown > 0) {
      verdict = {Outcome::unknown, 0, plural(stamps.unknown, "time stamp", "time stamps") + " could not be judged: " + stamps.why_unknown};
    }
  }

  void freshness() {
    using Answer = KnownState::Answer;
    Verdict& verdict = report_.verdicts[static_cast<std::size_t>(VerdictName::freshness)];
    verdict = {Outcome::none, 0, "nothing outside the ledger says how new it is; give a pin with a minimum, or a --memory"};
    const KnownState* newest = nullptr;
    std::uint64_t compared = 0;
    bool behind = false;
    for (const KnownState& state : report_.known) {
      if (state.from == KnownState::From::report || state.answer == Answer::not_asked) continue;
      if (newest == nullptr || state.size >= newest->size) newest = &state;
      compared += state.answer == Answer::not_compared ? 0 : 1;
      behind = behind || state.answer == Answer::behind;
    }
    if (newest == nullptr && input_.has_memory) verdict.text = "the memory held no state of this ledger; this one is the first, and says nothing of how new it is";
    if (newest == nullptr) return;
    const std::string what = newest->from == KnownState::From::pin ? "the pin's minimum" : "what was checked before";
    if (report_.counts.records == 0) {
      verdict = {Outcome::unknown, 0, "nothing could be checked"};
    } else if (behind) {
      verdict = {Outcome::incomplete, compared, "older than " + what};
    } else if (newest->answer == Answer::damaged) {
      verdict = {Outcome::unknown, compared, "the state in your --memory is damaged"};
    } else if (newest->answer == Answer::not_compared) {
      verdict = {Outcome::unknown, compared, "nothing shows how this belongs to " + what};
    } else if (newest->answer == Answer::differs) {
      verdict = {Outcome::unknown, compared, "another history than " + what};
    } else {
      verdict = {Outcome::pass, compared, "at least as new as " + what + ", size " + std::to_string(newest->size)};
    }
  }

  void disclosure() {
    const bool any = input_.commitments > 0;
    std::string text = any ? std::to_string(input_.opened) + " of " +
                                 plural(input_.commitments, "committed value", "committed values") + " opened"
                           : "no committed value";
    if (input_.erased > 0) text += ", " + std::to_string(input_.erased) + " erased";
    if (input_.withheld > 0) text += ", " + std::to_string(input_.withheld) + withheld_words();
    put(VerdictName::disclosure, any && input_.opened > 0 ? Outcome::pass : Outcome::none, input_.opened, text);
  }

  // Kinds with their numbers, and how to get them.
  std::string withheld_words() const {
    constexpr std::size_t named = 8;
    std::string out;
    for (std::size_t i = 0; i < report_.withheld.size() && i < named; ++i) {
      const WithheldKind& one = report_.withheld[i];
      out += (i == 0 ? " (" : ", ") + std::to_string(one.count) + " " + one.kind;
    }
    out += report_.withheld.size() > named ? ", ...)" : report_.withheld.empty() ? "" : ")";
    if (!report_.is_bundle) return out + " not kept, as the format allows";
    return out + " left out of the bundle, as its manifest says, or not kept: `ethos-ledger bundle --disclose all` puts in what was kept";
  }

  void policy() {
    const AuditCounts& n = report_.counts;
    const std::uint64_t judged = n.runs - n.late_runs;
    const Outcome clean = n.records == 0 ? Outcome::unknown : judged == 0 ? Outcome::none : Outcome::pass;
    put(VerdictName::policy, clean, n.runs_recomputed,
        judged == 0 ? "no run to judge"
                    : "grants of " + plural(n.runs_recomputed, "run", "runs") +
                          " recomputed and equal to what was granted and what the kernel showed");
    need_sound_records(VerdictName::policy);
  }

  // Records that are not the signed ones cannot show that anything was right.
  void need_sound_records(VerdictName name) {
    Verdict& verdict = report_.verdicts[static_cast<std::size_t>(name)];
    const bool sound = report_.verdict(VerdictName::integrity).outcome == Outcome::pass;
    if (verdict.outcome != Outcome::pass || sound) return;
    verdict.outcome = Outcome::unknown;
    verdict.text = "not judged: the records are not intact";
  }

  // Which of several, and how many.
  std::string failed_statements() const {
    const std::uint64_t failed = report_.findings.count(Code::assertion_failed) + report_.findings.count(Code::sarif_mismatch) + report_.findings.count(Code::report_mismatch);
    return failed > 1 ? "; " + std::to_string(failed) + " such findings in all, each named below" : "";
  }

  void statements() {
    const std::uint64_t n = input_.statements;
    put(VerdictName::statements, n == 0 ? Outcome::none : report_.counts.records == 0 ? Outcome::unknown : Outcome::pass, n,
        n == 0 ? "nothing was asked of its runs" : plural(n, "statement about it holds", "statements about it hold") + " (assertions, SARIF files, reports)");
    Verdict& verdict = report_.verdicts[static_cast<std::size_t>(VerdictName::statements)];
    if (verdict.outcome == Outcome::fail) verdict.text += failed_statements();
    need_sound_records(VerdictName::statements);
  }

  AuditReport& report_;
  const VerdictInput& input_;
};

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass: return "pass";
    case Outcome::fail: return "fail";
    case Outcome::incomplete: return "incomplete";
    case Outcome::unknown: return "unknown";
    case Outcome::none: return "none";
  }
  return "unknown";
}

void draw_verdicts(AuditReport& report, const VerdictInput& input) { Drawer(report, input).draw(); }

int exit_status(const AuditReport& report) {
  const int evidence = evidence_status(report);
  const Outcome statements = report.verdict(VerdictName::statements).outcome;
  if (evidence == 1 || statements == Outcome::fail) return 1;
  return statements == Outcome::unknown ? 3 : evidence;
}

int evidence_status(const AuditReport& report) {
  for (std::size_t i = 0; i < kVerdicts; ++i) {
    if (static_cast<VerdictName>(i) != VerdictName::statements && report.verdicts[i].outcome == Outcome::fail) return 1;
  }
  for (const VerdictName name : {VerdictName::integrity, VerdictName::signatures, VerdictName::trust, VerdictName::policy}) {
    if (report.verdict(name).outcome == Outcome::unknown) return 3;
  }
  const Outcome complete = report.verdict(VerdictName::completeness).outcome;
  if (complete == Outcome::unknown) return 3;
  const bool missing = complete == Outcome::incomplete ||
                       report.verdict(VerdictName::disclosure).outcome == Outcome::incomplete;
  return missing ? 4 : 0;
}

}  // namespace ethos::verify
