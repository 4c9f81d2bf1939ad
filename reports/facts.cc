// SPDX-License-Identifier: Apache-2.0
#include "reports/facts.h"

#include "reports/coverage.h"
#include "reports/period.h"
#include "reports/redo.h"
#include "reports/sample.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

void line(Table& table, std::string_view section, std::string_view name, std::string_view value,
          std::string_view words = "") {
  table.plain(section).text(name).text(value).text(words).end();
}

void put_definition(const Model& model, Table& table) {
  const Period& period = model.period;
  line(table, "report", "title", model.title);
  if (!model.organisation.empty()) line(table, "report", "organisation", model.organisation);
  line(table, "report", "period", period.text(), "both days included");
  table.plain("report").plain("days").number(period.day_count()).empty().end();
  line(table, "report", "zone", model.zone.name(),
       "tzdata " + model.tzdata + ", " + model.zone.digest());
  line(table, "report", "from", utc_text(period.from), local_text(period.from, model.zone));
  line(table, "report", "until", utc_text(period.until),
       local_text(period.until, model.zone) + ", not included");
  line(table, "report", "covered", name_of(model.covered.state), coverage_text(model));
  line(table, "report", "compared", name_of(model.covered_before.state), comparison_text(model));
  line(table, "report", "query", query_text(model));
  line(table, "report", "made by", model.generator);
  if (model.redaction) line(table, "report", "redaction", redaction_text(model));
}

void put_source(const Model& model, Table& table) {
  const Source& source = model.source;
  line(table, "source", "origin", source.origin, source.kind);
  table.plain("source").plain("records").number(source.size);
  table.text(covered_records(source)).end();
  line(table, "source", "root", source.root);
  line(table, "source", "last record", utc_ms_text(source.head_ms),
       "the time of this document; no other clock was read");
  table.plain("population").plain("runs").number(std::uint64_t{model.runs.size()});
  table.plain(model.runs.empty() ? empty_period_text() : std::string_view()).end();
  line(table, "population", "digest", model.population, population_method());
  if (!model.sample) return;
  line(table, "sample", "seed", model.sample->seed, sample_method());
  table.plain("sample").plain("drawn").number(std::uint64_t{model.sample->picks.size()});
  table.text("asked for: " + std::to_string(model.sample->asked)).end();
}

}  // namespace

void fill_facts(const Model& model, Table& table) {
  table.header({"section", "name", "value", "words"});
  line(table, "verification", "verified", model.verified ? "true" : "false",
       model.unverified_reason);
  put_definition(model, table);
  put_source(model, table);
  const Verdict& verdict = model.verdict;
  line(table, "verification", "by", "ethos-verify " + verdict.verifier);
  line(table, "verification", "pin",
       verdict.pin_fingerprint.empty() ? "no pin" : verdict.pin_fingerprint);
  for (const Verdict::Check& check : verdict.checks) {
    line(table, "verdict", check.name, check.result,
         std::string(verdict_word(check.result)) + ". " + verdict_says(check));
  }
  for (const Verdict::Problem& problem : verdict.problems) {
    line(table, "problem", problem.code,
         problem.seq < 0 ? "" : "record " + std::to_string(problem.seq), problem.text);
  }
  for (const std::string& text : not_proved(model)) line(table, "not proved", "", text);
  for (const PinPart& part : pin_parts(model))
    line(table, "compare with your pin", part.name, part.value, pin_text());
  line(table, "your verifier", "source", "verify/", verifier_source_text());
  for (const ProgramRow& row : program_rows(model))
    line(table, "programs", row.name, row.version,
         row.did + "; SHA-256: " + row.digest + "; its digits: " + row.check);
  line(table, "programs", "same", "", same_program_text());
  for (const std::string& command : verifier_build_commands())
    line(table, "your verifier", "build", command);
  for (const RedoStep& step : redo_steps(model)) {
    line(table, "check again", step.what, step.command,
         "a good answer: exit status " + std::to_string(step.status) + ", " + answer_text(step));
  }
}

}  // namespace ethos::reports
