// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "reports/coverage.h"
#include "reports/html.h"
#include "reports/html_parts.h"
#include "reports/limit_words.h"
#include "reports/tally_rows.h"
#include "reports/text.h"
#include "reports/unwatched.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

struct Tile {
  Markup anchor, label;
  std::int64_t now = 0;
  std::int64_t previous = -1;  // -1: not compared
  std::string note = {};       // may be empty
};

void put_tile(Html& html, const Tile& tile, Coverage::State before) {
  html.raw("<li><a href=\"")
      .raw(tile.anchor)
      .raw("\"><b>")
      .number(tile.now)
      .raw("</b><span class=\"t\">");
  html.raw(tile.label).raw("</span></a>");
  if (!tile.note.empty()) html.raw("<small>").text(tile.note).raw("</small> ");
  if (tile.previous >= 0 && before == Coverage::State::none) {
    html.raw("<small>period before: not covered</small>");
  } else if (tile.previous >= 0) {
    html.raw(before == Coverage::State::part ? Markup("<small>period before (in part): ")
                                             : Markup("<small>period before: "));
    html.number(tile.previous).raw("</small>");
  }
  html.raw("</li>\n");
}

// A tile may be all that is read of a figure.
std::string presumed_note(const Model& model) {
  const std::int64_t presumed = presumed_limits(model);
  if (presumed == 0) return {};
  return std::to_string(presumed) + " of them: at or near the limit, refusal presumed;";
}
std::string unwatched_note(const Model& model) {
  const std::int64_t blind = unwatched_runs(model).all();
  if (blind == 0) return {};
  return "refused reads unseen in " + std::to_string(blind) + " of " +
         std::to_string(model.now.started) + " runs;";
}

std::string drift_note(const Model& model) {
  const bool all_first = model.first_sets() == static_cast<std::int64_t>(model.drift.size());
  return all_first && model.first_sets() != 0 ? "nothing to compare with" : "";
}

std::string coverage_note(const Model& model) {
  if (model.covered.state == Coverage::State::none) return "the period is not covered;";
  const std::string share = covered_share(model);
  if (!share.empty()) return share + ";";
  return model.covered.state == Coverage::State::part ? "the period is covered in part;" : "";
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
    page.html.number(page.model.now.started).raw(" runs in a cage");
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

}  // namespace

void put_figures(const Page& page) {
  open_details(page).raw(
      "><summary>All figures</summary><div class=\"inner scroll\" "
      "tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table><caption>Every format "
      "prints these figures from one model. ");
  const Coverage::State then = page.model.covered_before.state;
  if (then != Coverage::State::whole || page.model.covered.state != Coverage::State::whole)
    page.html.text(comparison_text(page.model));
  page.html
      .raw(
          "</caption><thead><tr><th scope=\"col\">Figure</th><th scope=\"col\" "
          "class=\"n\">Period</th><th scope=\"col\" class=\"n\">")
      .text(previous_label(then))
      .raw("</th></tr></thead><tbody>\n");
  for (const TallyRow& row : tally_rows(page.model)) {
    page.html.raw("<tr><th scope=\"row\">").text(row.label).raw("</th><td class=\"n\"");
    page.html.attribute("data-figure", row.key).raw(">").text(row.now).raw("</td><td class=\"n\">");
    page.html.text(then == Coverage::State::none ? std::string_view("–") : row.previous);
    page.html.raw("</td></tr>\n");
  }
  page.html.raw("</tbody></table></div></details>\n");
}

void put_verdicts(const Page& page) {
  const Model& model = page.model;
  Html& html = page.html;
  html.raw(model.verified ? Markup("<section class=\"box\" id=\"verdicts\">\n")
                          : Markup("<section class=\"box no\" id=\"verdicts\">\n"));
  if (model.verified) {
    html.raw("<h2>").text(verified_heading(model)).raw("</h2>\n<p>By ethos-verify ");
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
      ". Eight answers to eight questions; none of them is a mark for the work done. <strong>✓ "
      "holds</strong>: asked and true of what is named beside it, which is the ledger and never "
      "the "
      "period alone. <strong>(✓) holds</strong>: true only within bounds that a reader has to "
      "widen "
      "(the maker's pin, a part of the period). <strong>? not checked</strong>: nobody asked or it "
      "could "
      "not "
      "be decided; nothing is affirmed, and what would be needed is named. <strong>◑ "
      "incomplete</strong>: true, and something is missing. <strong>✗ fails</strong>: not "
      "true.</p>\n<ul class=\"verdicts\">\n");
  for (const Verdict::Check& check : model.verdict.checks) {
    html.raw("<li")
        .attribute("class", is_qualified(model, check) ? "b-incomplete" : "b-" + check.result)
        .raw("><strong>")
        .text(verdict_label(check.name))
        .raw(": <span")
        .attribute("class", is_qualified(model, check) ? "v-incomplete" : "v-" + check.result);
    html.raw(">")
        .raw(verdict_symbol(model, check))
        .text(verdict_word(model, check))
        .raw("</span></strong> <small>");
    html.text(shortened(verdict_says(check), 500)).raw("</small></li>\n");
  }
  html.raw(
      "</ul>\n<p><strong>Not proved</strong> <small>(<a href=\"#not-proved\">the whole "
      "list</a>)</small>:</p><ul>\n");
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
  html.raw("<p>").text(comparison_text(model)).raw("</p>\n<ul class=\"tiles\">\n");
  for (const Tile& tile : {
           Tile{"#runs", "runs opened", now.runs, before.runs, coverage_note(model)},
           Tile{"#allowed", "different names of tools", now.tools, before.tools},
           Tile{"#exceptions", "exceptions", static_cast<std::int64_t>(model.exceptions.size())},
           Tile{"#denials", "refused acts", capped(now.denied_acts), capped(before.denied_acts),
                unwatched_note(model)},
           Tile{"#exceptions", "refused to start", now.refused, before.refused},
           Tile{"#denials", "limit records", now.limit_records, before.limit_records,
                presumed_note(model)},
           Tile{"#completeness", "aborted or without end", now.aborted + now.open,
                before.aborted + before.open},
           Tile{"#drift", "changed sets of grants",
                static_cast<std::int64_t>(model.drift.size()) - model.first_sets(), -1,
                drift_note(model)},
           Tile{"#drift", "first sets of tools not seen before", model.first_sets(), -1,
                model.first_sets() == 0 ? "" : "no earlier run to compare with"},
           Tile{"#weaker", "runs held more weakly", now.runs_with_weaker, before.runs_with_weaker},
       }) {
    put_tile(html, tile, model.covered_before.state);
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

}  // namespace ethos::reports
