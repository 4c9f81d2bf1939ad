// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/acts.h"
#include "reports/coverage.h"
#include "reports/exceptions.h"
#include "reports/html.h"
#include "reports/html_parts.h"
#include "reports/limit_forms.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

// The column only where a decision is bound to some run: forty times "none recorded" is noise.
bool has_approvals(const Model& model) {
  return std::any_of(model.exceptions.begin(), model.exceptions.end(), [&](const Exception& row) {
    return model.runs[row.run].decision != NameId::none;
  });
}

// Several acts under one rule may weigh very differently: each kind of them by itself, what would
// have changed something first.
bool tells_acts(const Exception& row) {
  return row.kind == ExceptionKind::denied && row.denials.size() > 1;
}

void put_acts(const Page& page, const Exception& row) {
  const Model& model = page.model;
  Html& html = page.html;
  std::vector<std::uint32_t> acts = row.denials;
  std::stable_sort(acts.begin(), acts.end(), [&](std::uint32_t a, std::uint32_t b) {
    return nature_of(model, model.denials[a]) < nature_of(model, model.denials[b]);
  });
  html.raw("<ul class=\"plain\">");
  for (std::size_t i = 0; i < acts.size(); ++i) {
    const Denial& denial = model.denials[acts[i]];
    const Nature nature = nature_of(model, denial);
    html.raw("<li>");
    if (i == 0 || nature_of(model, model.denials[acts[i - 1]]) != nature)
      html.raw("<strong>").text(label_of(nature)).raw("</strong>: ");
    put_code(html, shortened(act_text(model, denial), 200));
    if (denial.count > 1) html.raw(" ").number(denial.count).raw(" times");
    if (const std::string words = answer_text(model, denial); !words.empty())
      html.raw(" <small>").text(words.substr(0, words.find(':'))).raw("</small>");
    html.raw(" <span class=\"ref\">#").text(std::to_string(denial.ref.seq)).raw("</span></li>");
  }
  html.raw("</ul>");
  if (row.records > acts.size())
    html.raw("<small>and ")
        .number(row.records - acts.size())
        .raw(" more records, under Denial records and in denials.csv</small>");
}

// Who refused; of a limit, who held it; nothing where nothing was refused.
std::string refused_by(const Model& model, const Exception& row) {
  if (row.kind == ExceptionKind::limit) return row.limit_by;
  std::string out;
  for (const std::uint32_t index : row.denials) {
    const std::string_view label = refuser_of(model, model.denials[index]).label;
    if (out.find(label) == std::string::npos) out += (out.empty() ? "" : "; ") + std::string(label);
  }
  return out.empty() ? "–" : out;
}

void put_exception(const Page& page, const Exception& row, bool with_approval) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<tr><td><span").attribute("class", "tag k-" + std::string(name_of(row.kind)));
  html.raw(">").text(label_of(row)).raw("</span>");
  if (!row.rule.empty())
    html.raw("<br>").text(row.kind == ExceptionKind::limit ? limit_label(row.rule) : row.rule);
  html.raw("</td><td>").text(model.text(model.runs[row.run].tool)).raw("<br>");
  put_run_link(page, row.run);
  html.raw("</td><td>");
  put_time(page, row.at_ms);
  html.raw("</td><td><span class=\"long\">");
  if (tells_acts(row)) {
    put_acts(page, row);
  } else {
    put_code(html, row.tried);
  }
  html.raw("</span></td><td><span class=\"long\">").text(row.happened);
  html.raw("</span></td><td>").text(refused_by(model, row)).raw("</td>");
  if (with_approval) html.raw("<td>").text(row.approval).raw("</td>");
  html.raw("<td>");
  put_ref(html, row.ref);
  html.raw("</td></tr>\n");
}

}  // namespace

void put_exceptions(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<section id=\"exceptions\"><h2>Exceptions</h2>\n");
  const std::size_t count = model.exceptions.size();
  if (count == 0) {
    html.raw("<p>").text(model.runs.empty() ? empty_period_text() : "None was recorded.").raw(" ");
    html.text(sensor_text(model)).raw("</p></section>\n");
    return;
  }
  const std::size_t shown = std::min(count, page.limits.rows);
  const bool with_approval = has_approvals(model);
  html.raw("<p>").text(order_text()).raw("</p>\n<p>").text(no_exceptions_text()).raw("</p>\n");
  put_shown(html, shown, count, "in that order", "exceptions.csv");
  TableHead head;
  head.filter = "exceptions";
  head.caption =
      "Every event of the kinds named above that the records of the period hold; what is said to "
      "be "
      "not listed is elsewhere. Refused acts of one run under one rule are one "
      "line, whatever their objects and answers, told apart by what they would have done. ";
  head.columns = {{"What and rule"},     {"Tool and run"},  {"When"},
                  {"Tried, or reached"}, {"What happened"}, {"Refused by"}};
  if (with_approval) {
    head.columns.push_back({"Approval"});
  } else {
    head.more = "Approval: no decision was bound to any of these runs. ";
  }
  head.more = exceptions_counted(model) + ". " + head.more + std::string(refusers_text()) + ". ";
  head.columns.push_back({"First record"});
  open_table(html, head);
  for (std::size_t i = 0; i < shown; ++i) put_exception(page, model.exceptions[i], with_approval);
  close_table(html);
  html.raw("</section>\n");
}

void put_completeness(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw(
      "<section id=\"completeness\"><h2>Completeness</h2>\n<dl "
      "class=\"facts\"><dt>Period</dt><dd>");
  put_coverage(html, model);
  html.raw("</dd>\n<dt>Period before</dt><dd>").text(comparison_text(model));
  html.raw("</dd>\n<dt>Records</dt><dd>")
      .text(covered_records(model.source))
      .raw(", without a hole in the numbers</dd>\n");
  if (const std::string gone = pruned_text(model); !gone.empty())
    html.raw("<dt>Dropped</dt><dd><strong>").text(gone).raw("</strong></dd>\n");
  html.raw("<dt>Without an end</dt><dd>");
  put_count(html, model.now.open, "run of the period has", "runs of the period have");
  html.raw(" no end up to the last record</dd>\n<dt>Aborted</dt><dd>");
  put_count(html, model.now.aborted, "run lost its supervisor and was closed by recovery",
            "runs lost their supervisor and were closed by recovery");
  html.raw("</dd>\n<dt>Straddling</dt><dd>");
  const StraddlingWords straddling = straddling_words(model);
  html.text(straddling.start).raw("; ").text(straddling.end);
  html.raw("</dd>\n<dt>Lost events</dt><dd>");
  html.number(model.now.lost_acts).raw(" acts were counted without a record of their own, in ");
  put_count(html, model.now.gap_records, "gap record", "gap records");
  html.raw("</dd>\n<dt>Clock</dt><dd>");
  put_count(html, model.clock_anomalies, "record carries", "records carry");
  html.raw(
      " a wall clock time more than 2 s before an earlier record; order is by record "
      "number</dd></dl>\n");
  TableHead head;
  head.caption =
      "Tie-out: each record of the checkpoint is in exactly one column; the bottom right figure is "
      "the checkpoint's size. "
      "A record belongs where its run was opened.";
  head.columns = {{"Records"},          {"Runs of the period", true}, {"Runs before", true},
                  {"Runs after", true}, {"The ledger's own", true},   {"Total", true}};
  open_table(html, head);
  TieOutRow sum;
  const auto cells = [&html](const TieOutRow& row) {
    for (const std::int64_t value : {row.period, row.before, row.after, row.ledger, row.total()}) {
      html.raw("<td class=\"n\">").number(value).raw("</td>");
    }
    html.raw("</tr>\n");
  };
  for (const TieOutRow& row : model.tie_out) {
    sum.period += row.period;
    sum.before += row.before;
    sum.after += row.after;
    sum.ledger += row.ledger;
    if (row.total() == 0) continue;
    html.raw("<tr><th scope=\"row\">");
    put_code(html, row.type);
    html.raw("</th>");
    cells(row);
  }
  html.raw("</tbody><tfoot><tr><th scope=\"row\">All</th>");
  cells(sum);
  html.raw("</tfoot></table></div></section>\n");
}

}  // namespace ethos::reports
