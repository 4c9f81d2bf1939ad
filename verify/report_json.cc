// SPDX-License-Identifier: Apache-2.0
#include "verify/report_json.h"

#include "verify/build_version.h"
#include "verify/encoding.h"

namespace ethos::verify {
namespace {

Value number(std::uint64_t n) { return Value::of(static_cast<std::int64_t>(n)); }

int weight(Outcome outcome) {
  switch (outcome) {
    case Outcome::fail: return 3;
    case Outcome::unknown: return 2;
    case Outcome::incomplete: return 1;
    case Outcome::pass: case Outcome::none: return 0;
  }
  return 2;
}

// The eight of version 1. There, what was asserted is part of `policy`: it is the graver of the two.
Value verdicts_json(const AuditReport& report) {
  Value out = Value::array();
  for (std::size_t i = 0; i < static_cast<std::size_t>(VerdictName::statements); ++i) {
    const auto name = static_cast<VerdictName>(i);
    const Verdict& statements = report.verdict(VerdictName::statements);
    const bool asked = name == VerdictName::policy && weight(statements.outcome) > weight(report.verdict(name).outcome);
    out.push(verdict_json(name, asked ? statements : report.verdict(name)));
  }
  return out;
}

Value counts_json(const AuditCounts& counts) {
  Value v = Value::object();
  v.set("records", number(counts.records)).set("runs", number(counts.runs));
  v.set("checkpoints", number(counts.checkpoints)).set("signatures", number(counts.signatures));
  v.set("grants", number(counts.grants)).set("denials", number(counts.denials));
  v.set("commitments", number(counts.commitments));
  v.set("disclosures", number(counts.disclosures)).set("blobs", number(counts.blobs));
  v.set("open_runs", number(counts.open_runs)).set("aborted_runs", number(counts.aborted_runs));
  v.set("late_runs", number(counts.late_runs));
  v.set("runs_recomputed", number(counts.runs_recomputed));
  return v;
}

// The notes only where they contradict what was found.
Value known_json(const std::vector<KnownState>& known) {
  constexpr const char* kFrom[] = {"pin", "memory", "report"};
  constexpr const char* kAnswers[] = {"held", "behind", "differs", "not_compared", "not_asked", "damaged"};
  Value out = Value::array();
  for (const KnownState& state : known) {
    Value v = Value::object();
    v.set("from", Value::of(kFrom[static_cast<std::size_t>(state.from)])).set("size", number(state.size));
    v.set("root", Value::of(state.root.base64())).set("answer", Value::of(kAnswers[static_cast<std::size_t>(state.answer)]));
    if (state.at_ms > 0) v.set("at_ms", Value::of(state.at_ms));
    if (state.answer == KnownState::Answer::differs && !state.note.empty()) v.set("note", Value::of(state.note));
    if (state.answer == KnownState::Answer::differs && state.from == KnownState::From::memory) v.set("signed", Value::of(state.is_signed));
    state.marks.write(v);
    if (state.found) v.set("kept_held", Value::of(*state.found == *state.marks.kept));
    out.push(std::move(v));
  }
  return out;
}

Value keys_json(const AuditReport& report) {
  Value out = Value::array();
  for (const EpochBook::Change& change : report.key_changes) {
    Value v = Value::object();
    v.set("seq", Value::of(change.seq)).set("at_ms", Value::of(change.at_ms)).set("reason", Value::of(change.reason)).set("vkey", Value::of(change.vkey));
    out.push(std::move(v));
  }
  return out;
}

std::string_view policy_name(RunPolicy policy) {
  switch (policy) {
    case RunPolicy::pass: return "pass";
    case RunPolicy::fail: return "fail";
    case RunPolicy::unknown: return "unknown";
  }
  return "unknown";
}

}  // namespace

Value verdict_json(VerdictName name, const Verdict& verdict) {
  Value v = Value::object();
  v.set("name", Value::of(verdict_name(name)));
  v.set("result", Value::of(outcome_name(verdict.outcome)));
  v.set("checked", number(verdict.checked));
  v.set("text", Value::of(verdict.text));
  return v;
}

Value period_json(const ReportContext& context) {
  if (!context.period) return {};
  Value v = Value::object();
  v.set("days", Value::of(context.period->days)).set("zone", Value::of(context.zone_name));
  v.set("from_ms", Value::of(context.period->from_ms)).set("until_ms", Value::of(context.period->until_ms));
  v.set("runs", number(context.period->runs)).set("runs_after_step", number(context.period->after_step));
  v.set("runs_dated_back", number(context.period->dated_back));
  v.set("open_runs", number(context.period->open)).set("aborted_runs", number(context.period->aborted));
  if (context.period->from_record > 0) v.set("from_record", Value::of(context.period->from_record));
  return v;
}

Value digests_json(const ReportContext& context) {
  Value out = Value::array();
  for (const NamedDigest& file : context.digests) {
    Value v = Value::object();
    v.set("what", Value::of(file.what)).set("file", Value::of(printable(file.name, 4000))).set("sha256", Value::of(file.sha256));
    out.push(std::move(v));
  }
  return out;
}

Value problem_json(const Problem& problem) {
  Value v = Value::object();
  v.set("seq", Value::of(problem.seq)).set("code", Value::of(code_info(problem.code).name));
  v.set("offset", Value::of(problem.offset));
  v.set("expected", Value::of(problem.expected)).set("found", Value::of(problem.found));
  v.set("text", Value::of(problem.text));
  if (!problem.run.empty()) v.set("run", Value::of(problem.run));
  return v;
}

Value run_json(const RunEvidence& run, const RunJudgement& judgement) {
  Value v = Value::object();
  v.set("run", Value::of(run.id)).set("tool", Value::of(run.open.text_at("tool")));
  v.set("state", Value::of(run.state_name()));
  v.set("first_seq", Value::of(run.first_seq)).set("last_seq", Value::of(run.last_seq));
  v.set("records", number(run.records)).set("started_ms", Value::of(run.wall_ms));
  v.set("last_ms", Value::of(run.last_ms)).set("after_step", Value::of(run.is_after_step));
  if (run.dated_back.is_told()) {
    Value back = Value::object();
    back.set("seq", Value::of(run.dated_back.seq)).set("newest_ms", Value::of(run.dated_back.newest_ms));
    v.set("dated_back", std::move(back));
  }
  if (run.added_after.size > 0) {
    Value after = Value::object();
    after.set("size", number(run.added_after.size)).set("at_ms", Value::of(run.added_after.at_ms));
    after.set("dated_before", Value::of(run.added_after.is_dated_before));
    v.set("added_after", std::move(after));
  }
  if (run.close.is_object()) v.set("duration_ms", Value::of(run.close.at("duration_ms").number()));
  if (!run.abort_reason.empty()) v.set("aborted", Value::of(run.abort_reason));
  if (run.own_last_seq >= 0) {
    v.set("own_last_seq", Value::of(run.own_last_seq)).set("own_last_ms", Value::of(run.own_last_ms));
    if (run.recovered_after_ms >= 0) v.set("recovered_after_ms", Value::of(run.recovered_after_ms));
  }
  if (judgement.used) v.set("used", used_json(*judgement.used));
  v.set("policy", Value::of(policy_name(judgement.policy)));
  if (!judgement.why.empty()) v.set("why", Value::of(judgement.why));
  Value problems = Value::array();
  for (const Problem& problem : run.problems) problems.push(problem_json(problem));
  v.set("problems", std::move(problems)).set("effective", effective_json(*judgement.effective));
  return v;
}

bool write_json(std::ostream& out, const AuditReport& report, const ReportContext& context, Spool& runs) {
  const auto member = [&](const char* key, const Value& value) {
    out << ",\"" << key << "\":" << encode_canonical(value);
  };
  out << "{\"format\":\"ethos-verdict/1\"";
  member("verifier", Value::of(std::string(kBuildVersion)));
  Value input = Value::object();
  input.set("kind", Value::of(context.input_kind)).set("path", Value::of(context.input_path));
  input.set("how", Value::of(report.how));
  member("input", input);
  member("exit", Value::of(std::int64_t{context.exit}));
  Value pin;  // encodes as null
  if (context.pin != nullptr) {
    pin = Value::object();
    pin.set("origin", Value::of(context.pin->origin)).set("fingerprint", Value::of(context.pin->fingerprint));
    pin.set("genesis", Value::of(context.pin->genesis.base64()));
  }
  member("pin", pin);
  member("origin", report.origin.empty() ? Value() : Value::of(report.origin));
  Value checkpoint;
  if (report.checkpoint) {
    checkpoint = Value::object();
    checkpoint.set("size", number(report.checkpoint->size)).set("root", Value::of(report.checkpoint->root.base64()));
    checkpoint.set("note", Value::of(report.checkpoint_note));
  }
  member("checkpoint", checkpoint);
  member("verdicts", verdicts_json(report));
  member("recomputed", verdict_json(VerdictName::policy, report.verdict(VerdictName::policy)));
  member("statements", verdict_json(VerdictName::statements, report.verdict(VerdictName::statements)));
  member("period", period_json(context));
  member("inputs", digests_json(context));
  member("counts", counts_json(report.counts));
  const Problem* first = report.findings.first_bad();
  member("first_bad", first == nullptr ? Value() : problem_json(*first));
  Value problems = Value::array();
  for (const Problem& problem : report.findings.kept()) problems.push(problem_json(problem));
  member("problems", problems);
  member("problems_total", number(report.findings.total()));
  member("sarif", context.sarif);
  member("assertions", context.assertions);
  member("reports", context.reports);
  member("run_known", context.run_known);
  member("memory", context.memory);
  member("since_visit", context.since_visit);
  member("shown", context.shown);
  member("witnesses", context.witnesses);
  member("known", known_json(report.known));
  member("pruned", report.pruned.json());
  Value stamps = Value::object();
  stamps.set("recorded", number(report.anchors.stamps)).set("good", number(report.anchors.good)).set("unknown", number(report.anchors.unknown));
  if (report.anchors.good > 0) {
    stamps.set("size", number(report.anchors.points.back().size)).set("at_ms", Value::of(report.anchors.points.back().at_ms));
  }
  member("time_stamps", stamps);
  Value withheld = Value::array();
  for (const WithheldKind& one : report.withheld) {
    Value v = Value::object();
    Value records = Value::array();
    for (const std::int64_t seq : one.records) records.push(Value::of(seq));
    v.set("kind", Value::of(one.kind)).set("count", number(one.count)).set("records", std::move(records));
    withheld.push(std::move(v));
  }
  member("withheld", withheld);
  member("clock", report.clock.json());
  member("keys", keys_json(report));
  out << ",\"runs\":[";
  const bool complete = runs.copy_to(out);
  out << "]}\n";
  return complete && out.good();
}

}  // namespace ethos::verify
