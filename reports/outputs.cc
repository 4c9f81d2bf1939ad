// SPDX-License-Identifier: Apache-2.0
#include "reports/outputs.h"

#include <algorithm>
#include <memory>

#include "reports/html.h"
#include "reports/json_report.h"
#include "reports/markdown.h"
#include "reports/oscal.h"
#include "reports/xlsx.h"

namespace ethos::reports {

bool OutputPlan::has(std::string_view format) const {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

base::Result<OutputPlan> plan_outputs(const Options& options) {
  OutputPlan plan;
  plan.formats = options.formats;
  plan.csv = options.csv_raw ? CsvText::raw : CsvText::neutralised;
  if (plan.has("pdf")) {
    auto engine = find_pdf_engine(options.pdf_engine);
    if (!engine) return base::Unexpected(std::move(engine).error().with_context("no PDF"));
    plan.pdf = std::move(*engine);
  }
  return plan;
}

base::Result<std::vector<Output>> outputs_of(const Model& model, const OutputPlan& plan) {
  const auto has = [&plan](std::string_view format) { return plan.has(format); };
  std::vector<Output> out;
  const auto add = [&](const char* name, auto writer) {
    out.push_back({name, [&model, writer](Sink& sink) { writer(model, sink); }});
  };
  // The OSCAL document and the trace refer to report.json.
  if (has("json") || has("oscal") || has("intoto")) add("report.json", write_json);
  if (has("oscal")) add("report.oscal.json", write_oscal);
  if (has("html")) add("report.html", write_html);
  if (has("md")) {
    add("report.md", [](const Model& m, Sink& sink) { write_markdown(m, kMarkdownBudget, sink); });
  }
  if (has("csv")) {
    for (const TableKind& kind : all_tables()) {
      out.push_back({std::string(kind.name) + ".csv", [&model, &kind, how = plan.csv](Sink& sink) {
                       write_csv(kind, model, how, sink);
                     }});
    }
  }
  if (has("xlsx")) add("report.xlsx", write_xlsx);
  if (plan.pdf && has("pdf")) {
    auto pdf = make_pdf(*plan.pdf, model);
    if (!pdf) return base::Unexpected(std::move(pdf).error());
    out.push_back({"report.pdf", [bytes = std::make_shared<std::string>(std::move(*pdf))](
                                     Sink& sink) { sink.write(*bytes); }});
  }
  return out;
}

}  // namespace ethos::reports
