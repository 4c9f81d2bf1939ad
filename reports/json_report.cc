// SPDX-License-Identifier: Apache-2.0
#include "reports/json_report.h"

#include "reports/acts.h"
#include "reports/comparison_json.h"
#include "reports/control_judge.h"
#include "reports/coverage.h"
#include "reports/grant_compare.h"
#include "reports/json_parts.h"
#include "reports/limit_forms.h"
#include "reports/limit_words.h"
#include "reports/redo.h"
#include "reports/results.h"
#include "reports/sample.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

class Writer {
 public:
  Writer(const Model& model, Sink& sink) : model_(model), out_(sink) {}

  void write() {
    out_.open_object();
    out_.member("format", "ethos-report/1").line().member("generator", model_.generator);
    out_.member("title", model_.title).member("organisation", model_.organisation);
    redaction();
    definition();
    coverage();
    source();
    verification();
    out_.line().key("not_proved").open_list();
    for (const std::string& text : not_proved(model_)) out_.line().text(text);
    out_.line().close_list();
    out_.line().key("summary").open_object();
    put_tally(out_, "period", model_.now);
    put_tally_before(out_, model_.previous, model_.covered_before.state);
    out_.member("exceptions", static_cast<std::int64_t>(model_.exceptions.size()));
    out_.member("drift", static_cast<std::int64_t>(model_.drift.size()));
    out_.member("first_sets", model_.first_sets());
    out_.member("changed_sets",
                static_cast<std::int64_t>(model_.drift.size()) - model_.first_sets());
    out_.member("widened", model_.comparison.widened());
    out_.member("empty", model_.runs.empty()).close_object();
    list("exceptions", model_.exceptions, [this](const Exception& row) { exception(row); });
    completeness();
    commitments();
    list("matrix", model_.matrix, [this](const MatrixRow& row) { matrix(row); });
    list("grants", model_.grant_rows, [this](const GrantRow& row) { grant(row); });
    list("rules", model_.rules, [this](const RuleRow& row) { rule(row); });
    out_.line().member("bucket_unit", model_.bucket_unit);
    list("buckets", model_.buckets, [this](const BucketRow& row) { put_bucket(out_, row); });
    list("denials", model_.denials, [this](const Denial& row) { denial(row); });
    list("limits", model_.limits, [this](const LimitEvent& row) { limit(row); });
    list("limit_forms", model_.limit_forms, [this](const LimitForm& row) { limit_form(row); });
    list("programs", model_.programs, [this](const ProgramUse& row) { program(row); });
    list("gaps", model_.gaps, [this](const Gap& row) { gap(row); });
    list("artifacts", model_.artifacts, [this](const Artifact& row) { artifact(row); });
    list("drift", model_.drift, [this](const Drift& row) { drift(row); });
    put_comparison_json(model_, out_);
    counted("weaker", model_.weaker);
    counted("sensors", model_.sensors);
    counted("observe", model_.observe);
    counted("kernels", model_.kernels);
    counted("products", model_.products);
    counted("origins", model_.origins);
    controls();
    list("keys", model_.epochs, [this](const KeyEpoch& row) { epoch(row); });
    list("events", model_.events, [this](const LedgerEvent& row) { event(row); });
    population();
    list("runs", model_.runs, [this](const Run& row) { run(row); });
    out_.line().close_object();
    out_.flush();
  }

 private:
  template <typename Rows, typename Each>
  void list(std::string_view key, const Rows& rows, Each each) {
    put_list(out_, key, rows, each);
  }

  void name(std::string_view key, NameId id) { out_.member(key, model_.text(id)); }
  // An empty text is left out where it means "not there".
  void name_if(std::string_view key, NameId id) {
    if (id != NameId::none) name(key, id);
  }
  // A number, unless it is withheld.
  void caller(NameId id) {
    const auto uid = parse_decimal(model_.text(id));
    if (uid) {
      out_.member("caller_uid", *uid);
    } else {
      name_if("caller_uid", id);
    }
  }
  void ref(std::string_view key, const Ref& one) { put_ref(out_, key, one); }
  void ref_if(std::string_view key, const std::optional<Ref>& one) { put_ref(out_, key, one); }
  void time(std::string_view key, std::int64_t wall_ms) { put_time(out_, key, wall_ms); }
  void run_of(std::uint32_t index) {
    out_.member("run", model_.runs[index].id);
    name("tool", model_.runs[index].tool);
  }

  // The line of the counterpart is left out of the content digest, so it stands alone.
  void redaction() {
    out_.line().key("redaction");
    if (!model_.redaction) {
      out_.null();
      return;
    }
    const Redaction& all = *model_.redaction;
    out_.open_object().member("applied", all.is_applied).member("policy", all.id);
    out_.member("authority", all.authority).member("digest", all.digest);
    if (!all.salt.empty()) out_.member("salt", all.salt);
    list("rules", all.rules, [this](const RedactionRule& rule) {
      out_.member("field", rule.field).member("match", rule.match).member("reason", rule.reason);
      out_.member("values", rule.values).member("places", rule.places);
    });
    out_.close_object();
    out_.line().member("counterpart", all.counterpart).line();
  }

  void definition() {
    out_.line().key("definition").open_object();
    put_period(out_, model_);
    out_.member("query", query_text(model_)).close_object();
  }

  void put_coverage(std::string_view key, const Period& period, const Coverage& one) {
    out_.line().key(key).open_object().member("period", period.text());
    out_.member("state", name_of(one.state)).member("begins_earlier", one.begins_earlier);
    out_.member("ends_later", one.ends_later);
    time("from", one.from_ms);
    time("until", one.until_ms);
    out_.member("covered_ms", one.until_ms - one.from_ms);
    out_.member("length_ms", (period.until - period.from) * 1000);
    out_.close_object();
  }
  void coverage() {
    out_.line().key("coverage").open_object();
    out_.member("words", coverage_text(model_)).member("comparison", comparison_text(model_));
    put_coverage("period", model_.period, model_.covered);
    put_coverage("previous_period", model_.period.before(model_.zone), model_.covered_before);
    out_.close_object();
  }

  void source() {
    const Source& source = model_.source;
    out_.line().key("source").open_object();
    out_.member("kind", source.kind).member("origin", source.origin).member("size", source.size);
    out_.member("first_seq", 0).member("last_seq", source.size - 1).member("root", source.root);
    out_.member("checkpoint", source.checkpoint).member("genesis", source.genesis);
    out_.member("root_vkey", source.root_vkey);
    time("first", source.first_ms);
    time("head", source.head_ms);
    out_.close_object();
  }

  void verification() {
    const Verdict& verdict = model_.verdict;
    out_.line().key("verification").open_object();
    out_.member("verified", model_.verified).member("reason", model_.unverified_reason);
    out_.member("tool", "ethos-verify")
        .member("version", verdict.verifier)
        .member("exit", verdict.exit)
        .member("program_sha256", model_.verifier_digest)
        .member("generator_sha256", model_.generator_digest);
    out_.member("pin", verdict.pin_fingerprint);
    put_verdicts(out_, verdict.checks);
    list("problems", verdict.problems,
         [this](const Verdict::Problem& problem) { this->problem(problem); });
    out_.key("first_bad");
    if (verdict.first_bad) {
      out_.open_object();
      problem(*verdict.first_bad);
      out_.close_object();
    } else {
      out_.null();
    }
    out_.line().key("redo").open_list();
    for (const std::string& command : redo_commands(model_)) out_.text(command);
    out_.close_list();
    list("redo_steps", redo_steps(model_), [this](const RedoStep& step) {
      out_.member("what", step.what).member("command", step.command);
      out_.member("answer", step.answer).member("status", step.status);
      out_.member("each_line", step.is_each_line);
    });
    out_.close_object();
  }

  void problem(const Verdict::Problem& problem) {
    out_.member("code", problem.code).member("seq", problem.seq);
    out_.member("run", problem.run).member("text", problem.text);
  }

  void commitments() {
    list("commitments", model_.commitments, [this](const CommittedKind& row) {
      out_.member("kind", row.kind).member("values", row.values);
    });
  }

  void completeness() {
    out_.line().key("completeness").open_object();
    if (knows_start(model_)) {
      out_.member("open_at_start", model_.open_at_start);
    } else {
      out_.key("open_at_start").null();
    }
    if (knows_end(model_)) {
      out_.member("open_at_end", model_.open_at_end);
    } else {
      out_.key("open_at_end").null().member("open_at_last_record", model_.open_at_end);
    }
    out_.member("clock_anomalies", model_.clock_anomalies);
    list("records", model_.tie_out, [this](const TieOutRow& row) {
      out_.member("type", row.type).member("period", row.period).member("before", row.before);
      out_.member("after", row.after).member("ledger", row.ledger).member("total", row.total());
    });
    out_.close_object();
  }

  void drift(const Drift& row) {
    run_of(row.run);
    ref("record", row.ref);
    ref_if("before", row.before);
    out_.member("approval", approval_text(model_.runs[row.run].decision, model_));
    put_changes_json(model_, row.changes, out_);
  }

  void controls() {
    const ControlMap& map = model_.control_map;
    put_control_map(out_, map);
    list("controls", model_.controls, [&](const ControlState& row) {
      const ControlKind& kind = map.kinds[row.kind];
      out_.member("kind", kind.kind)
          .member("title", kind.title)
          .member("state", name_of(row.state));
      out_.member("statement", row.statement).member("missing_input", row.missing);
      out_.member("shows", says_text(row, kind)).member("does_not_show", kind.does_not_show);
      out_.key("evidence").open_list();
      for (const Ref& one : row.evidence) {
        out_.open_object().member("seq", one.seq).member("leaf", leaf_text(one)).close_object();
      }
      out_.close_list().key("bears_on").open_list();
      for (const ControlId& control : kind.controls) {
        out_.open_object().member("framework", control.framework).member("id", control.id);
        if (!control.condition.empty()) out_.member("condition", control.condition);
        out_.close_object();
      }
      out_.close_list();
    });
  }

  void population() {
    out_.line().key("population").open_object();
    out_.member("rows", static_cast<std::int64_t>(model_.runs.size()));
    out_.member("sha256", model_.population).member("order", population_method()).close_object();
    out_.line().key("sample");
    if (!model_.sample) {
      out_.null();
      return;
    }
    out_.open_object().member("method", sample_method()).member("seed", model_.sample->seed);
    out_.member("asked", model_.sample->asked).key("picks").open_list();
    for (const std::uint32_t pick : model_.sample->picks) {
      out_.open_object().member("run", model_.runs[pick].id);
      ref("opened", model_.runs[pick].opened);
      out_.close_object();
    }
    out_.close_list().close_object();
  }

  void exception(const Exception& row) {
    out_.member("kind", name_of(row.kind));
    run_of(row.run);
    put_exception(out_, row);
  }

  void matrix(const MatrixRow& row) {
    name("tool", row.tool);
    out_.member("runs", row.runs).member("in_force", row.in_force).member("refused", row.refused);
    out_.member("not_executed", row.not_executed);
    out_.key("cells").open_list();
    for (std::size_t i = 0; i < kCapabilities; ++i) {
      const auto capability = static_cast<Capability>(i);
      const MatrixCell& cell = row.cells[i];
      out_.open_object();
      put_cell(out_, capability, cell);
      ref_if("first_granted", cell.first_granted);
      ref_if("first_used", cell.first_used);
      ref_if("first_tried", cell.first_tried);
      out_.close_object();
    }
    out_.close_list();
  }

  void grant(const GrantRow& row) {
    name("tool", row.tool);
    name("grant", row.grant.cap);
    out_.member("capability", name_of(row.grant.capability));
    name("object", row.grant.object);
    name("detail", row.grant.detail);
    if (row.grant.capability == Capability::limits) out_.member("value", row.grant.value);
    out_.member("use", name_of(row.grant.use)).member("runs", row.runs);
    if (row.grant.use == Use::observed && row.grant.capability != Capability::limits) {
      out_.member("used_runs", row.used_runs).member("exports", row.acts);
      out_.member("discarded_runs", row.discarded_runs);
    }
    if (row.has_peak) out_.member("peak", row.peak);
    ref("first", row.first);
    ref("last", row.last);
    ref_if("first_use", row.first_use);
  }

  void rule(const RuleRow& row) {
    name("phase", row.phase);
    name("rule", row.rule);
    out_.member("records", row.records).member("acts", row.acts).member("runs", row.runs);
    ref("first", row.first);
  }

  void denial(const Denial& row) {
    run_of(row.run);
    ref("record", row.ref);
    time("at", row.at_ms);
    name("phase", row.phase);
    name("rule", row.rule);
    name("operation", row.operation);
    name("object", row.object);
    out_.member("capability", name_of(row.capability));
    name("outcome", row.outcome);
    out_.member("count", row.count).member("errno", row.error);
    out_.member("answer", answer_text(model_, row));
    out_.member("act", act_words(model_.text(row.operation), row.access));
    out_.member("nature", name_of(nature_of(model_, row)));
    out_.member("refused_by", refuser_of(model_, row).code);
    name("mark", row.mark);
    name("source", row.source);
    name_if("cause", row.cause);
    name_if("fix", row.fix);
  }

  void limit(const LimitEvent& row) {
    run_of(row.run);
    ref("record", row.ref);
    time("at", row.at_ms);
    name("limit", row.limit);
    name("action", row.action);
    name("enforced_by", row.enforced_by);
    out_.member("observed", row.observed).member("value", row.value);
    const LimitRecord record = record_of(model_, row);
    out_.member("outcome", limit_outcome(record)).member("presumed", is_presumed(record));
    out_.member("action_seen", !is_presumed(record));
    name("mark", row.mark);
    name("source", row.source);
  }

  void limit_form(const LimitForm& row) {
    name("limit", row.limit);
    name("enforced_by", row.by);
    out_.member("runs", row.runs).member("seen", name_of(row.seen));
    out_.member("words", seen_text(model_.text(row.limit), model_.text(row.by)));
    ref("first", row.first);
  }

  // Left out where there are no further ones.
  void interpreters(const std::vector<Interpreter>& rows) {
    if (rows.empty()) return;
    out_.key("interpreters").open_list();
    for (const Interpreter& row : rows) {
      out_.open_object();
      name("path", row.path);
      name_if("sha256", row.digest);
      out_.close_object();
    }
    out_.close_list();
  }

  void program(const ProgramUse& row) {
    name("tool", row.tool);
    name_if("exe", row.path);
    name_if("exe_sha256", row.digest);
    name_if("interpreter", row.interpreter);
    name_if("interpreter_sha256", row.interpreter_digest);
    interpreters(row.interpreters);
    out_.member("runs", row.runs).member("started", row.started);
    ref("first", row.first);
    time("first_at", row.first_ms);
    ref("last", row.last);
    time("last_at", row.last_ms);
  }

  void artifact(const Artifact& row) {
    run_of(row.run);
    ref("record", row.ref);
    time("at", row.at_ms);
    out_.member("kind", row.is_sarif ? "sarif" : "exported");
    name("action", row.action);
    name_if("path", row.path);
    name_if("sha256", row.digest);
    if (!row.is_sarif) {
      out_.member("size", row.size);
      return;
    }
    out_.member("results", row.results).member("own_results", own_results(model_, row));
    name("converter", row.converter);
    out_.member("breaks_schema", row.breaks_schema);
  }

  void gap(const Gap& row) {
    run_of(row.run);
    ref("record", row.ref);
    time("at", row.at_ms);
    name("reason", row.reason);
    name("source", row.source);
    out_.member("lost", row.lost);
  }

  void counted(std::string_view key, const std::vector<CountedName>& rows) {
    list(key, rows, [this](const CountedName& row) {
      name("name", row.name);
      out_.member("runs", row.runs);
      ref_if("first", row.first);
    });
  }

  void epoch(const KeyEpoch& row) {
    out_.member("epoch", row.epoch).member("vkey", row.vkey).member("reason", row.reason);
    ref("record", row.ref);
    time("at", row.at_ms);
    out_.member("first_seq", row.first_seq).member("last_seq", row.last_seq);
  }

  void event(const LedgerEvent& row) {
    out_.member("kind", row.kind).member("text", row.text).member("in_period", row.in_period);
    ref("record", row.ref);
    time("at", row.at_ms);
  }

  void run(const Run& row) {
    out_.member("run", row.id);
    name("tool", row.tool);
    out_.member("state", name_of(row.state)).member("in_force", row.enforced);
    ref("opened", row.opened);
    ref_if("ended", row.ended);
    ref("last", row.last);
    out_.member("records", row.records);
    time("started", row.started_ms);
    if (row.ended) time("ended_at", row.ended_ms);
    out_.member("duration_ms", row.duration_ms);
    if (row.exit_code) out_.member("exit_code", *row.exit_code);
    if (row.signal) out_.member("signal", *row.signal);
    if (row.not_executed) out_.member("not_executed", true);
    out_.member("status", row.status).member("status_meaning", status_meaning(model_, row));
    name_if("ended_by", row.ended_by);
    name("origin", row.origin);
    name("profile", row.profile);
    name("class", row.cage);
    name("observe", row.observe);
    name("network", row.network);
    name("git", row.git);
    name("kernel", row.kernel);
    name("product", row.product);
    name_if("revision", row.revision);
    name_if("exe", row.exe_path);
    name_if("exe_sha256", row.exe_sha256);
    name_if("interpreter", row.interpreter);
    name_if("interpreter_sha256", row.interpreter_sha256);
    interpreters(row.interpreters);
    name_if("ceilings", row.ceilings);
    if (!row.declaration.empty()) out_.member("declaration_commitment", row.declaration);
    name_if("declaration_sha256", row.declaration_sha256);
    out_.member("arguments", row.argc);
    name_if("command", row.command);
    name_if("decision", row.decision);
    name("sources", row.sources);
    name("weaker", row.weaker);
    name("limits_hit", row.limits_hit);
    name_if("problem", row.problem);
    caller(row.caller);
    out_.member("denial_records", row.denial_records);
    out_.member("denied_acts", row.denied_acts).member("setup_denials", row.setup_denials);
    out_.member("limit_records", row.limit_records).member("gaps", row.gaps);
    out_.member("lost_acts", row.lost_acts).member("exports", row.exports);
    out_.member("output_bytes", row.output_bytes).member("output_truncated", row.truncated);
    if (row.program_starts) out_.member("program_starts", *row.program_starts);
    out_.member("max_rss_bytes", row.max_rss_bytes).member("cpu_ms", row.cpu_ms);
    out_.member("left_behind", row.left_behind);
  }

  const Model& model_;
  JsonOut out_;
};

}  // namespace

void write_json(const Model& model, Sink& sink) {
  Writer(model, sink).write();
  sink.write("\n");
}

}  // namespace ethos::reports
