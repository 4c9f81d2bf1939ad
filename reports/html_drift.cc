// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/html.h"
#include "reports/html_parts.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

Markup label_of(Direction direction) {
  switch (direction) {
    case Direction::widened:
      return "▲ widened";
    case Direction::narrowed:
      return "▼ narrowed";
    case Direction::changed:
      return "◆ changed";
  }
  return "";
}

void put_changes(const Page& page, const Drift& row) {
  Html& html = page.html;
  if (!row.before) html.raw("first seen: no earlier run in this ledger");
  if (row.before && row.changes.empty()) html.raw("the same grants in another number");
  html.raw("<ul class=\"plain\">");
  for (const GrantChange& change : row.changes) {
    html.raw("<li><strong")
        .attribute("class", "d-" + std::string(name_of(change.direction)))
        .raw(">");
    html.raw(label_of(change.direction))
        .raw("</strong> ")
        .text(page.model.text(change.cap))
        .raw(": ");
    if (change.before.empty()) {
      html.raw("added ");
      put_code(html, change.after);
    } else if (change.after.empty()) {
      html.raw("removed ");
      put_code(html, change.before);
    } else {
      put_code(html, change.before);
      html.raw(" → ");
      put_code(html, change.after);
    }
    html.raw("</li>");
  }
  html.raw("</ul>");
}

void put_row(const Page& page, const Drift& row) {
  const Model& model = page.model;
  const Run& run = model.runs[row.run];
  Html& html = page.html;
  html.raw("<tr><td>").text(model.text(run.tool)).raw("<br>");
  put_run_link(page, row.run);
  html.raw("</td><td>");
  put_time(page, run.started_ms);
  html.raw("</td><td>");
  put_changes(page, row);
  html.raw("</td><td>")
      .text(run.decision == NameId::none ? "none recorded" : model.text(run.decision))
      .raw("</td><td>");
  put_ref(html, row.ref);
  if (row.before) {
    html.raw("<br><span class=\"ref\"").attribute("title", ref_text(*row.before)).raw(">before: #");
    html.text(std::to_string(row.before->seq)).raw("</span>");
  }
  html.raw("</td></tr>\n");
}

}  // namespace

void put_drift(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<section id=\"drift\"><h2>Drift of grants</h2>\n");
  if (model.drift.empty()) {
    html.raw("<p>").text(model.runs.empty()
                             ? empty_period_text()
                             : "None found: each tool had only sets of grants that it had before.");
    html.raw("</p></section>\n");
    return;
  }
  const std::size_t shown = std::min(model.drift.size(), page.limits.rows);
  put_shown(html, shown, model.drift.size(), "by record number", "drift.csv");
  open_table(html, {"drift-rows",
                    "Each set of grants that a tool had for the first time in this ledger, "
                    "compared with its run before. A set it had "
                    "earlier comes back without a line.",
                    "",
                    {{"Tool and run"}, {"When"}, {"What changed"}, {"Approval"}, {"Record"}}});
  for (std::size_t i = 0; i < shown; ++i) put_row(page, model.drift[i]);
  close_table(html);
  html.raw("</section>\n");
}

}  // namespace ethos::reports
