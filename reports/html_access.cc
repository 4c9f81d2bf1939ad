// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/html.h"
#include "reports/html_parts.h"
#include "reports/svg_chart.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

void put_state(Html& html, Markup css, Markup symbol, Markup word, std::int64_t runs,
               const std::optional<Ref>& first) {
  html.raw("<span class=\"cell\"><span class=\"sym ")
      .raw(css)
      .raw("\" aria-hidden=\"true\">")
      .raw(symbol)
      .raw("</span>");
  html.raw(word).raw(" ").number(runs);
  if (first) {
    html.raw(" <span class=\"ref\"")
        .attribute("title", "first: record " + ref_text(*first))
        .raw(">#");
    html.text(std::to_string(first->seq)).raw("</span>");
  }
  html.raw("</span>");
}

void put_cell(Html& html, const MatrixCell& cell, Capability capability) {
  const bool is_limits = capability == Capability::limits;
  html.raw("<td").attribute("data-state", cell_words(cell, capability).state).raw(">");
  if (cell.tried != 0) {
    put_state(html, "s-tried", "✗", is_limits ? Markup("reached") : Markup("tried"), cell.tried,
              cell.first_tried);
  }
  if (is_limits && cell.granted != 0)
    put_state(html, "s-held", "●", "held", cell.granted, cell.first_granted);
  if (cell.used != 0) put_state(html, "s-used", "●", "used", cell.used, cell.first_used);
  if (cell.unused != 0) put_state(html, "s-unused", "○", "unused", cell.unused, cell.first_granted);
  if (!is_limits && cell.unrecorded != 0)
    put_state(html, "s-dim", "◐", "granted", cell.unrecorded, cell.first_granted);
  if (cell.tried == 0 && cell.granted == 0) html.raw("<span class=\"s-dim\">–</span>");
  html.raw("</td>");
}

// A column that no tool has anything in only makes the table wide; the caption names it.
std::vector<Capability> used_columns(const Model& model, std::string& empty) {
  std::vector<Capability> out;
  for (std::size_t i = 0; i < kCapabilities; ++i) {
    const bool any = std::any_of(
        model.matrix.begin(), model.matrix.end(),
        [i](const MatrixRow& row) { return row.cells[i].granted != 0 || row.cells[i].tried != 0; });
    if (any) {
      out.push_back(static_cast<Capability>(i));
    } else {
      empty += (empty.empty() ? "" : ", ") + std::string(label_of(static_cast<Capability>(i)));
    }
  }
  return out;
}

void put_matrix(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  std::string empty;
  const std::vector<Capability> columns = used_columns(model, empty);
  html.raw(
      "<ul class=\"legend\"><li><span class=\"sym s-used\">●</span>granted and used</li><li><span "
      "class=\"sym s-unused\">○</span>"
      "granted and unused</li><li><span class=\"sym s-dim\">◐</span>granted; use of this kind is "
      "not recorded</li><li><span class=\"sym "
      "s-tried\">✗</span>not granted and tried, or tried beyond the grant</li><li><span "
      "class=\"sym s-dim\">–</span>not granted, no "
      "attempt recorded</li></ul>\n");
  html.raw(
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"matrix\"><caption>Figures are runs; #n "
      "is the first record that shows it. ");
  if (!empty.empty()) html.raw("Neither granted nor tried by any tool: ").text(empty).raw(".");
  html.raw(
      "</caption><thead><tr><th scope=\"col\">Tool</th><th scope=\"col\" class=\"n\">Started of "
      "opened</th>");
  for (const Capability column : columns)
    html.raw("<th scope=\"col\">").text(label_of(column)).raw("</th>");
  html.raw("</tr></thead><tbody>\n");
  for (const MatrixRow& row : model.matrix) {
    html.raw("<tr><th scope=\"row\">")
        .text(model.text(row.tool))
        .raw("</th><td class=\"n\">")
        .number(row.in_force);
    html.raw(" of ").number(row.runs).raw("</td>");
    for (const Capability column : columns)
      put_cell(html, row.cells[static_cast<std::size_t>(column)], column);
    html.raw("</tr>\n");
  }
  html.raw("</tbody></table></div>\n");
}

void put_use(const Page& page, const GrantRow& row) {
  Html& html = page.html;
  if (row.grant.capability == Capability::limits) {
    if (row.has_peak) {
      const std::string& name = page.model.text(row.grant.object);
      html.raw("highest seen: ");
      html.text(name == "wall_ms"          ? human_duration(static_cast<std::int64_t>(row.peak))
                : name.ends_with("_bytes") ? human_bytes(row.peak)
                                           : std::to_string(row.peak));
    } else {
      html.raw("no figure recorded");
    }
  } else if (row.grant.use == Use::withheld) {
    html.raw("nothing granted");
  } else if (row.grant.use == Use::not_recorded) {
    html.raw("granted; use is not recorded");
  } else {
    if (row.used_runs != 0) {
      html.raw("used in ")
          .number(row.used_runs)
          .raw(" runs, ")
          .number(row.acts)
          .raw(" files exported");
    } else if (row.discarded_runs != row.runs) {
      html.raw("unused: nothing was exported");
    }
    if (row.discarded_runs != 0) {
      if (row.used_runs != 0 || row.discarded_runs != row.runs) html.raw("; ");
      html.number(row.discarded_runs)
          .raw(" runs did not end by themselves: what they wrote was discarded, use is not known");
    }
  }
}

void put_grants(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  const std::size_t count = model.grant_rows.size();
  const std::size_t shown = std::min(count, kMaxRows);
  html.raw("<h3>Grant by grant</h3>\n");
  put_shown(html, shown, count, "by tool", "grants.csv");
  html.raw(
      "<div class=\"scroll\" tabindex=\"0\"><table data-filter=\"grants\"><caption>What each tool "
      "had in force, and what the "
      "records say about its use.</caption><thead><tr><th scope=\"col\">Tool</th><th "
      "scope=\"col\">Grant</th><th scope=\"col\">Of what</th>"
      "<th scope=\"col\" class=\"n\">Runs</th><th scope=\"col\">Use</th><th scope=\"col\">First "
      "record</th><th scope=\"col\">Last record</th></tr>"
      "</thead><tbody>\n");
  for (std::size_t i = 0; i < shown; ++i) {
    const GrantRow& row = model.grant_rows[i];
    html.raw("<tr><td class=\"nw\">").text(model.text(row.tool)).raw("</td><td>");
    put_code(html, model.text(row.grant.cap));
    html.raw("</td><td><span class=\"long\">");
    put_code(html, model.text(row.grant.object));
    const std::string& detail = model.text(row.grant.detail);
    if (row.grant.capability == Capability::limits) {
      const std::string& name = model.text(row.grant.object);
      html.raw(" at most ");
      html.text(name.ends_with("_bytes") ? human_bytes(row.grant.value)
                : name.ends_with("_ms") ? human_duration(static_cast<std::int64_t>(row.grant.value))
                                        : std::to_string(row.grant.value));
      html.raw(", by ").text(detail);
    } else if (!detail.empty()) {
      html.raw(" <span class=\"mute\">").text(detail).raw("</span>");
    }
    html.raw("</span></td><td class=\"n\">").number(row.runs).raw("</td><td>");
    put_use(page, row);
    html.raw("</td><td>");
    put_ref(html, row.first);
    html.raw("</td><td>");
    put_ref(html, row.last);
    html.raw("</td></tr>\n");
  }
  html.raw("</tbody></table></div>\n");
}

void put_buckets(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  BarChart runs{
      "chart-runs", "Runs by " + model.bucket_unit, "", "runs started", "refused to start", {}};
  BarChart denials{"chart-denials",
                   "Denial and limit records by " + model.bucket_unit,
                   "",
                   "denial records",
                   "limit records",
                   {}};
  for (const BucketRow& row : model.buckets) {
    runs.bars.push_back({row.bucket.label, static_cast<std::uint64_t>(row.runs - row.refused),
                         static_cast<std::uint64_t>(row.refused)});
    denials.bars.push_back({row.bucket.label, static_cast<std::uint64_t>(row.denial_records),
                            static_cast<std::uint64_t>(row.limit_records)});
  }
  runs.description = std::to_string(model.now.runs) + " runs in the period, " +
                     std::to_string(model.now.refused) + " refused to start.";
  denials.description = std::to_string(model.now.denial_records) + " denial records and " +
                        std::to_string(model.now.limit_records) + " limit records.";
  for (const BarChart& chart : {runs, denials}) {
    html.raw("<figure>");
    put_bar_chart(html, chart);
    html.raw("<figcaption>")
        .text(chart.title)
        .raw(
            ", labelled with the first day (month-day); counted where the run was opened. "
            "The figures are in the table below.</figcaption></figure>\n");
  }
  html.raw("<details><summary>Figures by ")
      .text(model.bucket_unit)
      .raw(
          "</summary><div class=\"inner scroll\" tabindex=\"0\"><table><caption>Local "
          "days of ")
      .text(model.zone.name())
      .raw(
          "; the first and last stretch may be cut by the period.</caption><thead><tr><th "
          "scope=\"col\">From</th>"
          "<th scope=\"col\" class=\"n\">Runs opened</th><th scope=\"col\" class=\"n\">Refused to "
          "start</th><th scope=\"col\" class=\"n\">Denial records</th>"
          "<th scope=\"col\" class=\"n\">Refused acts</th><th scope=\"col\" class=\"n\">Limit "
          "records</th></tr></thead><tbody>\n");
  for (const BucketRow& row : model.buckets) {
    html.raw("<tr><th scope=\"row\" class=\"nw\">")
        .text(row.bucket.label)
        .raw("</th><td class=\"n\">")
        .number(row.runs)
        .raw("</td><td class=\"n\">");
    html.number(row.refused)
        .raw("</td><td class=\"n\">")
        .number(row.denial_records)
        .raw("</td><td class=\"n\">")
        .number(row.denied_acts);
    html.raw("</td><td class=\"n\">").number(row.limit_records).raw("</td></tr>\n");
  }
  html.raw("</tbody></table></div></details>\n");
}

void put_rules(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  if (model.rules.empty()) return;
  html.raw(
      "<h3>By rule</h3><div class=\"scroll\" tabindex=\"0\"><table><caption>Phase setup: the run "
      "was refused before the tool started. Phase run: the "
      "tool was refused an act. Phase commit: a result was refused on its way "
      "out.</caption><thead><tr><th scope=\"col\">Phase</th><th scope=\"col\">Rule</th>"
      "<th scope=\"col\" class=\"n\">Records</th><th scope=\"col\" class=\"n\">Acts</th><th "
      "scope=\"col\" class=\"n\">Runs</th><th scope=\"col\">First "
      "record</th></tr></thead><tbody>\n");
  for (const RuleRow& row : model.rules) {
    html.raw("<tr><td>").text(model.text(row.phase)).raw("</td><td>");
    put_code(html, row.rule == NameId::none ? "(no rule named)" : model.text(row.rule));
    html.raw("</td><td class=\"n\">")
        .number(row.records)
        .raw("</td><td class=\"n\">")
        .number(row.acts)
        .raw("</td><td class=\"n\">");
    html.number(row.runs).raw("</td><td>");
    put_ref(html, row.first);
    html.raw("</td></tr>\n");
  }
  html.raw("</tbody></table></div>\n");
}

void put_denial_rows(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  if (model.denials.empty()) return;
  const std::size_t shown = std::min(model.denials.size(), kMaxRows);
  html.raw("<h3>Denial records</h3>\n");
  put_shown(html, shown, model.denials.size(), "by record number", "denials.csv");
  html.raw(
      "<div class=\"scroll\" tabindex=\"0\"><table data-filter=\"denial-rows\"><caption>Mark: how "
      "the object is known. K from the kernel, S measured by the "
      "supervisor, A read from the tool's memory (it can race), P a probe.</caption><thead><tr><th "
      "scope=\"col\">When</th><th scope=\"col\">Tool</th>"
      "<th scope=\"col\">Run</th><th scope=\"col\">Phase</th><th scope=\"col\">Rule</th><th "
      "scope=\"col\">Act</th><th scope=\"col\">Object</th><th scope=\"col\">Outcome</th>"
      "<th scope=\"col\" class=\"n\">Acts</th><th scope=\"col\">Mark</th><th "
      "scope=\"col\">Record</th></tr></thead><tbody>\n");
  for (std::size_t i = 0; i < shown; ++i) {
    const Denial& row = model.denials[i];
    html.raw("<tr><td>");
    put_time(page, row.at_ms);
    html.raw("</td><td class=\"nw\">").text(model.text(model.runs[row.run].tool)).raw("</td><td>");
    put_run_link(page, row.run);
    html.raw("</td><td>")
        .text(model.text(row.phase))
        .raw("</td><td class=\"nw\">")
        .text(model.text(row.rule))
        .raw("</td><td>");
    put_code(html, model.text(row.operation));
    html.raw("</td><td><span class=\"long\">");
    put_code(html, model.text(row.object));
    if (row.cause != NameId::none)
      html.raw(" <span class=\"mute\">").text(model.text(row.cause)).raw("</span>");
    html.raw("</span></td><td>")
        .text(model.text(row.outcome))
        .raw("</td><td class=\"n\">")
        .number(row.count)
        .raw("</td><td>");
    html.text(model.text(row.mark)).raw("</td><td>");
    put_ref(html, row.ref);
    html.raw("</td></tr>\n");
  }
  html.raw("</tbody></table></div>\n");
}

void put_limit_rows(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  if (model.limits.empty()) return;
  const std::size_t shown = std::min(model.limits.size(), kMaxRows);
  html.raw("<h3>Limits reached</h3>\n");
  put_shown(html, shown, model.limits.size(), "by record number", "limits.csv");
  html.raw(
      "<div class=\"scroll\" tabindex=\"0\"><table data-filter=\"limit-rows\"><caption>Figures in "
      "the limit's own unit (bytes, milliseconds, processes).</caption>"
      "<thead><tr><th scope=\"col\">When</th><th scope=\"col\">Tool</th><th "
      "scope=\"col\">Run</th><th scope=\"col\">Limit</th><th scope=\"col\" class=\"n\">Value</th>"
      "<th scope=\"col\" class=\"n\">Seen</th><th scope=\"col\">Action</th><th scope=\"col\">Held "
      "by</th><th scope=\"col\">Known from</th><th "
      "scope=\"col\">Record</th></tr></thead><tbody>\n");
  for (std::size_t i = 0; i < shown; ++i) {
    const LimitEvent& row = model.limits[i];
    html.raw("<tr><td>");
    put_time(page, row.at_ms);
    html.raw("</td><td class=\"nw\">").text(model.text(model.runs[row.run].tool)).raw("</td><td>");
    put_run_link(page, row.run);
    html.raw("</td><td>");
    put_code(html, model.text(row.limit));
    html.raw("</td><td class=\"n\">")
        .number(row.value)
        .raw("</td><td class=\"n\">")
        .number(row.observed)
        .raw("</td><td>");
    html.text(model.text(row.action))
        .raw("</td><td>")
        .text(model.text(row.enforced_by))
        .raw("</td><td>");
    html.text(model.text(row.source)).raw(" (").text(model.text(row.mark)).raw(")</td><td>");
    put_ref(html, row.ref);
    html.raw("</td></tr>\n");
  }
  html.raw("</tbody></table></div>\n");
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

void put_denials(const Page& page) {
  page.html.raw("<section id=\"denials\"><h2>Denials and limits</h2>\n<p>")
      .text(sensor_text(page.model))
      .raw("</p>\n");
  put_buckets(page);
  put_rules(page);
  put_denial_rows(page);
  put_limit_rows(page);
  page.html.raw("</section>\n");
}

}  // namespace ethos::reports
