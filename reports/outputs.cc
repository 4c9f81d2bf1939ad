// SPDX-License-Identifier: Apache-2.0
#include "reports/outputs.h"

#include <algorithm>

#include "reports/html.h"
#include "reports/json_report.h"
#include "reports/markdown.h"
#include "reports/oscal.h"
#include "reports/xlsx.h"

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
  // The OSCAL document refers to report.json.
  if (has("json") || has("oscal")) add("report.json", write_json);
  if (has("oscal")) add("report.oscal.json", write_oscal);
  if (has("html")) add("report.html", write_html);
  if (has("md")) {
    add("report.md", [](const Model& m, Sink& sink) { write_markdown(m, kMarkdownBudget, sink); });
  }
  if (has("csv")) {
    for (const TableKind& kind : all_tables()) {
      out.push_back({std::string(kind.name) + ".csv",
                     [&model, &kind, how](Sink& sink) { write_csv(kind, model, how, sink); }});
    }
  }
  if (has("xlsx")) add("report.xlsx", write_xlsx);
  return out;
}

}  // namespace ethos::reports
