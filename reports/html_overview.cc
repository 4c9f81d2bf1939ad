// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "reports/html.h"
#include "reports/html_parts.h"
#include "reports/tally_rows.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kShortId = 8;

Markup verdict_symbol(std::string_view result) {
  if (result == "pass") return "✓ ";
  if (result == "fail") return "✗ ";
  if (result == "incomplete") return "◑ ";
  if (result == "none") return "– ";
  return "? ";
}

struct Tile {
  Markup anchor, label;
  std::int64_t now = 0;
  std::int64_t previous = -1;  // -1: not compared
};

void put_tile(Html& html, const Tile& tile) {
  html.raw("<li><a href=\"")
      .raw(tile.anchor)
      .raw("\"><b>")
      .number(tile.now)
      .raw("</b><span class=\"t\">");
  html.raw(tile.label).raw("</span></a>");
  if (tile.previous >= 0) html.raw("<small>period before: ").number(tile.previous).raw("</small>");
  html.raw("</li>\n");
}

std::int64_t capped(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, 9007199254740991ULL));
}

// "none in 118 runs, loopback in 2 runs"
void put_modes(const Page& page, NameId Run::*mode) {
  std::map<std::string, std::int64_t> counts;
  for (const Run& run : page.model.runs) {
    if (run.enforced) ++counts[page.model.text(run.*mode)];
  }
  bool first = true;
  for (const auto& [name, runs] : counts) {
    if (!first) page.html.raw(", ");
    first = false;
    page.html.raw("<strong>")
        .text(name.empty() ? "not recorded" : name)
        .raw("</strong> in ")
        .number(runs)
        .raw(" of ");
    page.html.number(page.model.now.started).raw(" started runs");
  }
}

void put_write_places(const Page& page) {
  constexpr std::size_t kMostPlaces = 12;
  std::map<std::string, std::int64_t> places;
  for (const GrantRow& row : page.model.grant_rows) {
    if (row.grant.capability == Capability::write)
      places[page.model.text(row.grant.object)] += row.runs;
  }
  if (places.empty()) {
    page.html.raw("nothing but the run's own scratch space");
    return;
  }
  std::size_t shown = 0;
  for (const auto& [place, runs] : places) {
    if (shown == kMostPlaces) break;
    if (shown++ != 0) page.html.raw(", ");
    put_code(page.html, shortened(place, 160));
    page.html.raw(" (").number(runs).raw(runs == 1 ? Markup(" run)") : Markup(" runs)"));
  }
  if (places.size() > shown) {
    page.html.raw(" and ")
        .number(static_cast<std::int64_t>(places.size() - shown))
        .raw(" more places (section Allowed versus used)");
  }
}

void put_figures(const Page& page) {
  page.html.raw(
      "<details><summary>All figures</summary><div class=\"inner scroll\" "
      "tabindex=\"0\"><table><caption>Every format "
      "prints these figures from one model.</caption><thead><tr><th scope=\"col\">Figure</th><th "
      "scope=\"col\" "
      "class=\"n\">Period</th><th scope=\"col\" class=\"n\">Period "
      "before</th></tr></thead><tbody>\n");
  for (const TallyRow& row : tally_rows(page.model)) {
    page.html.raw("<tr><th scope=\"row\">").text(row.label).raw("</th><td class=\"n\"");
    page.html.attribute("data-figure", row.key).raw(">").text(row.now).raw("</td><td class=\"n\">");
    page.html.text(row.previous).raw("</td></tr>\n");
  }
  page.html.raw("</tbody></table></div></details>\n");
}

}  // namespace

void put_ref(Html& html, const Ref& ref) {
  html.raw("<span class=\"ref\" title=\"record number and start of its leaf hash\">")
      .text(ref_text(ref))
      .raw("</span>");
}

void put_time(const Page& page, std::int64_t wall_ms) {
  const std::string utc = utc_ms_text(wall_ms);
  page.html.raw("<time").attribute("datetime", utc).attribute("title", utc).raw(">");
  page.html.text(local_text(wall_ms / 1000, page.model.zone)).raw("</time>");
}

void put_time_both(const Page& page, std::int64_t wall_ms) {
  page.html.raw("<time").attribute("datetime", utc_ms_text(wall_ms)).raw(">");
  page.html.text(time_text(page.model, wall_ms)).raw("</time>");
}

void put_code(Html& html, std::string_view text) {
  if (!text.empty()) html.raw("<code>").text(text).raw("</code>");
}

void put_run_link(const Page& page, std::uint32_t index) {
  const Run& run = page.model.runs[index];
  page.html.raw("<a class=\"id\"")
      .attribute("href", "#run-" + run.id)
      .attribute("title", run.id)
      .raw(">");
  page.html.text(std::string_view(run.id).substr(0, kShortId)).raw("</a>");
}

void put_shown(Html& html, std::size_t shown, std::size_t of, std::string_view order,
               std::string_view file) {
  if (shown == of) return;
  html.raw("<p><strong>")
      .number(static_cast<std::uint64_t>(shown))
      .raw(" of ")
      .number(static_cast<std::uint64_t>(of));
  html.raw(" rows shown</strong>, ").text(order).raw("; all are in ").text(file).raw(".</p>\n");
}

bool is_deviating(const Run& run) {
  return run.state != RunState::closed || run.denial_records != 0 || run.setup_denials != 0 ||
         run.limit_records != 0 || run.gaps != 0 || run.left_behind || run.problem != NameId::none;
}

void put_verdicts(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw(model.verified ? Markup("<section class=\"box\" id=\"verdicts\">\n")
                          : Markup("<section class=\"box no\" id=\"verdicts\">\n"));
  if (model.verified) {
    html.raw("<h2>Verified to record ")
        .number(model.source.size - 1)
        .raw("</h2>\n<p>By ethos-verify ");
  } else {
    html.raw("<h2>Not verified</h2>\n<p><strong>")
        .text(model.unverified_reason)
        .raw(".</strong> Checked by ethos-verify ");
  }
  html.text(model.verdict.verifier).raw(" with ");
  if (model.verdict.pin_fingerprint.empty()) {
    html.raw("no pin");
  } else {
    html.raw("pin ");
    put_code(html, model.verdict.pin_fingerprint);
  }
  html.raw(
      ". Eight answers to eight questions; none of them is a mark for the work done.</p>\n<ul "
      "class=\"verdicts\">\n");
  for (const Verdict::Check& check : model.verdict.checks) {
    html.raw("<li><strong>")
        .text(verdict_label(check.name))
        .raw(": <span")
        .attribute("class", "v-" + check.result);
    html.raw(">")
        .raw(verdict_symbol(check.result))
        .text(verdict_word(check.result))
        .raw("</span></strong> <small>");
    html.text(verdict_meaning(check.name)).raw("; ").number(check.checked).raw(" checked. ");
    html.text(shortened(check.text, 300)).raw("</small></li>\n");
  }
  html.raw(
      "</ul>\n<p><strong>Not proved</strong> <small>(<a href=\"#not-proved\">all of "
      "it</a>)</small>:</p><ul>\n");
  const std::vector<std::string> missing = not_proved(model);
  for (std::size_t i = 0; i < std::min<std::size_t>(4, missing.size()); ++i) {
    html.raw("<li>").text(missing[i]).raw("</li>\n");
  }
  html.raw("</ul>\n</section>\n");
}

void put_minute(const Page& page) {
  const Model& model = page.model;
  const Tally& now = model.now;
  const Tally& before = model.previous;
  Html& html = page.html;
  html.raw("<section id=\"minute\"><h2>In one minute</h2>\n");
  if (model.runs.empty()) html.raw("<p><strong>").text(empty_period_text()).raw("</strong></p>\n");
  html.raw("<ul class=\"tiles\">\n");
  for (const Tile& tile : {
           Tile{"#runs", "runs opened", now.runs, before.runs},
           Tile{"#allowed", "different tools", now.tools, before.tools},
           Tile{"#exceptions", "exceptions", static_cast<std::int64_t>(model.exceptions.size())},
           Tile{"#denials", "refused acts", capped(now.denied_acts), capped(before.denied_acts)},
           Tile{"#exceptions", "refused to start", now.refused, before.refused},
           Tile{"#denials", "limits reached", now.limit_records, before.limit_records},
           Tile{"#completeness", "aborted or without end", now.aborted + now.open,
                before.aborted + before.open},
           Tile{"#weaker", "runs held more weakly", now.runs_with_weaker, before.runs_with_weaker},
       }) {
    put_tile(html, tile);
  }
  html.raw("</ul>\n");
  if (now.started != 0) {
    html.raw("<dl class=\"facts\"><dt>Network</dt><dd>");
    put_modes(page, &Run::network);
    html.raw("</dd>\n<dt>Git data</dt><dd>");
    put_modes(page, &Run::git);
    html.raw("</dd>\n<dt>Could write to</dt><dd>");
    put_write_places(page);
    html.raw("</dd></dl>\n");
  }
  html.raw("<p>Denials: ").text(sensor_text(model)).raw("</p>\n");
  put_figures(page);
  html.raw("</section>\n");
}

void put_exceptions(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw("<section id=\"exceptions\"><h2>Exceptions and deviations</h2>\n");
  const std::size_t count = model.exceptions.size();
  if (count == 0) {
    html.raw("<p>").text(model.runs.empty() ? empty_period_text() : "None was recorded. ").raw(" ");
    html.text(sensor_text(model)).raw("</p></section>\n");
    return;
  }
  const std::size_t shown = std::min(count, kMaxRows);
  put_shown(html, shown, count, "the gravest kinds first", "exceptions.csv");
  html.raw(
      "<div class=\"scroll\" tabindex=\"0\"><table data-filter=\"exceptions\"><caption>Everything "
      "that did not go as declared, "
      "the gravest kinds first. Equal acts of one run under one rule are one "
      "line.</caption><thead><tr><th scope=\"col\">What</th>"
      "<th scope=\"col\">Tool</th><th scope=\"col\">Run</th><th scope=\"col\">When</th><th "
      "scope=\"col\">Rule</th><th scope=\"col\">Tried</th>"
      "<th scope=\"col\">What happened</th><th scope=\"col\">Approval</th><th "
      "scope=\"col\">Record</th></tr></thead><tbody>\n");
  for (std::size_t i = 0; i < shown; ++i) {
    const Exception& row = model.exceptions[i];
    html.raw("<tr><td><span")
        .attribute("class", "tag k-" + std::string(name_of(row.kind)))
        .raw(">");
    html.text(label_of(row.kind))
        .raw("</span></td><td class=\"nw\">")
        .text(model.text(model.runs[row.run].tool))
        .raw("</td><td>");
    put_run_link(page, row.run);
    html.raw("</td><td>");
    put_time(page, row.at_ms);
    html.raw("</td><td class=\"nw\">").text(row.rule).raw("</td><td><span class=\"long\">");
    put_code(html, row.tried);
    html.raw("</span></td><td><span class=\"long\">")
        .text(row.happened)
        .raw("</span></td><td>")
        .text(row.approval)
        .raw("</td><td>");
    put_ref(html, row.ref);
    html.raw("</td></tr>\n");
  }
  html.raw("</tbody></table></div></section>\n");
}

void put_completeness(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw(
      "<section id=\"completeness\"><h2>Completeness</h2>\n<dl "
      "class=\"facts\"><dt>Records</dt><dd>0 to ");
  html.number(model.source.size - 1)
      .raw(", ")
      .number(model.source.size)
      .raw(" in all, without a hole in the numbers</dd>\n");
  html.raw("<dt>Without an end</dt><dd>")
      .number(model.now.open)
      .raw(" runs of the period have no end up to the last record</dd>\n");
  html.raw("<dt>Aborted</dt><dd>")
      .number(model.now.aborted)
      .raw(" runs lost their supervisor and were closed by recovery</dd>\n");
  html.raw("<dt>Straddling</dt><dd>")
      .number(model.open_at_start)
      .raw(" runs were open when the period began (they are not counted in it), ");
  html.number(model.open_at_end)
      .raw(" were open when it ended (they are)</dd>\n<dt>Lost events</dt><dd>");
  html.number(model.now.lost_acts)
      .raw(" acts were counted without a record of their own, in ")
      .number(model.now.gap_records);
  html.raw(" gap records</dd>\n<dt>Clock</dt><dd>").number(model.clock_anomalies);
  html.raw(
      " records carry a wall clock time more than 2 s before an earlier record; order is by record "
      "number</dd></dl>\n");
  html.raw(
      "<div class=\"scroll\" tabindex=\"0\"><table><caption>Tie-out: each record of the checkpoint "
      "is in exactly one column; the "
      "bottom right figure is the checkpoint's size. A record belongs where its run was "
      "opened.</caption><thead><tr><th scope=\"col\">Records</th>"
      "<th scope=\"col\" class=\"n\">Runs of the period</th><th scope=\"col\" class=\"n\">Runs "
      "before</th><th scope=\"col\" class=\"n\">Runs after</th>"
      "<th scope=\"col\" class=\"n\">The ledger's own</th><th scope=\"col\" "
      "class=\"n\">Total</th></tr></thead><tbody>\n");
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
