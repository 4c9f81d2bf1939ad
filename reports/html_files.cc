// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/html.h"
#include "reports/html_parts.h"
#include "reports/results.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

void put_row(const Page& page, const Artifact& row) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<tr><td>");
  if (row.is_sarif) {
    html.raw("SARIF written, ").text(results_text(model, row));
  } else {
    html.raw("file ").text(model.text(row.action));
  }
  html.raw("<br><span class=\"mute\">").text(writer_text(model, row)).raw("</span>");
  html.raw("</td><td><span class=\"long\">");
  if (row.is_sarif) {
    html.raw("<span class=\"mute\">not recorded</span>");
  } else {
    put_code(html, model.text(row.path));
  }
  html.raw("</span></td><td><span class=\"long\">");
  if (row.digest == NameId::none) {
    html.raw("<span class=\"mute\">none: nothing to hash</span>");
  } else {
    put_code(html, model.text(row.digest));
  }
  html.raw("</span></td><td>").text(model.text(model.runs[row.run].tool)).raw("<br>");
  put_run_link(page, row.run);
  html.raw("</td><td>");
  put_time(page, row.at_ms);
  html.raw("</td><td>");
  put_ref(html, row.ref);
  html.raw("</td></tr>\n");
}

}  // namespace

void put_files(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<section id=\"files\"><h2>Files and results by digest</h2>\n");
  if (model.artifacts.empty()) {
    html.raw("<p>")
        .text(model.runs.empty() ? empty_period_text()
                                 : "No file was exported and no SARIF was written.")
        .raw("</p></section>\n");
    return;
  }
  html.raw(
      "<p>Is a file in your hand one of these? <code>sha256sum FILE</code> prints 64 digits: look "
      "for them here, or in artifacts.csv. </p>\n<p>");
  html.text(found_text()).raw("</p>\n<p>").text(not_listed_text(model));
  html.raw(
      " Of a SARIF file <code>ethos-verify --pin "
      "PIN --sarif FILE LEDGER</code> also says which results were added, dropped or "
      "suppressed.</p>\n");
  const std::size_t shown = std::min(model.artifacts.size(), page.limits.rows);
  put_shown(html, shown, model.artifacts.size(), "by record number", "artifacts.csv");
  open_table(html, {"files",
                    "Files that came out of runs of the period, and SARIF that was written of "
                    "them, in the order of the ledger.",
                    "",
                    {{"What"}, {"Path"}, {"SHA-256"}, {"Tool and run"}, {"When"}, {"Record"}}});
  for (std::size_t i = 0; i < shown; ++i) put_row(page, model.artifacts[i]);
  close_table(html);
  html.raw("</section>\n");
}

}  // namespace ethos::reports
