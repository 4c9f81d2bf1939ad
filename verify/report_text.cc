// SPDX-License-Identifier: Apache-2.0
#include "verify/report_text.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>

#include "verify/assertion_report.h"
#include "verify/build_version.h"
#include "verify/commands.h"
#include "verify/encoding.h"
#include "verify/run_known.h"
#include "verify/show_record.h"
#include "verify/times.h"
#include "verify/visits.h"

namespace ethos::verify {
namespace {

std::string_view shout(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass: return "PASS";
    case Outcome::fail: return "FAIL";
    case Outcome::incomplete: return "INCOMPLETE";
    case Outcome::unknown: return "UNKNOWN";
    case Outcome::none: return "-";
  }
  return "UNKNOWN";
}

void write_problem(std::ostream& out, const Problem& problem) {
  out << "  " << severity_name(code_info(problem.code).severity) << "  " << code_info(problem.code).name;
  if (problem.seq >= 0) out << "  record " << problem.seq;
  if (problem.offset >= 0) out << " byte " << problem.offset;
  if (!problem.run.empty()) out << "  run " << problem.run;
  out << ": " << problem.text << "\n";
  if (!problem.expected.empty()) out << "        expected " << printable(problem.expected, 300) << "\n";
  if (!problem.found.empty()) out << "        found    " << printable(problem.found, 300) << "\n";
}

const char* policy_word(RunPolicy policy) {
  switch (policy) {
    case RunPolicy::pass: return "pass";
    case RunPolicy::fail: return "FAIL";
    case RunPolicy::unknown: return "unknown";
  }
  return "";
}

std::string period_text(const ReportContext& context) { return context.period->days + " (" + context.zone_name + ")"; }

void write_answers(std::ostream& out, const ReportContext& context) {
  if (context.assertions.size() > 0) {
    out << "\nAssertions" << (context.period ? ", of the runs that began in " + period_text(context) : std::string()) << "\n";
  }
  for (const Value& v : context.assertions.items()) {
    out << "  " << std::left << std::setw(7) << v.text_at("result") << " " << printable(v.text_at("expr"), 300) << "  ("
        << assertion_count(v) << ")\n";
    for (const std::string& line : assertion_words(v)) out << "         " << line << "\n";
  }
  for (const Value& v : context.shown.items()) {
    out << "\nRecord " << v.at("seq").number() << "\n";
    for (const std::string& line : show_words(v, context.zone)) out << line << "\n";
  }
  if (context.run_known.is_object()) {
    out << "\nSince when run " << context.run_known.text_at("run") << " was there\n";
    for (const std::string& line : run_known_words(context.run_known, context.zone)) out << "  " << line << "\n";
    if (!context.at.empty()) out << "  it is in the state that --at " << printable(context.at, 200) << " names; since when you hold that, only you know\n";
  }
  if (context.since_visit.is_object()) out << "\n";
  for (const std::string& line : since_visit_words(context.since_visit, context.zone)) out << line << "\n";
  if (context.reports.size() > 0) out << "\nReports\n";
  for (const Value& v : context.reports.items()) {
    out << "  " << std::left << std::setw(8) << v.text_at("result") << printable(v.text_at("file"), 200) << "  " << printable(v.text_at("text"), 300) << "\n";
  }
  if (context.sarif.size() > 0) out << "\nSARIF\n";
  for (const Value& v : context.sarif.items()) {
    out << "  " << std::left << std::setw(8) << v.text_at("result") << printable(v.text_at("file"), 200) << "  "
        << v.at("kept").number() << " results kept, " << v.at("missing").number() << " missing, "
        << v.at("foreign").number() << " foreign: " << printable(v.text_at("text"), 300) << "\n";
  }
}

// Does the evidence itself hold, as far as it was checked, and only a statement about it not?
bool only_statements(const AuditReport& report) {
  for (std::size_t i = 0; i < kVerdicts; ++i) {
    if (static_cast<VerdictName>(i) != VerdictName::statements && report.verdicts[i].outcome == Outcome::fail) return false;
  }
  return report.verdict(VerdictName::statements).outcome == Outcome::fail;
}

// Is an open run all that is not complete?
bool only_open_runs(const AuditReport& report) {
  for (std::size_t i = 0; i < kCodes; ++i) {
    const CodeInfo& info = code_info(static_cast<Code>(i));
    if (info.severity == Severity::incomplete && info.code != Code::run_open && report.findings.count(info.code) > 0) return false;
  }
  return true;
}

std::string conclusion(const AuditReport& report, const ReportContext& context) {
  if (context.exit == exit_not_verified && only_statements(report)) {
    std::string rest;
    for (const VerdictName name : {VerdictName::integrity, VerdictName::signatures, VerdictName::trust, VerdictName::completeness, VerdictName::disclosure, VerdictName::policy}) {
      const Outcome outcome = report.verdict(name).outcome;
      if (outcome == Outcome::incomplete || outcome == Outcome::unknown) rest += (rest.empty() ? "" : ", ") + std::string(verdict_name(name)) + " is " + std::string(outcome_name(outcome));
    }
    return rest.empty() ? "NOT AS STATED: the evidence holds, but a statement about it does not." : "NOT AS STATED: a statement about it does not hold; nothing was found changed, but " + rest + ".";
  }
  const std::string among = context.period ? ", of the runs that began in " + period_text(context) : "";
  const std::string state = context.at.empty() || !report.checkpoint ? "" : ", of the state of " + std::to_string(report.checkpoint->size) + " records that --at names and of nothing later";
  switch (context.exit) {
    case exit_verified: return "VERIFIED: everything asked for was checked and holds" + state + (report.verdict(VerdictName::statements).checked > 0 ? among : "") + ".";
    case exit_not_verified: return "NOT VERIFIED: something was changed, forged or does not fit.";
    case exit_unverifiable: return "UNVERIFIABLE: nothing wrong was found, but something needed could not be checked.";
    case exit_incomplete: return "INCOMPLETE: what is there is intact, but " + (only_open_runs(report) ? std::string("runs have no end here: they may still have run when it was made, or their newest records are missing.") : std::string("something is missing."));
    default: return "";
  }
}

// All but the first bad one: of each code a few, so that many of one kind hide no other.
void write_others(std::ostream& out, const Findings& findings, const Problem* first) {
  constexpr std::uint64_t few = 3;
  constexpr std::size_t most = 24;
  std::array<std::uint64_t, kCodes> told{};
  std::size_t shown = 0;
  const auto head = [&] {
    if (shown++ == 0) out << (first != nullptr ? "\nAlso\n" : "\nRemarks\n");
  };
  for (const Problem& problem : findings.kept()) {
    std::uint64_t& of_code = told[static_cast<std::size_t>(problem.code)];
    if (first != nullptr && problem.text == first->text && problem.seq == first->seq && problem.code == first->code) {
      ++of_code;
      continue;
    }
    if (of_code >= few || shown == most) continue;
    ++of_code;
    head();
    write_problem(out, problem);
  }
  for (std::size_t i = 0; i < kCodes; ++i) {
    const auto code = static_cast<Code>(i);
    if (findings.count(code) <= told[i]) continue;
    head();
    out << "  " << severity_name(code_info(code).severity) << "  " << code_info(code).name << ": " << (told[i] > 0 ? "and " : "") << findings.count(code) - told[i]
        << (told[i] > 0 ? " more" : " times") << " (--json lists the first hundred problems)\n";
  }
}

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::remark: return "remark";
    case Severity::incomplete: return "incomplete";
    case Severity::unknown: return "unknown";
    case Severity::fail: return "fail";
  }
  return "";
}

bool write_text(std::ostream& out, const AuditReport& report, const ReportContext& context, Spool& runs) {
  out << "ethos-verify " << kBuildVersion << "   " << context.input_kind << " " << printable(context.input_path, 400)
      << (context.is_input_from_environment ? "   (named by $ETHOS_LEDGER; no file was given)" : "") << "\n";
  if (!report.how.empty()) out << "  " << report.how << "\n";
  if (!report.origin.empty()) out << "  origin      " << printable(report.origin, 300) << "\n";
  if (context.pin != nullptr) {
    out << "  pin         " << context.pin->fingerprint << "  (" << printable(context.pin_path, 300) << ")\n";
  } else {
    out << "  pin         none\n";
  }
  if (report.checkpoint) {
    out << "  checkpoint  size " << report.checkpoint->size << "  root " << report.checkpoint->root.base64() << "\n";
  }
  if (report.last_record_ms >= 0) {
    out << "  newest      the last record is of " << zoned_text(report.last_record_ms, context.zone) << ", by the host's clock; what came later is not in here\n";
  }
  if (context.period) {
    out << "  period      " << period_text(context) << ": " << context.period->runs << (context.period->runs == 1 ? " run" : " runs") << " of "
        << report.counts.runs << " began in it";
    if (context.period->dated_back > 0) out << ", " << context.period->dated_back << " of them dated before records that came earlier";
    if (context.period->after_step > 0) out << ", " << context.period->after_step << " of them after the host's clock was set";
    const std::uint64_t outside = report.counts.open_runs - std::min(report.counts.open_runs, context.period->open);
    if (report.counts.open_runs > 0) out << "; open runs: " << context.period->open << " of these, " << outside << " that began outside";
    if (report.counts.aborted_runs > 0) out << "; aborted: " << context.period->aborted << " of these";
    if (report.begins_seq > 0) {
      out << "\n              (of records from " << report.begins_seq
          << " on: an earlier run that is dated into it, from before the host's clock was set back, is not judged)";
    }
    out << "\n              (the verdicts above `statements` are of the whole ledger, whatever the period)\n";
  }
  out << "\n";
  for (std::size_t i = 0; i < kVerdicts; ++i) {
    const Verdict& verdict = report.verdicts[i];
    if (static_cast<VerdictName>(i) == VerdictName::statements && verdict.outcome == Outcome::none) continue;  // nothing was asked
    out << "  " << std::left << std::setw(13) << verdict_name(static_cast<VerdictName>(i)) << std::setw(11)
        << shout(verdict.outcome) << printable(verdict.text, 500) << "\n";
  }
  if (context.memory.is_object()) {
    out << "  " << std::left << std::setw(13) << "memory" << printable(context.memory.text_at("file"), 300) << ": " << memory_words(context.memory, context.zone) << "\n";
  }
  const Problem* first = report.findings.first_bad();
  if (first != nullptr) {
    // Where a statement does not hold, the record is a counter-example, and no bad one.
    const bool is_statement = code_info(first->code).verdict == VerdictName::statements;
    out << (is_statement ? "\nFirst that does not hold" : "\nFirst bad");
    if (first->seq >= 0) out << (is_statement ? ": shown by record " : " record: ") << first->seq;
    out << "\n";
    write_problem(out, *first);
    out << "        this means: " << code_info(first->code).meaning << "\n"
        << "        so: " << code_info(first->code).cause << "\n";
  }
  write_others(out, report.findings, first);
  write_answers(out, context);
  bool complete = true;
  if (!runs.empty()) {
    out << "\nRuns" << (context.period && context.run.empty() ? " that began in " + period_text(context) : std::string())
        << (context.zone_name == "UTC" ? ", times in UTC\n" : ", times of " + context.zone_name + "\n");
    complete = runs.copy_to(out);
  }
  for (const KnownState& state : report.known) {
    if (state.answer != KnownState::Answer::differs || !state.is_signed) continue;
    out << "\nTwo checkpoints of one ledger that contradict each other. Seen before:\n\n" << state.note << "\nand now:\n\n" << report.checkpoint_note;
    break;
  }
  out << "\n" << conclusion(report, context) << "\n";
  return complete && out.good();
}

namespace {

// Where ethos-run answered something else than the tool.
std::string tool_end_words(const RunEvidence& run, const Effective& e) {
  constexpr std::int64_t kSignalBase = 128;
  const Value& exit = run.close.at("exit");
  if (exit.has("code") && exit.at("code").number() != e.status)
    return " (which ended with " + std::to_string(exit.at("code").number()) + "), ethos-run";
  if (exit.has("signal") && kSignalBase + exit.at("signal").number() != e.status)
    return " (which signal " + std::to_string(exit.at("signal").number()) + " ended), ethos-run";
  return "";
}

// How it ended, and when; of what has no end of its own that too.
std::string end_words(const RunEvidence& run, const Effective& e, const Zone& zone) {
  const std::string last = zoned_text(run.last_ms, zone);
  switch (run.state) {
    case RunEvidence::State::closed:
      return "ended " + last + " by " + e.ended_by + tool_end_words(run, e) + " with status " + std::to_string(e.status) +
             (run.close.at("duration_ms").number() > 0 ? ", after " + duration_text(run.close.at("duration_ms").number()) : "");
    case RunEvidence::State::aborted:
      return "aborted: " + run.abort_story(zone) + "; what it did last may be unrecorded";
    case RunEvidence::State::opened: case RunEvidence::State::refused: case RunEvidence::State::running: break;
  }
  return "it has no end: it still ran, was killed, or its newest records are missing; the last record is of " + last;
}

std::string origin_words(const std::string& origin) {
  if (origin == "workspace") return "workspace (the file in the tool's own workspace)";
  if (origin == "learn") return "learn (a look of `ethos-run learn`, or a trial of its proposal: made up, at most all that the ceilings allow, and what the tool wrote was thrown away)";
  return origin;
}

// What an auditor must know of its time before anything else.
std::vector<std::string> marks_of(const RunEvidence& run, const Zone& zone) {
  std::vector<std::string> out;
  for (std::string text : {added_after_words(run, zone), dated_back_words(run, zone)}) {
    if (!text.empty()) out.push_back(std::move(text));
  }
  return out;
}

}  // namespace

std::string run_line(const RunEvidence& run, const RunJudgement& judgement, const Zone& zone) {
  const Effective& e = *judgement.effective;
  std::ostringstream out;
  out << "  " << run.id << "  " << zoned_text(run.wall_ms, zone) << "  " << std::left << std::setw(14) << printable(run.open.text_at("tool"), 40) << " "
      << std::setw(8) << (e.refused ? "refused" : run.state_name()) << " policy " << std::setw(8) << policy_word(judgement.policy);
  if (!e.refused) {
    out << "network " << e.network << ", writes ";
    if (e.write.empty()) out << "nothing";
    for (std::size_t i = 0; i < e.write.size(); ++i) out << (i > 0 ? ", " : "") << printable(e.write[i], 80);
    if (e.denials > 0) out << ", " << e.denials << (e.denials == 1 ? " act denied" : " acts denied");
    if (run.state == RunEvidence::State::closed) out << ", " << duration_text(run.close.at("duration_ms").number());
  }
  if (run.open.text_at("origin") == "learn") out << "; a run of `ethos-run learn`";
  for (const std::string& mark : marks_of(run, zone)) out << "; " << mark;
  out << "\n";
  return out.str();
}

std::string run_words(const RunEvidence& run, const RunJudgement& judgement, const Zone& zone) {
  const Effective& e = *judgement.effective;
  std::ostringstream out;
  out << "  run " << run.id << "  " << printable(run.open.text_at("tool"), 80) << "\n"
      << "    begun " << zoned_text(run.wall_ms, zone) << (run.is_after_step ? " (by a clock that was set before)" : "") << ", " << end_words(run, e, zone) << "\n"
      << "    records " << run.first_seq << " to " << run.last_seq << ", " << run.state_name() << ", declared by "
      << origin_words(run.open.text_at("origin")) << ", policy " << policy_word(judgement.policy);
  if (!judgement.why.empty()) out << " (" << judgement.why << ")";
  out << "\n";
  for (const std::string& mark : marks_of(run, zone)) out << "    " << mark << "\n";
  for (const std::string& line : effective_words(e)) out << "    " << line << "\n";
  if (judgement.used && !e.refused) {
    for (const std::string& line : used_words(*judgement.used)) out << "    " << line << "\n";
  }
  for (const Problem& problem : run.problems) write_problem(out, problem);
  return out.str();
}

void explain(std::ostream& out, const CodeInfo& info) {
  out << info.name << "\n  verdict  " << verdict_name(info.verdict) << " (" << severity_name(info.severity) << ")\n"
      << "  means    " << info.meaning << "\n  because  " << info.cause << "\n";
}

void list_codes(std::ostream& out) {
  for (std::size_t i = 0; i < kCodes; ++i) {
    const CodeInfo& info = code_info(static_cast<Code>(i));
    out << std::left << std::setw(23) << info.name << std::setw(13) << verdict_name(info.verdict) << info.meaning << "\n";
  }
}

}  // namespace ethos::verify
