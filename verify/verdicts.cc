// SPDX-License-Identifier: Apache-2.0
#include "verify/verdicts.h"

#include <string>

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
  const Severity worst = findings.worst(name);
  for (const Problem& problem : findings.kept()) {
    const CodeInfo& info = code_info(problem.code);
    if (info.verdict != name || info.severity != worst) continue;
    std::string out = problem.text;
    if (problem.seq >= 0) out = "record " + std::to_string(problem.seq) + ": " + out;
    return out;
  }
  return "see the problems listed";
}

class Drawer {
 public:
  Drawer(AuditReport& report, const VerdictInput& input) : report_(report), input_(input) {}

  void draw() {
    const AuditCounts& n = report_.counts;
    const bool read = n.records > 0;
    put(VerdictName::integrity, read ? Outcome::pass : Outcome::unknown, n.records,
        plural(n.records, "record", "records") + std::string(input_.is_run ? " of one run and its keys, each proved to be in the signed tree" : " in one unbroken chain and tree"));
    put(VerdictName::signatures, n.signatures > 0 ? Outcome::pass : Outcome::unknown, n.signatures,
        plural(n.signatures, "signature", "signatures") + " under " +
            plural(n.checkpoints, "checkpoint", "checkpoints") + " right");
    put(VerdictName::trust, read && input_.has_pin ? Outcome::pass : Outcome::unknown, input_.has_pin ? 3 : 0,
        "origin, first record and root key are the pinned ones");
    put(VerdictName::completeness, read ? Outcome::pass : Outcome::unknown, n.runs, completeness());
    freshness();
    put(VerdictName::time, Outcome::none, 0, "times are what the host's own clock said; no outside anchor");
    disclosure();
    policy();
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

  std::string completeness() const {
    std::string out = input_.is_run ? "the run has an end and no hole; other records of the ledger are not in the bundle"
                                    : "every run has an end; the last checkpoint covers all records";
    if (report_.counts.aborted_runs > 0) {
      out += "; " + plural(report_.counts.aborted_runs, "run was", "runs were") + " ended by recovery after a crash";
    }
    if (report_.counts.late_runs > 0) {
      out += "; of " + plural(report_.counts.late_runs, "run", "runs") + " the beginning is not in the bundle";
    }
    return out;
  }

  void freshness() {
    Verdict& verdict = report_.verdicts[static_cast<std::size_t>(VerdictName::freshness)];
    verdict = {Outcome::none, 0, "nothing outside the ledger says how new it is; give a pin with a minimum"};
    if (!input_.has_pin_minimum) return;
    const bool behind = report_.findings.count(Code::behind_pin) > 0;
    verdict = {behind ? Outcome::incomplete : Outcome::pass, 1,
               behind ? "older than the pin's minimum" : "at least as new as the pin's minimum"};
    if (report_.counts.records == 0) verdict = {Outcome::unknown, 0, "nothing could be checked"};
  }

  void disclosure() {
    const bool any = input_.commitments > 0;
    std::string text = any ? std::to_string(input_.opened) + " of " +
                                 plural(input_.commitments, "committed value", "committed values") + " opened"
                           : "no committed value";
    if (input_.erased > 0) text += ", " + std::to_string(input_.erased) + " erased";
    if (input_.withheld > 0) text += ", " + std::to_string(input_.withheld) + " not kept or withheld";
    put(VerdictName::disclosure, any && input_.opened > 0 ? Outcome::pass : Outcome::none, input_.opened, text);
  }

  void policy() {
    const AuditCounts& n = report_.counts;
    const std::uint64_t judged = n.runs - n.late_runs;
    const Outcome clean = n.records == 0 ? Outcome::unknown : judged == 0 ? Outcome::none : Outcome::pass;
    put(VerdictName::policy, clean, n.runs_recomputed,
        judged == 0 ? "no run to judge"
                    : "grants of " + plural(n.runs_recomputed, "run", "runs") +
                          " recomputed and equal to what was granted and what the kernel showed");
    Verdict& verdict = report_.verdicts[static_cast<std::size_t>(VerdictName::policy)];
    // Records that are not the signed ones cannot show that anything was right.
    const bool sound = report_.verdict(VerdictName::integrity).outcome == Outcome::pass;
    if (verdict.outcome == Outcome::pass && !sound) {
      verdict.outcome = Outcome::unknown;
      verdict.text = "not judged: the records are not intact";
    }
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
  for (const Verdict& verdict : report.verdicts) {
    if (verdict.outcome == Outcome::fail) return 1;
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
