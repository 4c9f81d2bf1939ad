// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/drift.h"
#include "reports/grant_compare.h"
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

void put_changes(const Page& page, const std::vector<GrantChange>& changes) {
  const Model& model = page.model;
  Html& html = page.html;
  if (changes.empty()) return;
  html.raw("<ul class=\"plain\">");
  for (const GrantChange& change : changes) {
    html.raw("<li><strong")
        .attribute("class", "d-" + std::string(name_of(change.direction)))
        .raw(">");
    html.raw(label_of(change.direction)).raw("</strong> ").text(model.text(change.cap)).raw(": ");
    if (!change.before) html.raw("added ");
    if (!change.after) html.raw("removed ");
    put_code(html, grant_text(change.before, model));
    if (change.before && change.after) html.raw(" → ");
    put_code(html, grant_text(change.after, model));
    html.raw("</li>");
  }
  html.raw("</ul>");
}

// Where the former set stands: the number; the rest on demand.
void put_before(Html& html, const Ref& ref) {
  html.raw("<br><span class=\"ref\"").attribute("title", ref_text(ref)).raw(">before: #");
  html.text(std::to_string(ref.seq)).raw("</span>");
}

Markup label_of(ComparedTool::State state) {
  switch (state) {
    case ComparedTool::State::same:
      return "the same";
    case ComparedTool::State::changed:
      return "changed";
    case ComparedTool::State::added:
      return "first set: no run of it counts at the first point";
    case ComparedTool::State::removed:
      return "gone: no run counts any more";
  }
  return "";
}

void put_point(Html& html, const GrantPoint& point) {
  html.text(point.words);
  if (!point.ledger.empty()) html.raw(" (").text(point.ledger).raw(")");
}

void put_compared(const Page& page, const ComparedTool& row) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<tr><td>").text(model.text(row.tool)).raw("<br><span class=\"ref\">");
  html.text(model.text(row.origin)).raw("</span></td><td>").raw(label_of(row.state));
  put_changes(page, row.changes);
  if (!row.grants.empty()) {
    html.raw("<ul class=\"plain\"><li>given: ");
    put_code(html, given_text(row.grants, model));
    html.raw("</li></ul>");
  }
  html.raw("</td><td>");
  if (row.since) put_time(page, row.since_ms);
  html.raw("</td><td>").text(approval_text(row.decision, model)).raw("</td><td>");
  if (row.since) put_ref(html, *row.since);
  if (row.from) put_before(html, *row.from);
  html.raw("</td></tr>\n");
}

void put_compared_rows(const Page& page) {
  const GrantComparison& all = page.model.comparison;
  Html& html = page.html;
  using State = ComparedTool::State;
  std::vector<const ComparedTool*> rows;
  for (const ComparedTool& tool : all.tools) {
    if (tool.state != State::same) rows.push_back(&tool);
  }
  if (rows.empty()) return;
  const std::size_t shown = std::min(rows.size(), page.limits.rows);
  put_shown(html, shown, rows.size(), "by name", "comparison.csv");
  open_table(html, {"comparison-rows",
                    "The last set of grants each tool had in force at either point; tools with the "
                    "same grants are counted above and listed in comparison.csv. Approval: a "
                    "decision bound to the run that first had the set.",
                    "",
                    {{"Tool"}, {"What changed"}, {"Since"}, {"Approval"}, {"Record"}}});
  for (std::size_t i = 0; i < shown; ++i) put_compared(page, *rows[i]);
  close_table(html);
}

void put_comparison(const Page& page) {
  const Model& model = page.model;
  const GrantComparison& all = model.comparison;
  Html& html = page.html;
  html.raw("<h3>Grants at two points</h3>\n<p>From ");
  put_point(html, all.from);
  html.raw(", to ");
  put_point(html, all.to);
  html.raw(": ");
  using State = ComparedTool::State;
  if (!all.has_first()) {
    html.raw("<strong>there is nothing to compare with.</strong> ").text(no_first_text(model));
    html.raw("</p>\n");
    put_compared_rows(page);
    return;
  }
  put_count(html, all.count(State::same), "tool with the same grants",
            "tools with the same grants");
  html.raw(", ").number(all.count(State::changed)).raw(" changed (");
  html.number(all.widened()).raw(" widened), ").number(all.count(State::added)).raw(" new, ");
  html.number(all.count(State::removed)).raw(" gone. ");
  if (all.widened() + all.count(State::added) != 0) {
    html.raw("Of the widened and new ones, <strong>").number(all.unapproved());
    html.raw("</strong> without an approval in the records.");
  } else {
    html.raw("<strong>No widening found.</strong>");
  }
  html.raw("</p>\n");
  put_compared_rows(page);
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
  if (row.changes.empty()) html.raw("the same grants in another number");
  put_changes(page, row.changes);
  html.raw("</td><td>").text(approval_text(run.decision, model)).raw("</td><td>");
  put_ref(html, row.ref);
  put_before(html, *row.before);
  html.raw("</td></tr>\n");
}

// They have no change to show; what was given stands in the comparison, and in drift.csv.
void put_first_sets(const Page& page) {
  const Model& model = page.model;
  constexpr std::size_t kMostNamed = 40;
  if (model.first_sets() == 0) return;
  page.html.raw("<p>First sets, with the record of each and the approval: ");
  std::size_t named = 0;
  for (const Drift& row : model.drift) {
    if (row.before) continue;
    if (named == kMostNamed) {
      page.html.raw("; and more in drift.csv");
      break;
    }
    const Run& run = model.runs[row.run];
    if (named++ != 0) page.html.raw("; ");
    page.html.text(model.text(run.tool)).raw(" ");
    put_ref(page.html, row.ref);
    page.html.raw(", ").text(approval_text(run.decision, model));
  }
  page.html.raw(".</p>\n");
}

}  // namespace

void put_drift(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<section id=\"drift\"><h2>Drift of grants</h2>\n");
  put_comparison(page);
  html.raw("<h3>Sets of grants seen for the first time in the period</h3>\n");
  if (model.drift.empty()) {
    html.raw("<p>").text(model.runs.empty()
                             ? empty_period_text()
                             : "None found: each tool had only sets of grants that it had before.");
    html.raw("</p></section>\n");
    return;
  }
  html.raw("<p>").text(drift_text(model)).raw("</p>\n");
  std::vector<const Drift*> rows;
  for (const Drift& row : model.drift) {
    if (row.before) rows.push_back(&row);
  }
  put_first_sets(page);
  if (rows.empty()) {
    html.raw("</section>\n");
    return;
  }
  const std::size_t shown = std::min(rows.size(), page.limits.rows);
  put_shown(html, shown, rows.size(), "by record number", "drift.csv");
  open_table(html, {"drift-rows",
                    "Each set of grants that a tool had for the first time in this ledger, "
                    "compared with its run before. A set it had "
                    "earlier comes back without a line.",
                    "",
                    {{"Tool and run"}, {"When"}, {"What changed"}, {"Approval"}, {"Record"}}});
  for (std::size_t i = 0; i < shown; ++i) put_row(page, *rows[i]);
  close_table(html);
  html.raw("</section>\n");
}

}  // namespace ethos::reports
