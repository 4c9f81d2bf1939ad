// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/acts.h"
#include "reports/html.h"
#include "reports/html_parts.h"
#include "reports/limit_forms.h"
#include "reports/limit_words.h"
#include "reports/svg_chart.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
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
  std::size_t unknown = 0;
  for (const BucketRow& row : model.buckets) {
    unknown += row.is_unknown() ? 1U : 0U;
    runs.bars.push_back({row.bucket.label, static_cast<std::uint64_t>(row.runs - row.refused),
                         static_cast<std::uint64_t>(row.refused), row.is_unknown()});
    denials.bars.push_back({row.bucket.label, static_cast<std::uint64_t>(row.denial_records),
                            static_cast<std::uint64_t>(row.limit_records), row.is_unknown()});
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
            "The figures are in the table below.");
    if (unknown != 0)
      html.raw(" A dashed frame (n/c): not covered by any record, so nothing is known of it.");
    html.raw("</figcaption></figure>\n");
  }
  open_details(page)
      .raw("><summary>Figures by ")
      .text(model.bucket_unit)
      .raw(
          "</summary><div class=\"inner scroll\" tabindex=\"0\" role=\"group\" "
          "aria-label=\"Table\"><table><caption>Local "
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
        .raw(row.covered == Coverage::State::part
                 ? Markup(" <span class=\"mute\">in part</span></th>")
                 : Markup("</th>"));
    if (row.is_unknown()) {
      html.raw("<td colspan=\"5\">not covered: no record tells</td></tr>\n");
      continue;
    }
    html.raw("<td class=\"n\">").number(row.runs).raw("</td><td class=\"n\">");
    html.number(row.refused)
        .raw("</td><td class=\"n\">")
        .number(row.denial_records)
        .raw("</td><td class=\"n\">")
        .number(row.denied_acts);
    html.raw("</td><td class=\"n\">").number(row.limit_records).raw("</td></tr>\n");
  }
  html.raw("</tbody></table></div></details>\n");
}

namespace {

void put_rules(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  if (model.rules.empty()) return;
  html.raw("<h3>By rule</h3>");
  open_table(
      html,
      {"",
       "Phase setup: the run was refused before the tool started. Phase run: the tool was refused "
       "an act. Phase commit: a result was refused on its way out.",
       "",
       {{"Phase"}, {"Rule"}, {"Records", true}, {"Acts", true}, {"Runs", true}, {"First record"}}});
  for (const RuleRow& row : model.rules) {
    html.raw("<tr><td>").text(model.text(row.phase)).raw("</td><td class=\"nw\">");
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
  close_table(html);
}

void put_denial_rows(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  if (model.denials.empty()) return;
  const std::size_t shown = std::min(model.denials.size(), page.limits.rows);
  html.raw("<h3>Denial records</h3>\n");
  put_shown(html, shown, model.denials.size(), "by record number", "denials.csv");
  open_table(html, {"denial-rows",
                    "Mark: how the object is known. K from the kernel, S measured by the "
                    "supervisor, A read from the tool's memory (it can race), P a probe. ",
                    std::string(refusers_text()) + ".",
                    {{"When"},
                     {"Tool and run"},
                     {"Phase and rule"},
                     {"Act"},
                     {"Outcome and answer"},
                     {"Acts", true},
                     {"Refused by"},
                     {"Mark"},
                     {"Record"}}});
  for (std::size_t i = 0; i < shown; ++i) {
    const Denial& row = model.denials[i];
    html.raw("<tr><td>");
    put_time(page, row.at_ms);
    html.raw("</td><td>").text(model.text(model.runs[row.run].tool)).raw("<br>");
    put_run_link(page, row.run);
    html.raw("</td><td>")
        .text(model.text(row.phase))
        .raw("<br>")
        .text(model.text(row.rule))
        .raw("</td><td><span class=\"long\">");
    put_code(html, act_text(model, row));
    if (row.cause != NameId::none)
      html.raw(" <span class=\"mute\">").text(model.text(row.cause)).raw("</span>");
    html.raw("</span></td><td>").text(model.text(row.outcome));
    if (const std::string answer = answer_text(model, row); !answer.empty())
      html.raw("<br><span class=\"mute\">").text(answer).raw("</span>");
    html.raw("</td><td class=\"n\">").number(row.count).raw("</td><td>");
    html.text(refuser_of(model, row).label).raw("</td><td>");
    html.text(model.text(row.mark)).raw("</td><td>");
    put_ref(html, row.ref);
    html.raw("</td></tr>\n");
  }
  close_table(html);
}

void put_limit_rows(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  if (model.limits.empty()) return;
  const std::size_t shown = std::min(model.limits.size(), page.limits.rows);
  html.raw("<h3>Limit records</h3>\n");
  put_shown(html, shown, model.limits.size(), "by record number", "limits.csv");
  open_table(html, {"limit-rows",
                    "The exact figures, in bytes, milliseconds and processes, are in limits.csv. ",
                    limit_records_text(model) + ".",
                    {{"When"},
                     {"Tool and run"},
                     {"Limit"},
                     {"What was seen"},
                     {"What happened"},
                     {"Held by"},
                     {"Known from"},
                     {"Record"}}});
  for (std::size_t i = 0; i < shown; ++i) {
    const LimitEvent& row = model.limits[i];
    const LimitRecord record = record_of(model, row);
    html.raw("<tr><td>");
    put_time(page, row.at_ms);
    html.raw("</td><td>").text(model.text(model.runs[row.run].tool)).raw("<br>");
    put_run_link(page, row.run);
    html.raw("</td><td>");
    html.text(limit_label(model.text(row.limit))).raw("<br>");
    put_code(html, model.text(row.limit));
    html.raw("</td><td>").text(limit_text(record)).raw("</td><td>");
    html.text(limit_outcome(record))
        .raw("</td><td>")
        .text(enforcer_label(record.limit, record.enforced_by))
        .raw("</td><td>");
    html.text(source_label(model.text(row.source)))
        .raw(" (mark ")
        .text(model.text(row.mark))
        .raw(")</td><td>");
    put_ref(html, row.ref);
    html.raw("</td></tr>\n");
  }
  close_table(html);
}

void put_limit_forms(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  if (model.limit_forms.empty()) return;
  html.raw("<h3 id=\"limit-forms\">Limits in force</h3>\n");
  if (const std::string unseen = unseen_limits_text(model); !unseen.empty()) {
    html.raw(
            "<p><strong>No limit record does not mean that a limit was never met.</strong> Held in "
            "these forms, a refusal is not observed, or not each one: ")
        .text(unseen)
        .raw(".</p>\n");
  }
  open_table(html,
             {"",
              "By what each limit was held in the runs whose cage stood, and whether reaching "
              "it leaves a record. Weaker form: ",
              std::string(weaker_meaning()) + ".",
              {{"Limit"},
               {"Held by"},
               {"Runs", true},
               {"Does reaching it leave a record?"},
               {"First record"}}});
  for (const LimitForm& row : model.limit_forms) {
    const std::string& limit = model.text(row.limit);
    const std::string& by = model.text(row.by);
    html.raw("<tr><th scope=\"row\">").text(limit_label(limit)).raw("<br>");
    put_code(html, limit);
    html.raw("</th><td>").text(enforcer_label(limit, by));
    if (is_weaker_form(limit, by)) html.raw(" <strong>weaker form</strong>");
    html.raw("</td><td class=\"n\">").number(row.runs);
    html.raw("</td><td><span class=\"long\"><strong>")
        .raw(row.seen == LimitForm::Seen::counted     ? Markup("each time")
             : row.seen == LimitForm::Seen::looked_at ? Markup("not always")
                                                      : Markup("never"))
        .raw("</strong>: ")
        .text(seen_text(limit, by))
        .raw("</span></td><td>");
    put_ref(html, row.first);
    html.raw("</td></tr>\n");
  }
  close_table(html);
}

}  // namespace

void put_denials(const Page& page) {
  page.html.raw("<section id=\"denials\"><h2>Denials and limits</h2>\n<p>")
      .text(sensor_text(page.model))
      .raw("</p>\n");
  put_buckets(page);
  put_rules(page);
  put_denial_rows(page);
  put_limit_rows(page);
  put_limit_forms(page);
  page.html.raw("</section>\n");
}

}  // namespace ethos::reports
