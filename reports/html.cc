// SPDX-License-Identifier: Apache-2.0
#include "reports/html.h"

#include "reports/html_assets.h"
#include "reports/html_parts.h"
#include "reports/json_report.h"
#include "reports/period.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

struct Section {
  Markup anchor;  // "#id"
  Markup title;
  void (*put)(const Page& page);
};
constexpr Section kSections[] = {
    {"#verdicts", "Verdicts", put_verdicts},
    {"#minute", "In one minute", put_minute},
    {"#exceptions", "Exceptions", put_exceptions},
    {"#completeness", "Completeness", put_completeness},
    {"#allowed", "Allowed versus used", put_allowed},
    {"#denials", "Denials and limits", put_denials},
    {"#drift", "Drift of grants", put_drift},
    {"#weaker", "Strength of enforcement", put_weaker},
    {"#controls", "Evidence by control", put_controls},
    {"#keys", "Signers and keys", put_keys},
    {"#population", "Population and sample", put_population},
    {"#runs", "Runs", put_runs},
    {"#check", "Verification", put_check},
    {"#not-proved", "What is not proved", put_not_proved},
    {"#method", "Method and glossary", put_method},
};

void put_head(const Page& page, const std::string& styles) {
  const Model& model = page.model;
  Html& html = page.html;
  const std::string script = page.is_print ? "'none'" : policy_hash(page_script());
  const std::string policy = "default-src 'none'; style-src " + policy_hash(styles) +
                             "; script-src " + script +
                             "; img-src data:; base-uri 'none'; form-action 'none'";
  html.raw(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"");
  html.prepared(policy).raw(
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" "
      "content=\"no-referrer\">\n"
      "<meta name=\"generator\"");
  html.attribute("content", model.generator).raw(">\n<title>");
  if (!model.verified) html.raw("NOT VERIFIED: ");
  html.text(model.title).raw(", ").text(model.period.text()).raw("</title>\n<style>");
  html.prepared(styles).raw("</style>\n</head>\n");
}

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
  html.raw("</dd>\n<dt>Ledger</dt><dd>");
  put_code(html, model.source.origin);
  html.raw("</dd>\n<dt>Covers</dt><dd>records 0 to ").number(model.source.size - 1).raw(", root ");
  put_code(html, model.source.root);
  html.raw("</dd>\n<dt>Last record</dt><dd>");
  put_time_both(page, model.source.head_ms);
  html.raw(
      " <span class=\"mute\">(the time of this document; no other clock was "
      "read)</span></dd>\n<dt>Made by</dt><dd>");
  html.text(model.generator).raw("</dd>\n</dl>\n</header>\n");
}

namespace {

void put_navigation(Html& html) {
  html.raw("<nav aria-label=\"Sections\"><ol>\n");
  for (const Section& section : kSections) {
    html.raw("<li><a href=\"").raw(section.anchor).raw("\">").raw(section.title).raw("</a></li>\n");
  }
  html.raw("</ol></nav>\n");
}

void put_page(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  const std::string head =
      (model.verified ? "" : "NOT VERIFIED: ") + model.title + " " + model.period.text();
  const std::string styles = "\n" + std::string(style_sheet()) +
                             page_style(shortened(head, 90), shortened(model.source.origin, 60) +
                                                                 ", root " + model.source.root);
  put_head(page, styles);
  html.raw("<body>\n<a class=\"skip\" href=\"#verdicts\">Skip to the verdicts</a>\n");
  if (!model.verified) {
    html.raw("<div class=\"alarm\" role=\"note\">NOT VERIFIED: ").text(model.unverified_reason);
    html.raw(". Nothing on this page is evidence.</div>\n");
  }
  html.raw("<div class=\"frame\"><div class=\"cols\">\n");
  if (!page.is_print) put_navigation(html);
  html.raw("<div>\n");
  put_masthead(page);
  html.raw("<main>\n");
  for (const Section& section : kSections) section.put(page);
  html.raw(
      "</main>\n<footer class=\"mute\">\n<p>The SHA-256 of this file is in manifest.json and "
      "SHA256SUMS beside it: "
      "no file can state its own.</p>\n");
  if (!page.is_print) put_embedded(page);
  html.raw("</footer>\n</div></div></div>\n");
  if (!page.is_print) html.raw("<script>").prepared(page_script()).raw("</script>\n");
  html.raw("</body>\n</html>\n");
}

}  // namespace

void write_html(const Model& model, Sink& sink) {
  Html html(sink);
  put_page({model, html, kScreenLimits, false});
}

void write_print_html(const Model& model, Sink& sink) {
  Html html(sink);
  put_page({model, html, kPrintLimits, true});
}

}  // namespace ethos::reports
