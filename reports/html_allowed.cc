// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "reports/html.h"
#include "reports/html_parts.h"
#include "reports/limit_forms.h"
#include "reports/limit_words.h"
#include "reports/text.h"
#include "reports/unwatched.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

void put_state(Html& html, Markup css, Markup symbol, Markup word, std::int64_t runs,
               const std::optional<Ref>& first) {
  html.raw("<span class=\"cell\"><span class=\"nw\"><span class=\"sym ")
      .raw(css)
      .raw("\" aria-hidden=\"true\">")
      .raw(symbol)
      .raw("</span>");
  html.raw(word).raw("\u00a0").number(runs).raw("</span>");  // they stay on one line
  if (first) {
    html.raw(" <span class=\"ref\"")
        .attribute("title", "first: record " + ref_text(*first))
        .raw(">#");
    html.text(std::to_string(first->seq)).raw("</span>");
  }
  html.raw("</span>");
}

// Of the runs of one tool whose cage stood, those with a hide pattern in force.
std::int64_t hiding_runs(const Model& model, NameId tool) {
  std::int64_t out = 0;
  for (const GrantRow& row : model.grant_rows) {
    if (row.tool == tool && row.grant.capability == Capability::hidden &&
        model.text(row.grant.object) != kNothingHidden)
      out = std::max(out, row.runs);  // a run has one list of patterns
  }
  return out;
}

// A dash where something else than "no attempt recorded" is true says what.
void put_dash(const Page& page, const MatrixRow& row, const MatrixCell& cell,
              Capability capability) {
  const Model& model = page.model;
  Html& html = page.html;
  const bool knows_runs = !model.runs.empty() && row.in_force != 0;
  const bool is_empty = cell.tried == 0 && cell.granted == 0;
  if (knows_runs && capability == Capability::hidden) {
    const std::int64_t hiding = hiding_runs(model, row.tool);
    if (hiding != 0)
      html.raw("<span class=\"cell nw\">content hidden\u00a0").number(hiding).raw("</span>");
    if (hiding < row.in_force) {
      html.raw("<span class=\"cell nw\"><strong>no content hidden\u00a0</strong>")
          .number(row.in_force - hiding)
          .raw("</span>");
    }
  } else if (is_empty) {
    html.raw("<span class=\"s-dim\">–</span>");
  }
  if (!knows_runs || (cell.granted != 0 && capability != Capability::read)) return;
  const Unwatched blind = unwatched_runs(model, row.tool);
  const std::int64_t reads = unwatched_in(blind, capability) - blind.nothing;
  if (reads > 0)
    html.raw(" <span class=\"cell mute\">reads not watched\u00a0").number(reads).raw("</span>");
  if (blind.nothing != 0 && unwatched_in(blind, capability) != 0)
    html.raw(" <span class=\"cell nw mute\">not watched\u00a0")
        .number(blind.nothing)
        .raw("</span>");
}

// A run stands in one of the two: no mark says well and badly of the same one.
void put_limits(Html& html, const MatrixCell& cell) {
  if (cell.tried != 0) put_state(html, "s-limit", "▲", "met or near", cell.tried, cell.first_tried);
  if (cell.granted > cell.tried)
    put_state(html, "s-dim", "△", "no record", cell.granted - cell.tried, std::nullopt);
  if (cell.tried == 0 && cell.granted == 0) html.raw("<span class=\"s-dim\">–</span>");
}

void put_cell(const Page& page, const MatrixRow& row, Capability capability) {
  const MatrixCell& cell = row.cells[static_cast<std::size_t>(capability)];
  Html& html = page.html;
  const bool is_limits = capability == Capability::limits;
  html.raw("<td").attribute("data-state", cell_words(cell, capability).state).raw(">");
  if (is_limits) {
    put_limits(html, cell);
    html.raw("</td>");
    return;
  }
  if (cell.tried != 0) put_state(html, "s-tried", "▷", "tried", cell.tried, cell.first_tried);
  if (cell.used != 0)
    put_state(html, "s-used", "●",
              capability == Capability::execute ? Markup("started") : Markup("used"), cell.used,
              cell.first_used);
  if (cell.unused != 0)
    put_state(html, "s-unused", "○", "nothing came out", cell.unused, cell.first_granted);
  if (cell.unrecorded != 0) put_state(html, "s-dim", "◐", "granted", cell.unrecorded, std::nullopt);
  put_dash(page, row, cell, capability);
  html.raw("</td>");
}

// A column that no tool has anything in only makes the table wide; the caption names it.
std::vector<Capability> used_columns(const Model& model, std::string& empty) {
  std::vector<Capability> out;
  for (std::size_t i = 0; i < kCapabilities; ++i) {
    const bool any = std::any_of(
        model.matrix.begin(), model.matrix.end(),
        [i](const MatrixRow& row) { return row.cells[i].granted != 0 || row.cells[i].tried != 0; });
    // What was hidden, and from which tool nothing was, is told of every run.
    const bool has_words =
        i == static_cast<std::size_t>(Capability::hidden) && model.now.started != 0;
    if (any || has_words) {
      out.push_back(static_cast<Capability>(i));
    } else {
      empty += (empty.empty() ? "" : ", ") + std::string(label_of(static_cast<Capability>(i)));
    }
  }
  return out;
}

}  // namespace

void put_matrix(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  std::string empty;
  const std::vector<Capability> columns = used_columns(model, empty);
  html.raw(
      "<ul class=\"legend\"><li><span class=\"sym s-used\">●</span>granted and used; of starting "
      "programs the tool's own start counts, so that <em>started</em> "
      "says no more than that it ran</li><li><span "
      "class=\"sym s-unused\">○</span>"
      "granted to write, and nothing came out (whether something was written in the run's own "
      "layer is "
      "not recorded)</li><li><span class=\"sym s-dim\">◐</span>granted; use of this kind is "
      "not recorded</li><li><span class=\"sym "
      "s-tried\">▷</span>tried without a grant, or beyond it: an act of the tool, which was denied "
      "or "
      "left to the kernel (Denials and limits says which)</li><li><span "
      "class=\"sym s-dim\">–</span>not granted, no "
      "attempt recorded</li><li><strong>reads not watched</strong> in so many runs: there a "
      "refused "
      "read leaves no record, a refused change does; <strong>not watched</strong>: no refused act "
      "of this kind does (<a href=\"#weaker\">What was observed</a>)</li><li><span "
      "class=\"sym s-limit\">▲</span>limits in force, met or near: a record says that one was "
      "reached, or that the run was seen at or near it</li><li><span class=\"sym "
      "s-dim\">△</span>limits in force, no record that one was met; what that is worth: <a "
      "href=\"#limit-forms\">Limits in force</a></li></ul>\n");
  html.raw(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table "
      "class=\"matrix\"><caption>Figures are runs; the "
      "second column has how many were started, of all that were opened; #n "
      "is the first record that shows it. ");
  if (!empty.empty())
    html.raw("Not granted beyond the base runtime, and no try of any tool recorded: ")
        .text(empty)
        .raw(".");
  html.raw(
      "</caption><thead><tr><th scope=\"col\">Tool</th><th scope=\"col\" class=\"n\">Started, of "
      "all opened</th>");
  for (const Capability column : columns)
    html.raw("<th scope=\"col\">").text(label_of(column)).raw("</th>");
  html.raw("</tr></thead><tbody>\n");
  for (const MatrixRow& row : model.matrix) {
    html.raw("<tr><th scope=\"row\">")
        .text(model.text(row.tool))
        .raw("</th><td class=\"n\">")
        .number(row.in_force - row.not_executed);
    html.raw(" of ").number(row.runs).raw("</td>");
    for (const Capability column : columns) put_cell(page, row, column);
    html.raw("</tr>\n");
  }
  close_table(html);
}

namespace {

void put_limit_use(const Page& page, const GrantRow& row) {
  page.html.raw("highest seen: ").text(limit_figure(page.model.text(row.grant.object), row.peak));
}

void put_write_use(Html& html, const GrantRow& row) {
  if (row.used_runs != 0) {
    html.raw("used in ");
    put_count(html, row.used_runs, "run, ", "runs, ");
    put_count(html, static_cast<std::int64_t>(row.acts), "file exported", "files exported");
  } else if (row.discarded_runs != row.runs) {
    html.raw(
        "nothing was exported: no file came out of the run; whether something was written to its "
        "layer and removed there again, or kept from coming out, is not recorded");
  }
  if (row.discarded_runs == 0) return;
  if (row.used_runs != 0 || row.discarded_runs != row.runs) html.raw("; ");
  put_count(html, row.discarded_runs, "run did not end by itself and what it wrote was discarded",
            "runs did not end by themselves and what they wrote was discarded");
  html.raw(", use is not known");
}

void put_use(const Page& page, const GrantRow& row) {
  if (row.grant.capability == Capability::hidden) {
    page.html.raw(row.grant.object != NameId::none &&
                          page.model.text(row.grant.object) == kNothingHidden
                      ? Markup("nothing was hidden by a pattern")
                      : Markup("content of what fits is hidden; its name may be seen"));
  } else if (row.grant.use == Use::withheld) {
    page.html.raw("nothing granted");
  } else if (row.grant.use == Use::not_recorded) {
    page.html.raw("granted; use is not recorded");
  } else if (row.grant.capability == Capability::execute) {
    page.html.raw("program starts seen: ").number(row.acts).raw(" in ");
    put_count(page.html, row.used_runs, "run", "runs");
    page.html.raw("; the tool's own start is one of them; which ones is committed in the records");
  } else {
    put_write_use(page.html, row);
  }
}

void put_object(const Page& page, const Grant& grant) {
  Html& html = page.html;
  const std::string& object = page.model.text(grant.object);
  const std::string& detail = page.model.text(grant.detail);
  if (grant.capability == Capability::limits) {
    put_code(html, object);
    html.raw(" at most ").text(limit_figure(object, grant.value)).raw(", by ");
    html.text(short_enforcer(object, detail));
    return;
  }
  html.raw("<span class=\"long\">");
  put_code(html, object);
  if (!detail.empty()) html.raw(" <span class=\"mute\">").text(detail).raw("</span>");
  html.raw("</span>");
}

bool is_limit(const GrantRow& row) { return row.grant.capability == Capability::limits; }

// `network none`, `git none`, `env none`.
bool is_nothing(const GrantRow& row) {
  return row.grant.use == Use::withheld && row.grant.capability != Capability::hidden;
}

// The limits of one tool, or what it was given nothing of, from `first`, as far as they were in
// force in equally many runs: one line.
std::size_t end_of_line(const Model& model, std::size_t first) {
  const std::vector<GrantRow>& rows = model.grant_rows;
  const auto is_alike = [&](const GrantRow& row) {
    return row.tool == rows[first].tool && row.runs == rows[first].runs &&
           ((is_limit(row) && is_limit(rows[first])) ||
            (is_nothing(row) && is_nothing(rows[first])));
  };
  std::size_t end = first + 1;
  while (end < rows.size() && is_alike(rows[end])) ++end;
  return end;
}

bool has_ended(const Page& page, NameId tool) {
  const std::vector<Run>& runs = page.model.runs;
  return std::any_of(runs.begin(), runs.end(), [tool](const Run& run) {
    return run.tool == tool && run.enforced && run.state == RunState::closed;
  });
}

void put_limits_of(const Page& page, std::size_t first, std::size_t end) {
  Html& html = page.html;
  for (std::size_t i = first; i < end; ++i) {
    const GrantRow& row = page.model.grant_rows[i];
    if (i != first) html.raw("; ");
    put_object(page, row.grant);
    if (row.has_peak) {
      html.raw(" (");
      put_limit_use(page, row);
      html.raw(")");
    } else if (page.model.text(row.grant.object) == "output_bytes" && has_ended(page, row.tool)) {
      html.raw(" (highest seen: 0 B)");  // counted in every run that ended
    }
  }
}

void put_last(Html& html, const Ref& first, const Ref& last) {
  put_ref(html, first);
  if (last.seq == first.seq) return;
  html.raw("<br><span class=\"ref\"").attribute("title", ref_text(last)).raw(">to #");
  html.text(std::to_string(last.seq)).raw("</span>");
}

// One line of grants: a row, or the limits of a tool together.
void put_grant_line(const Page& page, std::size_t first, std::size_t end) {
  const Model& model = page.model;
  const GrantRow& row = model.grant_rows[first];
  Html& html = page.html;
  html.raw("<tr><td class=\"nw\">").text(model.text(row.tool)).raw("</td><td class=\"nw\">");
  put_code(html, model.text(row.grant.cap));
  for (std::size_t i = first + 1; i < end && is_nothing(row); ++i) {
    html.raw(", ");
    put_code(html, model.text(model.grant_rows[i].grant.cap));
  }
  if (end - first > 1) html.raw(" (").number(static_cast<std::uint64_t>(end - first)).raw(" rows)");
  html.raw("</td><td>");
  if (is_limit(row)) {
    put_limits_of(page, first, end);
  } else {
    put_object(page, row.grant);
  }
  html.raw("</td><td class=\"n\">").number(row.runs).raw("</td><td>");
  if (is_limit(row)) {
    html.raw("in force; the figure beside a limit is the highest seen, one without has none");
  } else {
    put_use(page, row);
  }
  html.raw("</td><td class=\"nw\">");
  Ref last = row.last;
  for (std::size_t i = first; i < end; ++i) {
    if (model.grant_rows[i].last.seq > last.seq) last = model.grant_rows[i].last;
  }
  put_last(html, row.first, last);
  html.raw("</td></tr>\n");
}

void put_grants(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  const std::size_t count = model.grant_rows.size();
  std::vector<std::pair<std::size_t, std::size_t>> lines;
  for (std::size_t i = 0; i < count; i = lines.back().second)
    lines.emplace_back(i, end_of_line(model, i));
  const std::size_t shown = std::min(lines.size(), page.limits.rows);
  const std::size_t rows = shown == 0 ? 0 : lines[shown - 1].second;
  open_details(page)
      .raw(" id=\"grants\"><summary>Grant by grant (")
      .number(static_cast<std::uint64_t>(count));
  html.raw(" rows)</summary><div class=\"inner\">\n");
  put_shown(html, rows, count, "by tool", "grants.csv");
  open_table(
      html,
      {"grants",
       "What each tool had in force, and what the records say about its use; the limits of a tool "
       "are one line, and so is what it got nothing of. ",
       grant_rows_text(model) + ".",
       {{"Tool"}, {"Grant"}, {"Of what"}, {"Runs", true}, {"Use"}, {"First to last record"}}});
  for (std::size_t i = 0; i < shown; ++i) put_grant_line(page, lines[i].first, lines[i].second);
  close_table(html);
  html.raw("</div></details>\n");
}

}  // namespace

void put_allowed(const Page& page) {
  page.html.raw("<section id=\"allowed\"><h2>Allowed versus used</h2>\n");
  if (page.model.runs.empty()) {
    page.html.raw("<p>").text(empty_period_text()).raw("</p></section>\n");
    return;
  }
  put_matrix(page);
  put_grants(page);
  page.html.raw("</section>\n");
}

}  // namespace ethos::reports
