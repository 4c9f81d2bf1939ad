// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "reports/html.h"
#include "reports/html_parts.h"
#include "reports/period.h"
#include "reports/redo.h"
#include "reports/sample.h"
#include "reports/svg_chart.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

// A step for each run, or for some hundred stretches of runs when there are more.
void put_growth_points(const Model& model, GrowthChart& chart) {
  constexpr std::size_t kMostSteps = 400;
  const std::int64_t from = model.period.from;
  std::vector<std::int64_t> times;
  times.reserve(model.runs.size());
  for (const Run& run : model.runs) times.push_back(run.started_ms / 1000 - from);
  std::sort(times.begin(), times.end());  // the ledger's order is not the clock's
  const std::size_t steps = std::min(times.size(), kMostSteps);
  std::size_t before = 0;
  for (std::size_t i = 1; i <= steps; ++i) {
    const std::size_t count = times.size() * i / steps;
    const auto at = static_cast<std::uint64_t>(times[count - 1]);
    chart.points.push_back({at, before});
    chart.points.push_back({at, count});
    before = count;
  }
  const std::int64_t last = std::min(model.source.head_ms / 1000, model.period.until) - from;
  if (!times.empty() && last > times.back())
    chart.points.push_back({static_cast<std::uint64_t>(last), times.size()});
}

// How the population grew over the period, with a tick for each run of the sample.
void put_growth(const Page& page) {
  const Model& model = page.model;
  if (model.runs.empty()) return;
  const std::int64_t from = model.period.from;
  GrowthChart chart{
      "chart-population", "Runs opened since the period began", "", "", "", 1, 0, 0, {}, {}};
  chart.length = static_cast<std::uint64_t>(model.period.until - from);
  chart.begins = static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(model.source.first_ms / 1000 - from, 0, model.period.until - from));
  if (!model.runs.empty()) {
    // A clock that was set back may open a run before the first record.
    const auto earliest =
        std::min_element(model.runs.begin(), model.runs.end(),
                         [](const Run& a, const Run& b) { return a.started_ms < b.started_ms; });
    chart.begins = std::min(chart.begins, static_cast<std::uint64_t>(std::max<std::int64_t>(
                                              0, earliest->started_ms / 1000 - from)));
  }
  chart.ends = chart.length;
  if (model.source.head_ms < model.period.until * 1000)
    chart.ends =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, model.source.head_ms / 1000 - from));
  chart.first_label = date_text(model.period.first_day) + " 00:00";
  chart.last_label = "end of " + date_text(model.period.last_day);
  put_growth_points(model, chart);
  const auto total = static_cast<std::uint64_t>(model.runs.size());
  constexpr std::size_t kMostMarks = 500;
  if (model.sample) {
    for (const std::uint32_t pick : model.sample->picks) {
      if (chart.marks.size() == kMostMarks) break;
      const Run& run = model.runs[pick];
      chart.marks.push_back({model.text(run.tool) + ", " + utc_ms_text(run.started_ms),
                             static_cast<std::uint64_t>(run.started_ms / 1000 - from)});
    }
  }
  chart.description = std::to_string(total) + " runs up to the last record of the period, " +
                      std::to_string(chart.marks.size()) + " of them marked as drawn.";
  page.html.raw("<figure>");
  put_growth_chart(page.html, chart);
  page.html
      .raw(
          "<figcaption>Runs opened since the period began, each step where a run was opened; the "
          "line begins at the first record and ends at the last record; of the time before and "
          "after, in a dashed frame, nothing is known")
      .raw(model.sample ? Markup("; a tick below the axis is a run of the sample. ")
                        : Markup(". "));
  page.html.raw("The figures are in the section Denials and limits.</figcaption></figure>\n");
}

}  // namespace

void put_population(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<section id=\"population\"><h2>Population and sample</h2>\n<p>")
      .text(query_text(model));
  html.raw("</p>\n<dl class=\"facts\"><dt>Population</dt><dd>")
      .number(static_cast<std::int64_t>(model.runs.size()));
  html.raw(" runs, digest ");
  put_code(html, model.population);
  html.raw(" <span class=\"mute\">(")
      .text(population_method())
      .raw(")</span></dd>\n<dt>Sample</dt><dd>");
  if (!model.sample) {
    html.raw("none drawn. Whoever checks gives TEXT, a seed of his own:\n<pre data-copy>");
    put_command(html, sample_command(model));
    html.raw("\n</pre>It draws ").text(sample_method());
    html.raw(". To draw by hand, sort what this prints for each run id of runs.csv:\n<pre>")
        .text("printf %s RUN | openssl dgst -sha256 -hmac TEXT")
        .raw("\n</pre></dd></dl>\n");
    put_growth(page);
    html.raw("</section>\n");
    return;
  }
  html.number(static_cast<std::int64_t>(model.sample->picks.size()))
      .raw(" of ")
      .number(model.sample->asked)
      .raw(" asked for, seed ");
  put_code(html, model.sample->seed);
  html.raw(" <span class=\"mute\">(").text(sample_method()).raw(")</span></dd></dl>\n");
  put_growth(page);
  open_table(html, {"",
                    "In the order they were drawn. Each has its details in the section Runs.",
                    "",
                    {{"No.", true}, {"Run"}, {"Tool"}, {"Opened"}, {"Ended"}, {"Record"}}});
  for (std::size_t i = 0; i < model.sample->picks.size(); ++i) {
    const Run& run = model.runs[model.sample->picks[i]];
    html.raw("<tr><td class=\"n\">").number(static_cast<std::uint64_t>(i + 1)).raw("</td><td>");
    put_run_link(page, model.sample->picks[i]);
    html.raw("</td><td>").text(model.text(run.tool)).raw("</td><td>");
    put_time(page, run.started_ms);
    html.raw("</td><td>").text(outcome_text(model, run)).raw("</td><td>");
    put_ref(html, run.opened);
    html.raw("</td></tr>\n");
  }
  close_table(html);
  html.raw("</section>\n");
}

}  // namespace ethos::reports
