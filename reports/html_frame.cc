// SPDX-License-Identifier: Apache-2.0
#include "reports/html_frame.h"

#include "reports/html_assets.h"
#include "reports/text.h"

namespace ethos::reports {
namespace {

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

void put_navigation(Html& html, std::span<const PageSection> sections) {
  html.raw("<nav aria-label=\"Sections\"><ol>\n");
  for (const PageSection& section : sections) {
    html.raw("<li><a href=\"").raw(section.anchor).raw("\">").raw(section.title);
    html.raw("</a></li>\n");
  }
  html.raw("</ol></nav>\n");
}

}  // namespace

void open_document(const Page& page, std::span<const PageSection> sections) {
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
    html.raw(page.is_partly ? Markup(".</div>\n")
                            : Markup(". Nothing on this page is evidence.</div>\n"));
  }
  html.raw("<div class=\"frame\"><div class=\"cols\">\n");
  if (!page.is_print) put_navigation(html, sections);
  html.raw("<div>\n");
}

void close_document(const Page& page) {
  Html& html = page.html;
  html.raw("</div></div></div>\n");
  if (!page.is_print) html.raw("<script>").prepared(page_script()).raw("</script>\n");
  html.raw("</body>\n</html>\n");
}

void open_footer(Html& html) {
  html.raw(
      "<footer class=\"mute\">\n<p>The SHA-256 of this file is in manifest.json and SHA256SUMS "
      "beside it: no file can state its own.</p>\n");
}

}  // namespace ethos::reports
