// SPDX-License-Identifier: Apache-2.0
#include "reports/outputs.h"

#include <algorithm>

#include "reports/html.h"
#include "reports/json_report.h"
#include "reports/markdown.h"
#include "reports/oscal.h"

namespace ethos::reports {

std::vector<Output> outputs_of(const Model& model, const std::vector<std::string>& formats,
                               CsvText how) {
  const auto has = [&formats](std::string_view format) {
    return std::find(formats.begin(), formats.end(), format) != formats.end();
  };
  std::vector<Output> out;
  const auto add = [&](const char* name, auto writer) {
    out.push_back({name, [&model, writer](Sink& sink) { writer(model, sink); }});
  };
  const auto add_csv = [&](const char* name, auto writer) {
    out.push_back({name, [&model, writer, how](Sink& sink) { writer(model, how, sink); }});
  };
  // The OSCAL document refers to report.json.
  if (has("json") || has("oscal")) add("report.json", write_json);
  if (has("oscal")) add("report.oscal.json", write_oscal);
  if (has("html")) add("report.html", write_html);
  if (has("md")) {
    add("report.md", [](const Model& m, Sink& sink) { write_markdown(m, kMarkdownBudget, sink); });
  }
  if (has("csv")) {
    add_csv("runs.csv", write_runs_csv);
    add_csv("denials.csv", write_denials_csv);
    add_csv("limits.csv", write_limits_csv);
    add_csv("grants.csv", write_grants_csv);
    add_csv("exceptions.csv", write_exceptions_csv);
    add_csv("drift.csv", write_drift_csv);
    add_csv("controls.csv", write_controls_csv);
    add_csv("counts.csv", write_counts_csv);
  }
  return out;
}

}  // namespace ethos::reports
