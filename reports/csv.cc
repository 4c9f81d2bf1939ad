// SPDX-License-Identifier: Apache-2.0
#include "reports/csv.h"

#include <initializer_list>

#include "reports/tally_rows.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

bool starts_formula(std::string_view text) {
  if (text.empty()) return false;
  switch (decode_utf8(text, 0).code) {
    case '=':
    case '+':
    case '-':
    case '@':
    case 0xFF1D:
    case 0xFF0B:
    case 0xFF0D:
    case 0xFF20:
      return true;
    default:
      return false;
  }
}

class Table {
 public:
  Table(const Model& model, CsvText how, Sink& sink) : model_(model), how_(how), sink_(sink) {}
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() { sink_.write(line_); }

  void header(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) plain(name);
    end();
  }
  Table& text(std::string_view value) { return plain(csv_cell(value, how_)); }
  Table& text(NameId id) { return text(model_.text(id)); }
  template <typename Number>
  Table& number(Number value) {
    return plain(std::to_string(value));
  }
  Table& number_if(const std::optional<std::int64_t>& value) {
    return value ? number(*value) : plain("");
  }
  Table& empty() { return plain(""); }
  Table& ref(const Ref& ref) { return number(ref.seq).plain(leaf_text(ref)); }
  Table& ref_if(const std::optional<Ref>& one) { return one ? ref(*one) : empty().empty(); }
  // The local time a person reads, and UTC.
  Table& time(std::int64_t wall_ms) {
    return text(local_text(wall_ms / 1000, model_.zone)).plain(utc_ms_text(wall_ms));
  }
  Table& plain(std::string_view value) {
    if (is_first_) start_row();
    if (!is_first_) line_ += ',';
    is_first_ = false;
    line_ += value;
    return *this;
  }
  void end() {
    line_ += "\r\n";
    is_first_ = true;
    if (line_.size() < 65536) return;
    sink_.write(line_);
    line_.clear();
  }

 private:
  // A sheet that nobody vouches for says so in each row: rows are copied without their file name.
  void start_row() {
    if (model_.verified || !is_first_) return;
    line_ += "NOT VERIFIED";
    is_first_ = false;
  }

  const Model& model_;
  CsvText how_;
  Sink& sink_;
  std::string line_;
  bool is_first_ = true;
};

}  // namespace

std::string csv_cell(std::string_view text, CsvText how) {
  std::string value = visible(text);
  if (how == CsvText::neutralised && starts_formula(value)) value.insert(value.begin(), '\'');
  const bool edge_space = !value.empty() && (value.front() == ' ' || value.back() == ' ');
  if (!edge_space && value.find_first_of(",\"\r\n;\t") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void write_runs_csv(const Model& model, CsvText how, Sink& sink) {
  Table table(model, how, sink);
  table.header({"run",          "tool",           "state",       "in_force",      "started_local",
                "started_utc",  "ended_local",    "ended_utc",   "duration_ms",   "exit_code",
                "signal",       "status",         "ended_by",    "origin",        "profile",
                "class",        "network",        "git",         "observe",       "weaker",
                "sources",      "revision",       "exe",         "exe_sha256",    "caller_uid",
                "decision",     "denial_records", "denied_acts", "setup_denials", "limit_records",
                "limits_hit",   "gaps",           "lost_acts",   "exports",       "program_starts",
                "output_bytes", "max_rss_bytes",  "cpu_ms",      "problem",       "records",
                "opened_seq",   "opened_leaf",    "ended_seq",   "ended_leaf"});
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
    table.text(run.exe_path).text(run.exe_sha256).number(run.caller_uid).text(run.decision);
    table.number(run.denial_records).number(run.denied_acts).number(run.setup_denials);
    table.number(run.limit_records).text(run.limits_hit).number(run.gaps).number(run.lost_acts);
    table.number(run.exports);
    run.program_starts ? table.number(*run.program_starts) : table.empty();
    table.number(run.output_bytes).number(run.max_rss_bytes).number(run.cpu_ms);
    table.text(run.problem).number(run.records).ref(run.opened).ref_if(run.ended).end();
  }
}

void write_denials_csv(const Model& model, CsvText how, Sink& sink) {
  Table table(model, how, sink);
  table.header({"run", "tool", "at_local", "at_utc", "phase", "rule", "operation", "object",
                "capability", "outcome", "count", "errno", "mark", "source", "cause", "fix", "seq",
                "leaf"});
  for (const Denial& row : model.denials) {
    const Run& run = model.runs[row.run];
    table.text(run.id).text(run.tool).time(row.at_ms).text(row.phase).text(row.rule).text(
        row.operation);
    table.text(row.object)
        .plain(name_of(row.capability))
        .text(row.outcome)
        .number(row.count)
        .number(row.error);
    table.text(row.mark).text(row.source).text(row.cause).text(row.fix).ref(row.ref).end();
  }
}

void write_limits_csv(const Model& model, CsvText how, Sink& sink) {
  Table table(model, how, sink);
  table.header({"run", "tool", "at_local", "at_utc", "limit", "action", "observed", "value",
                "enforced_by", "mark", "source", "seq", "leaf"});
  for (const LimitEvent& row : model.limits) {
    const Run& run = model.runs[row.run];
    table.text(run.id)
        .text(run.tool)
        .time(row.at_ms)
        .text(row.limit)
        .text(row.action)
        .number(row.observed);
    table.number(row.value)
        .text(row.enforced_by)
        .text(row.mark)
        .text(row.source)
        .ref(row.ref)
        .end();
  }
}

void write_grants_csv(const Model& model, CsvText how, Sink& sink) {
  Table table(model, how, sink);
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

void write_exceptions_csv(const Model& model, CsvText how, Sink& sink) {
  Table table(model, how, sink);
  table.header({"kind", "run", "tool", "at_local", "at_utc", "rule", "tried", "happened",
                "approval", "seq", "leaf"});
  for (const Exception& row : model.exceptions) {
    const Run& run = model.runs[row.run];
    table.plain(name_of(row.kind))
        .text(run.id)
        .text(run.tool)
        .time(row.at_ms)
        .text(row.rule)
        .text(row.tried);
    table.text(row.happened).text(row.approval).ref(row.ref).end();
  }
}

void write_drift_csv(const Model& model, CsvText how, Sink& sink) {
  Table table(model, how, sink);
  table.header({"tool", "run", "at_local", "at_utc", "direction", "grant", "from", "to", "approval",
                "seq", "leaf", "before_seq", "before_leaf"});
  const GrantChange first{Direction::changed, NameId::none, "", ""};
  for (const Drift& row : model.drift) {
    const Run& run = model.runs[row.run];
    const auto line = [&](std::string_view direction, const GrantChange& change) {
      table.text(run.tool).text(run.id).time(run.started_ms).plain(direction).text(change.cap);
      table.text(change.before).text(change.after);
      table.text(run.decision == NameId::none ? "none recorded" : model.text(run.decision));
      table.ref(row.ref).ref_if(row.before).end();
    };
    if (!row.before) line("first_seen", first);
    for (const GrantChange& change : row.changes) line(name_of(change.direction), change);
  }
}

void write_controls_csv(const Model& model, CsvText how, Sink& sink) {
  Table table(model, how, sink);
  table.header({"framework", "control", "condition", "kind", "state", "statement", "missing_input",
                "shows", "does_not_show"});
  for (const ControlState& row : model.controls) {
    const ControlKind& kind = model.control_map.kinds[row.kind];
    for (const ControlId& control : kind.controls) {
      table.text(control.framework).text(control.id).text(control.condition).text(kind.kind);
      table.plain(name_of(row.state)).text(row.statement).text(row.missing).text(kind.shows);
      table.text(kind.does_not_show).end();
    }
  }
}

void write_counts_csv(const Model& model, CsvText how, Sink& sink) {
  Table table(model, how, sink);
  table.header({"figure", "period", "previous_period"});
  for (const TallyRow& row : tally_rows(model)) {
    table.plain(row.key).plain(row.now).plain(row.previous).end();
  }
  table.plain("exceptions").number(model.exceptions.size()).empty().end();
  table.plain("drift").number(model.drift.size()).empty().end();
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
  table.plain("verified").plain(model.verified ? "true" : "false").empty().end();
  for (const Verdict::Check& check : model.verdict.checks) {
    table.plain("verdict:" + check.name).text(check.result).empty().end();
  }
}

}  // namespace ethos::reports
