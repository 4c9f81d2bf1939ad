// SPDX-License-Identifier: Apache-2.0
#include "reports/html.h"

#include <vector>

#include "reports/coverage.h"
#include "reports/html_frame.h"
#include "reports/html_parts.h"
#include "reports/json_report.h"
#include "reports/period.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

struct Section {
  PageSection name;
  void (*put)(const Page& page);
};
constexpr Section kSections[] = {
    {{"#verdicts", "Verdicts"}, put_verdicts},
    {{"#minute", "In one minute"}, put_minute},
    {{"#exceptions", "Exceptions"}, put_exceptions},
    {{"#completeness", "Completeness"}, put_completeness},
    {{"#allowed", "Allowed versus used"}, put_allowed},
    {{"#denials", "Denials and limits"}, put_denials},
    {{"#drift", "Drift of grants"}, put_drift},
    {{"#weaker", "Strength of enforcement"}, put_weaker},
    {{"#controls", "Evidence by control"}, put_controls},
    {{"#keys", "Signers and keys"}, put_keys},
    {{"#population", "Population and sample"}, put_population},
    {{"#runs", "Runs"}, put_runs},
    {{"#files", "Files by digest"}, put_files},
    {{"#check", "Verification"}, put_check},
    {{"#not-proved", "What is not proved"}, put_not_proved},
    {{"#method", "Method and glossary"}, put_method},
};

void put_embedded(const Page& page) {
  BoundedSink json(kMaxEmbedded);
  // No row of these is shorter: a model that is far too large is not written in vain.
  const std::size_t least = page.model.runs.size() * 500 + page.model.denials.size() * 200;
  if (least <= kMaxEmbedded) write_json(page.model, json);
  if (least > kMaxEmbedded || json.is_over()) {
    page.html.raw(
        "<p class=\"mute\">The model is too large to be embedded; it is in report.json, whose "
        "digest is in "
        "manifest.json.</p>\n");
    return;
  }
  // A data block is not executed. JsonOut never writes a `<`, so it cannot end early.
  page.html.raw("<script type=\"application/json\" id=\"report\">")
      .prepared(json.text())
      .raw("</script>\n");
}

}  // namespace

void put_masthead(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<header class=\"mast\">\n<h1>").text(model.title).raw("</h1>\n");
  if (!model.organisation.empty()) html.raw("<p>").text(model.organisation).raw("</p>\n");
  html.raw("<dl class=\"facts\">\n<dt>Period</dt><dd><strong>").text(model.period.text());
  html.raw("</strong>, ").text(model.zone.name()).raw(", both days included (");
  put_count(html, model.period.day_count(), "day", "days");
  html.raw("): from ");
  put_time_both(page, model.period.from * 1000);
  html.raw(" up to, not including, ");
  put_time_both(page, model.period.until * 1000);
  html.raw("</dd>\n<dt>Covered</dt><dd>");
  put_coverage(html, model);
  html.raw("</dd>\n<dt>Ledger</dt><dd>");
  put_code(html, model.source.origin);
  html.raw("</dd>\n<dt>Made from</dt><dd>").text(covered_records(model.source)).raw(", root ");
  put_code(html, model.source.root);
  html.raw("</dd>\n<dt>Last record</dt><dd>");
  put_time_both(page, model.source.head_ms);
  html.raw(
      " <span class=\"mute\">(the newest moment that this report knows of)</span></dd>\n<dt>Made "
      "by</dt><dd>");
  html.text(model.generator)
      .raw(
          " <span class=\"mute\">(when is not recorded: no clock was read, so that the same "
          "records give the same bytes)</span></dd>\n</dl>\n</header>\n");
}

namespace {

void put_page(const Page& page) {
  Html& html = page.html;
  std::vector<PageSection> names;
  for (const Section& section : kSections) names.push_back(section.name);
  open_document(page, names);
  put_masthead(page);
  html.raw("<main>\n");
  for (const Section& section : kSections) section.put(page);
  html.raw("</main>\n");
  open_footer(html);
  if (!page.is_print) put_embedded(page);
  html.raw("</footer>\n");
  close_document(page);
}

}  // namespace

void write_html(const Model& model, Sink& sink) {
  Html html(sink);
  put_page({model, html, kScreenLimits, false, false});
}

void write_print_html(const Model& model, Sink& sink) {
  Html html(sink);
  put_page({model, html, kPrintLimits, true, false});
}

}  // namespace ethos::reports
