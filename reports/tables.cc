// SPDX-License-Identifier: Apache-2.0
#include "reports/tables.h"

#include <array>

#include "reports/acts.h"
#include "reports/control_judge.h"
#include "reports/coverage.h"
#include "reports/drift.h"
#include "reports/grant_compare.h"
#include "reports/limit_forms.h"
#include "reports/limit_words.h"
#include "reports/period.h"
#include "reports/programs.h"
#include "reports/results.h"
#include "reports/tally_rows.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

void fill_runs(const Model& model, Table& table) {
  table.header({"run",
                "tool",
                "state",
                "in_force",
                "started_local",
                "started_utc",
                "ended_local",
                "ended_utc",
                "duration_ms",
                "exit_code",
                "signal",
                "status",
                "ended_by",
                "origin",
                "profile",
                "class",
                "network",
                "git",
                "observe",
                "weaker",
                "sources",
                "revision",
                "exe",
                "exe_sha256",
                "caller_uid",
                "decision",
                "denial_records",
                "denied_acts",
                "setup_denials",
                "limit_records",
                "limits_hit",
                "gaps",
                "lost_acts",
                "exports",
                "program_starts",
                "output_bytes",
                "max_rss_bytes",
                "cpu_ms",
                "problem",
                "records",
                "opened_seq",
                "opened_leaf",
                "ended_seq",
                "ended_leaf",
                "last_seq",
                "last_leaf",
                "status_meaning",
                "arguments",
                "command",
                "interpreter",
                "interpreter_sha256",
                "ceilings",
                "declaration_commitment",
                "interpreters",
                "declaration_sha256"});
  for (const Run& run : model.runs) {
    table.text(run.id)
        .text(run.tool)
        .plain(name_of(run.state))
        .plain(run.enforced ? "true" : "false");
    table.time(run.started_ms);
    run.ended ? table.time(run.ended_ms) : table.empty().empty();
    table.number(run.duration_ms).number_if(run.exit_code).number_if(run.signal).number(run.status);
    table.text(run.ended_by).text(run.origin).text(run.profile).text(run.cage).text(run.network);
    table.text(run.git).text(run.observe).text(run.weaker).text(run.sources).text(run.revision);
    table.text(run.exe_path).text(run.exe_sha256).figure(model.text(run.caller)).text(run.decision);
    table.number(run.denial_records).number(run.denied_acts).number(run.setup_denials);
    table.number(run.limit_records).text(run.limits_hit).number(run.gaps).number(run.lost_acts);
    table.number(run.exports);
    run.program_starts ? table.number(*run.program_starts) : table.empty();
    table.number(run.output_bytes).number(run.max_rss_bytes).number(run.cpu_ms);
    table.text(run.problem).number(run.records).ref(run.opened).ref_if(run.ended);
    table.ref(run.last).text(status_meaning(model, run));
    table.number(run.argc).text(run.command).text(run.interpreter);
    table.text(run.interpreter_sha256).text(run.ceilings).plain(run.declaration);
    table.text(interpreters_text(model, run.interpreters)).text(run.declaration_sha256).end();
  }
}

void fill_denials(const Model& model, Table& table) {
  table.header({"run",       "tool",   "at_local",   "at_utc",    "phase", "rule",
                "operation", "object", "capability", "outcome",   "count", "errno",
                "answer",    "mark",   "source",     "cause",     "fix",   "seq",
                "leaf",      "act",    "nature",     "refused_by"});
  for (const Denial& row : model.denials) {
    const Run& run = model.runs[row.run];
    table.text(run.id).text(run.tool).time(row.at_ms).text(row.phase).text(row.rule).text(
        row.operation);
    table.text(row.object)
        .plain(name_of(row.capability))
        .text(row.outcome)
        .number(row.count)
        .number(row.error)
        .text(answer_text(model, row));
    table.text(row.mark).text(row.source).text(row.cause).text(row.fix).ref(row.ref);
    table.text(act_words(model.text(row.operation), row.access));
    table.plain(name_of(nature_of(model, row))).plain(refuser_of(model, row).code).end();
  }
}

void fill_limits(const Model& model, Table& table) {
  table.header({"run", "tool", "at_local", "at_utc", "limit", "action", "observed", "value",
                "enforced_by", "mark", "source", "seq", "leaf", "outcome", "presumed"});
  for (const LimitEvent& row : model.limits) {
    const Run& run = model.runs[row.run];
    table.text(run.id)
        .text(run.tool)
        .time(row.at_ms)
        .text(row.limit)
        .text(row.action)
        .number(row.observed);
    table.number(row.value).text(row.enforced_by).text(row.mark).text(row.source).ref(row.ref);
    const LimitRecord record = record_of(model, row);
    table.text(limit_outcome(record)).plain(is_presumed(record) ? "true" : "false").end();
  }
}

void fill_limit_forms(const Model& model, Table& table) {
  table.header({"limit", "enforced_by", "runs", "seen", "words", "first_seq", "first_leaf"});
  for (const LimitForm& row : model.limit_forms) {
    table.text(row.limit).text(row.by).number(row.runs).plain(name_of(row.seen));
    table.text(seen_text(model.text(row.limit), model.text(row.by))).ref(row.first).end();
  }
}

void fill_programs(const Model& model, Table& table) {
  table.header({"tool", "exe", "exe_sha256", "interpreter", "interpreter_sha256", "runs", "started",
                "first_local", "first_utc", "first_seq", "first_leaf", "last_local", "last_utc",
                "last_seq", "last_leaf", "interpreters"});
  for (const ProgramUse& row : model.programs) {
    table.text(row.tool).text(row.path).text(row.digest).text(row.interpreter);
    table.text(row.interpreter_digest).number(row.runs).number(row.started);
    table.time(row.first_ms).ref(row.first).time(row.last_ms).ref(row.last);
    table.text(interpreters_text(model, row.interpreters)).end();
  }
}

void fill_artifacts(const Model& model, Table& table) {
  table.header({"run", "tool", "at_local", "at_utc", "kind", "action", "path", "sha256", "size",
                "results", "seq", "leaf", "own_results", "converter", "breaks_schema"});
  for (const Artifact& row : model.artifacts) {
    const Run& run = model.runs[row.run];
    table.text(run.id).text(run.tool).time(row.at_ms);
    table.plain(row.is_sarif ? "sarif" : "exported").text(row.action).text(row.path);
    table.text(row.digest);
    row.is_sarif ? table.empty().number(row.results) : table.number(row.size).empty();
    table.ref(row.ref);
    row.is_sarif ? table.number(own_results(model, row)) : table.empty();
    table.text(row.converter);
    row.is_sarif ? table.plain(row.breaks_schema ? "true" : "false") : table.empty();
    table.end();
  }
}

void fill_grants(const Model& model, Table& table) {
  table.header({"tool", "grant", "capability", "object", "detail", "value", "use", "runs",
                "used_runs", "exports", "discarded_runs", "peak", "first_seq", "first_leaf",
                "last_seq", "last_leaf", "first_use_seq", "first_use_leaf"});
  for (const GrantRow& row : model.grant_rows) {
    const bool is_limit = row.grant.capability == Capability::limits;
    const bool has_use = row.grant.use == Use::observed && !is_limit;
    table.text(row.tool)
        .text(row.grant.cap)
        .plain(name_of(row.grant.capability))
        .text(row.grant.object);
    table.text(row.grant.detail);
    is_limit ? table.number(row.grant.value) : table.empty();
    table.plain(name_of(row.grant.use)).number(row.runs);
    has_use ? table.number(row.used_runs).number(row.acts).number(row.discarded_runs)
            : table.empty().empty().empty();
    row.has_peak ? table.number(row.peak) : table.empty();
    table.ref(row.first).ref(row.last).ref_if(row.first_use).end();
  }
}

void fill_exceptions(const Model& model, Table& table) {
  table.header({"kind", "run", "tool", "at_local", "at_utc", "rule", "tried", "happened",
                "approval", "seq", "leaf", "refused_by"});
  for (const Exception& row : model.exceptions) {
    const Run& run = model.runs[row.run];
    table.plain(name_of(row.kind))
        .text(run.id)
        .text(run.tool)
        .time(row.at_ms)
        .text(row.rule)
        .text(row.tried);
    table.text(row.happened).text(row.approval).ref(row.ref).plain(row.refused_by).end();
  }
}

void fill_drift(const Model& model, Table& table) {
  table.header({"tool", "run", "at_local", "at_utc", "direction", "grant", "from", "to", "approval",
                "seq", "leaf", "before_seq", "before_leaf"});
  const GrantChange first;
  for (const Drift& row : model.drift) {
    const Run& run = model.runs[row.run];
    const auto line = [&](std::string_view direction, const GrantChange& change) {
      table.text(run.tool).text(run.id).time(run.started_ms).plain(direction).text(change.cap);
      table.text(grant_text(change.before, model)).text(grant_text(change.after, model));
      table.text(approval_text(run.decision, model)).ref(row.ref).ref_if(row.before).end();
    };
    if (!row.before) line("first_seen", first);
    for (const GrantChange& change : row.changes) line(name_of(change.direction), change);
  }
}

void fill_comparison(const Model& model, Table& table) {
  table.header({"tool", "origin", "state", "direction", "grant", "from", "to", "approval",
                "since_utc", "since_seq", "since_leaf", "seq", "leaf", "before_seq",
                "before_leaf"});
  const GrantChange none;
  for (const ComparedTool& row : model.comparison.tools) {
    const auto line = [&](std::string_view direction, const GrantChange& change) {
      table.text(row.tool).text(row.origin).plain(name_of(row.state)).plain(direction);
      table.text(change.cap).text(grant_text(change.before, model));
      table.text(grant_text(change.after, model)).text(approval_text(row.decision, model));
      row.since ? table.plain(utc_ms_text(row.since_ms)) : table.empty();
      table.ref_if(row.since).ref_if(row.to).ref_if(row.from).end();
    };
    if (row.changes.empty() && row.grants.empty()) line("", none);
    for (const GrantId id : row.grants) {
      const bool is_new = row.state == ComparedTool::State::added;
      GrantChange one{Direction::changed, model.grants[static_cast<std::size_t>(id)].cap, {}, {}};
      (is_new ? one.after : one.before) = id;
      line(is_new ? "added" : "removed", one);
    }
    for (const GrantChange& change : row.changes) line(name_of(change.direction), change);
  }
}

void fill_controls(const Model& model, Table& table) {
  table.header({"framework", "control", "condition", "kind", "state", "statement", "missing_input",
                "shows", "does_not_show"});
  for (const ControlState& row : model.controls) {
    const ControlKind& kind = model.control_map.kinds[row.kind];
    for (const ControlId& control : kind.controls) {
      table.text(control.framework).text(control.id).text(control.condition).text(kind.kind);
      table.plain(name_of(row.state)).text(row.statement).text(row.missing);
      table.text(says_text(row, kind));
      table.text(kind.does_not_show).end();
    }
  }
}

void fill_counts(const Model& model, Table& table) {
  table.header({"figure", "period", "previous_period"});
  for (const TallyRow& row : tally_rows(model)) {
    table.plain(row.key).digits(row.now);
    // A figure of a time that no record can speak about is none, not 0.
    model.covered_before.state == Coverage::State::none ? table.empty()
                                                        : table.digits(row.previous);
    table.end();
  }
  table.plain("covered").plain(name_of(model.covered.state));
  table.plain(name_of(model.covered_before.state)).end();
  table.plain("exceptions").number(model.exceptions.size()).empty().end();
  table.plain("drift").number(model.drift.size()).empty().end();
  table.plain("drift:changed_sets")
      .number(static_cast<std::int64_t>(model.drift.size()) - model.first_sets());
  table.empty().end();
  table.plain("drift:first_sets").number(model.first_sets()).empty().end();
  using State = ComparedTool::State;
  for (const State one : {State::same, State::changed, State::added, State::removed}) {
    table.plain("comparison:" + std::string(name_of(one))).number(model.comparison.count(one));
    table.empty().end();
  }
  table.plain("comparison:widened").number(model.comparison.widened()).empty().end();
  table.plain("comparison:unapproved").number(model.comparison.unapproved()).empty().end();
  table.plain("open_at_start").number(model.open_at_start).empty().end();
  table.plain("open_at_end").number(model.open_at_end).empty().end();
  for (const TieOutRow& row : model.tie_out) {
    // `records:TYPE:PLACE`, so that every cell of the tie-out table has a line of its own.
    const std::string name = "records:" + row.type + ":";
    table.plain(name + "period").number(row.period).empty().end();
    table.plain(name + "before").number(row.before).empty().end();
    table.plain(name + "after").number(row.after).empty().end();
    table.plain(name + "ledger").number(row.ledger).empty().end();
  }
  for (const CommittedKind& row : model.commitments)
    table.plain("commitments:" + row.kind).number(row.values).empty().end();
  table.plain("verified").plain(model.verified ? "true" : "false").empty().end();
  for (const Verdict::Check& check : model.verdict.checks) {
    table.plain("verdict:" + check.name).text(check.result).empty().end();
  }
}

void fill_allowed(const Model& model, Table& table) {
  table.header({"tool", "capability", "state", "runs_in_force", "granted", "used", "unused",
                "use_not_recorded", "tried", "acts", "first_granted_seq", "first_granted_leaf",
                "first_used_seq", "first_used_leaf", "first_tried_seq", "first_tried_leaf"});
  for (const MatrixRow& row : model.matrix) {
    for (std::size_t i = 0; i < kCapabilities; ++i) {
      const auto capability = static_cast<Capability>(i);
      const MatrixCell& cell = row.cells[i];
      table.text(row.tool).plain(name_of(capability)).plain(cell_words(cell, capability).state);
      table.number(row.in_force).number(cell.granted).number(cell.used).number(cell.unused);
      table.number(cell.unrecorded).number(cell.tried).number(cell.acts);
      table.ref_if(cell.first_granted).ref_if(cell.first_used).ref_if(cell.first_tried).end();
    }
  }
}

void fill_rules(const Model& model, Table& table) {
  table.header({"phase", "rule", "records", "acts", "runs", "first_seq", "first_leaf"});
  for (const RuleRow& row : model.rules) {
    table.text(row.phase).text(row.rule).number(row.records).number(row.acts).number(row.runs);
    table.ref(row.first).end();
  }
}

void fill_stretches(const Model& model, Table& table) {
  table.header({"start", "unit", "from_utc", "until_utc", "hours", "runs", "refused",
                "denial_records", "denied_acts", "limit_records", "covered"});
  for (const BucketRow& row : model.buckets) {
    table.plain(row.bucket.label).plain(model.bucket_unit);
    table.plain(utc_text(row.bucket.from)).plain(utc_text(row.bucket.until));
    table.number((row.bucket.until - row.bucket.from) / 3600);
    if (row.is_unknown()) {
      table.empty().empty().empty().empty().empty();
    } else {
      table.number(row.runs).number(row.refused);
      table.number(row.denial_records).number(row.denied_acts).number(row.limit_records);
    }
    table.plain(name_of(row.covered)).end();
  }
}

void fill_gaps(const Model& model, Table& table) {
  table.header({"run", "tool", "at_local", "at_utc", "reason", "source", "lost", "seq", "leaf"});
  for (const Gap& row : model.gaps) {
    const Run& run = model.runs[row.run];
    table.text(run.id).text(run.tool).time(row.at_ms).text(row.reason).text(row.source);
    table.number(row.lost).ref(row.ref).end();
  }
}

void fill_keys(const Model& model, Table& table) {
  table.header(
      {"epoch", "vkey", "reason", "at_local", "at_utc", "first_seq", "last_seq", "seq", "leaf"});
  for (const KeyEpoch& row : model.epochs) {
    table.number(row.epoch).text(row.vkey).text(row.reason).time(row.at_ms).number(row.first_seq);
    table.number(row.last_seq).ref(row.ref).end();
  }
}

void fill_redactions(const Model& model, Table& table) {
  table.header({"field", "match", "reason", "values", "places"});
  if (!model.redaction) return;
  for (const RedactionRule& rule : model.redaction->rules) {
    table.text(rule.field).text(rule.match).text(rule.reason).number(rule.values);
    table.number(rule.places).end();
  }
}

void fill_sample(const Model& model, Table& table) {
  table.header({"number", "run", "tool", "started_local", "started_utc", "state", "opened_seq",
                "opened_leaf"});
  if (!model.sample) return;
  std::uint64_t number = 0;
  for (const std::uint32_t pick : model.sample->picks) {
    const Run& run = model.runs[pick];
    table.number(++number).text(run.id).text(run.tool).time(run.started_ms);
    table.plain(name_of(run.state)).ref(run.opened).end();
  }
}

}  // namespace

std::span<const TableKind> all_tables() {
  static constexpr std::array<TableKind, 19> kTables = {{
      {"counts", "Figures", fill_counts},
      {"exceptions", "Exceptions", fill_exceptions},
      {"allowed", "Allowed versus used", fill_allowed},
      {"grants", "Grants", fill_grants},
      {"rules", "Denials by rule", fill_rules},
      {"stretches", "Over the period", fill_stretches},
      {"denials", "Denials", fill_denials},
      {"limits", "Limits", fill_limits},
      {"limit_forms", "Limits in force", fill_limit_forms},
      {"gaps", "Lost events", fill_gaps},
      {"programs", "Programs by digest", fill_programs},
      {"artifacts", "Files by digest", fill_artifacts},
      {"comparison", "Grants compared", fill_comparison},
      {"drift", "Drift of grants", fill_drift},
      {"controls", "Evidence by control", fill_controls},
      {"keys", "Keys", fill_keys},
      {"redactions", "Redactions", fill_redactions},
      {"sample", "Sample", fill_sample},
      {"runs", "Runs", fill_runs},
  }};
  return kTables;
}

}  // namespace ethos::reports
