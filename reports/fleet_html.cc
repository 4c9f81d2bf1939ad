// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet_html.h"

#include <algorithm>
#include <array>

#include "reports/coverage.h"
#include "reports/html_frame.h"
#include "reports/limit_forms.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

constexpr std::array<PageSection, 9> kSections = {{
    {"#verdicts", "Ledgers and verdicts"},
    {"#minute", "In one minute"},
    {"#exceptions", "Exceptions"},
    {"#completeness", "Completeness"},
    {"#allowed", "Allowed versus used"},
    {"#denials", "Denials and limits"},
    {"#drift", "Drift of grants"},
    {"#controls", "Evidence by kind"},
    {"#check", "Check it, and limits"},
}};

// Eight of them stand in one row.
Markup short_word(std::string_view result) {
  if (result == "pass") return "holds";
  if (result == "fail") return "fails";
  return result == "incomplete" ? Markup("incomplete") : Markup("not checked");
}

std::string covered_word(const Coverage& coverage) {
  if (coverage.state == Coverage::State::whole) return "whole";
  if (coverage.state == Coverage::State::none) return "nothing of it";
  return std::string("in part:") +
         (coverage.begins_earlier ? " begins before the first record" : "") +
         (coverage.begins_earlier && coverage.ends_later ? "," : "") +
         (coverage.ends_later ? " not known to be over" : "");
}

class FleetPage {
 public:
  FleetPage(const Fleet& fleet, const Page& page)
      : fleet_(fleet), frame_(fleet.frame), page_(page), html_(page.html) {}

  void write() {
    open_document(page_, kSections);
    masthead();
    html_.raw("<main>\n");
    verdicts();
    minute();
    exceptions();
    completeness();
    allowed();
    denials();
    drift();
    controls();
    check();
    html_.raw("</main>\n");
    open_footer(html_);
    html_.raw("</footer>\n");
    close_document(page_);
  }

 private:
  void masthead() {
    html_.raw("<header class=\"mast\">\n<h1>").text(frame_.title).raw("</h1>\n");
    if (!frame_.organisation.empty()) html_.raw("<p>").text(frame_.organisation).raw("</p>\n");
    html_.raw("<dl class=\"facts\">\n<dt>Period</dt><dd><strong>").text(frame_.period.text());
    html_.raw("</strong>, ").text(frame_.zone.name()).raw(", both days included (");
    put_count(html_, frame_.period.day_count(), "day", "days");
    html_.raw(")</dd>\n<dt>Covered</dt><dd>").text(coverage_text(frame_));
    html_.raw("</dd>\n<dt>Made from</dt><dd>");
    put_count(html_, static_cast<std::int64_t>(fleet_.members.size()), "ledger, ", "ledgers, ");
    put_count(html_, frame_.source.size, "record", "records");
    html_.raw(", digest ");
    put_code(html_, frame_.source.root);
    html_.raw("</dd>\n<dt>Newest record</dt><dd>");
    put_time_both(page_, frame_.source.head_ms);
    html_.raw(
        " <span class=\"mute\">(the time of this document; no other clock was "
        "read)</span></dd>\n<dt>Made by</dt><dd>");
    html_.text(frame_.generator).raw("</dd>\n</dl>\n</header>\n");
  }

  void verdicts() {
    html_.raw(frame_.verified ? Markup("<section class=\"box\" id=\"verdicts\">\n<h2>")
                              : Markup("<section class=\"box no\" id=\"verdicts\">\n<h2>"));
    html_.number(static_cast<std::int64_t>(fleet_.members.size()) - fleet_.unverified());
    html_.raw(" of ").number(fleet_.members.size()).raw(" ledgers verified</h2>\n");
    html_.raw(
        "<p>Each was judged by itself against its own pin. What is not verified is in its own line "
        "and in no sum.</p></section>\n");
    const std::size_t shown = std::min(fleet_.members.size(), page_.limits.run_rows);
    put_shown(html_, shown, fleet_.members.size(), "in the order of the list", "members.csv");
    open_table(
        html_,
        {"member-rows",
         "The eight verdicts of each ledger. Not checked affirms nothing: nobody asked, or it "
         "could not be checked; the report of the ledger says what is needed.",
         "",
         {{"Ledger"},
          {"Records", true},
          {"Last record"},
          {"Integrity"},
          {"Signatures"},
          {"Trust"},
          {"Completeness"},
          {"Freshness"},
          {"Time"},
          {"Disclosure"},
          {"Policy"}}});
    for (std::size_t i = 0; i < shown; ++i) verdict_row(fleet_.members[i]);
    close_table(html_);
  }

  void verdict_row(const FleetMember& member) {
    html_.raw("<tr").attribute("id", "m-" + member.name).raw("><th scope=\"row\">");
    html_.raw("<span class=\"nw\">")
        .text(member.name)
        .raw("</span><br><span class=\"ref\">")
        .text(member.source.origin);
    html_.raw("</span>");
    if (!member.verified) {
      html_.raw("<br><strong class=\"v-fail\">✗ NOT VERIFIED: ").text(member.reason);
      html_.raw("</strong>");
    }
    html_.raw("</th><td class=\"n\">").number(member.source.size).raw("</td><td>");
    if (member.source.head_ms != 0) put_time(page_, member.source.head_ms);
    html_.raw("</td>");
    for (std::size_t i = 0; i < std::size(kVerdictNames); ++i) {
      const std::string result = i < member.checks.size() ? member.checks[i].result : "unknown";
      html_.raw("<td").attribute("class", "nw v-" + result);
      if (i < member.checks.size()) html_.attribute("title", member.checks[i].text);
      html_.raw(">").raw(verdict_symbol(result)).raw(short_word(result)).raw("</td>");
    }
    html_.raw("</tr>\n");
  }

  void tile(Markup anchor, Markup label, std::int64_t now) {
    html_.raw("<li><a href=\"").raw(anchor).raw("\"><b>").number(now);
    html_.raw("</b><span class=\"t\">").raw(label).raw("</span></a></li>\n");
  }

  void minute() {
    const Tally& now = fleet_.now;
    html_.raw("<section id=\"minute\"><h2>In one minute</h2>\n<p>").text(comparison_text(frame_));
    html_.raw("</p>\n<ul class=\"tiles\">\n");
    tile("#verdicts", "ledgers", static_cast<std::int64_t>(fleet_.members.size()));
    tile("#minute", "runs opened", now.runs);
    tile("#exceptions", "exceptions", fleet_.all_exceptions);
    tile("#denials", "refused acts",
         static_cast<std::int64_t>(std::min<std::uint64_t>(now.denied_acts, 9007199254740991ULL)));
    tile("#exceptions", "refused to start", now.refused);
    tile("#denials", "limit records", now.limit_records);
    tile("#completeness", "aborted or without end", now.aborted + now.open);
    tile("#drift", "tools with other grants", static_cast<std::int64_t>(fleet_.changes.size()));
    html_.raw("</ul>\n");
    put_figures(page_);
    const std::size_t shown = std::min(fleet_.members.size(), page_.limits.run_rows);
    put_shown(html_, shown, fleet_.members.size(), "in the order of the list", "figures.csv");
    open_table(html_, {"figure-rows",
                       "By ledger. A ledger without a run in the period is not a quiet one: no "
                       "event reached it. –: the ledger does not cover the period before.",
                       "",
                       {{"Ledger"},
                        {"Runs", true},
                        {"Period before", true},
                        {"Refused to start", true},
                        {"Refused acts", true},
                        {"Limits", true},
                        {"Aborted or open", true},
                        {"Lost acts", true},
                        {"Exceptions", true},
                        {"Tools widened", true}}});
    for (std::size_t i = 0; i < shown; ++i) figure_row(fleet_.members[i]);
    close_table(html_);
    html_.raw("</section>\n");
  }

  template <typename Number>
  void cell(Number value) {
    html_.raw("<td class=\"n\">").number(value).raw("</td>");
  }

  void straddling(std::int64_t runs, bool is_known, std::string_view last) {
    html_.raw("<td class=\"n\">");
    if (is_known) {
      html_.number(runs);
    } else {
      html_.raw("not known").text(last);
      if (!last.empty()) html_.number(runs);
    }
    html_.raw("</td>");
  }

  void figure_row(const FleetMember& member) {
    const Tally& now = member.now;
    html_.raw("<tr><th scope=\"row\">").text(member.name);
    if (!member.verified) html_.raw(" <small class=\"v-fail\">✗ not verified, in no sum</small>");
    html_.raw("</th>");
    cell(now.runs);
    if (member.covered_before.state == Coverage::State::none) {
      html_.raw("<td class=\"n\">–</td>");
    } else {
      cell(member.previous.runs);
    }
    cell(now.refused);
    cell(now.denied_acts);
    cell(now.limit_records);
    cell(now.aborted + now.open);
    cell(now.lost_acts);
    cell(member.exceptions);
    cell(member.widened);
    html_.raw("</tr>\n");
  }

  void member_name(std::uint32_t member) {
    const std::string& name = fleet_.members[member].name;
    html_.raw("<a class=\"nw\"").attribute("href", "#m-" + name).raw(">").text(name).raw("</a>");
  }

  void exceptions() {
    html_.raw("<section id=\"exceptions\"><h2>Exceptions</h2>\n");
    const std::size_t shown = std::min(fleet_.exceptions.size(), page_.limits.rows);
    if (fleet_.exceptions.empty()) {
      html_.raw("<p>").text(fleet_.now.runs == 0 ? empty_period_text() : "None.");
      html_.raw("</p></section>\n");
      return;
    }
    put_shown(html_, shown, static_cast<std::size_t>(fleet_.all_exceptions),
              "the gravest kinds first", "exceptions.csv or the report of the ledger");
    open_table(html_, {"exceptions",
                       "What did not go as declared, of all verified ledgers.",
                       "",
                       {{"What and rule"},
                        {"Ledger"},
                        {"Tool and run"},
                        {"When"},
                        {"Tried"},
                        {"What happened"},
                        {"Approval"},
                        {"Record"}}});
    for (std::size_t i = 0; i < shown; ++i) exception_row(fleet_.exceptions[i]);
    close_table(html_);
    html_.raw("</section>\n");
  }

  void exception_row(const FleetException& row) {
    html_.raw("<tr><td><span").attribute("class", "tag k-" + std::string(name_of(row.what.kind)));
    html_.raw(">").text(label_of(row.what)).raw("</span>");
    if (!row.what.rule.empty()) {
      html_.raw("<br>").text(row.what.kind == ExceptionKind::limit ? limit_label(row.what.rule)
                                                                   : row.what.rule);
    }
    html_.raw("</td><td>");
    member_name(row.member);
    html_.raw("</td><td>").text(row.tool).raw("<br><span class=\"id\"");
    html_.attribute("title", row.run).raw(">").text(row.run.substr(0, 8)).raw("</span></td><td>");
    put_time(page_, row.what.at_ms);
    html_.raw("</td><td><span class=\"long\">");
    put_code(html_, row.what.tried);
    html_.raw("</span></td><td>").text(row.what.happened).raw("</td><td>");
    html_.text(row.what.approval).raw("</td><td>");
    put_ref(html_, row.what.ref);
    html_.raw("</td></tr>\n");
  }

  void completeness() {
    html_.raw("<section id=\"completeness\"><h2>Completeness</h2>\n");
    const std::size_t shown = std::min(fleet_.members.size(), page_.limits.run_rows);
    put_shown(html_, shown, fleet_.members.size(), "in the order of the list", "members.csv");
    open_table(
        html_,
        {"",
         "Each ledger is one unbroken row of numbers from 0 to its last record; its "
         "own report has the table that accounts for every record. Open at start, at end: runs "
         "that straddle the period's begin (counted in the period before) and its "
         "end (counted in this one).",
         "",
         {{"Ledger"},
          {"Records", true},
          {"Period covered"},
          {"Period before"},
          {"Open at start", true},
          {"Open at end", true},
          {"Without end", true},
          {"Aborted", true},
          {"Gap records", true},
          {"Lost acts", true},
          {"Clock anomalies", true},
          {"Completeness"}}});
    for (std::size_t i = 0; i < shown; ++i) {
      const FleetMember& member = fleet_.members[i];
      html_.raw("<tr><th scope=\"row\">").text(member.name).raw("</th>");
      cell(member.source.size);
      html_.raw("<td>").text(covered_word(member.covered)).raw("</td><td>");
      html_.text(covered_word(member.covered_before)).raw("</td>");
      straddling(member.open_at_start, knows_start(member), "");
      straddling(member.open_at_end, knows_end(member), "; at the last record ");
      cell(member.now.open);
      cell(member.now.aborted);
      cell(member.now.gap_records);
      cell(member.now.lost_acts);
      cell(member.clock_anomalies);
      html_.raw("<td>").text(member.checks.size() > 3 ? member.checks[3].text : member.reason);
      html_.raw("</td></tr>\n");
    }
    close_table(html_);
    html_.raw("</section>\n");
  }

  void allowed() {
    html_.raw("<section id=\"allowed\"><h2>Allowed versus used</h2>\n");
    if (fleet_.tools.empty()) {
      html_.raw("<p>").text(empty_period_text()).raw("</p>\n");
    } else {
      html_.raw(
          "<p>Sums over all verified ledgers; a tool of one name on several hosts is one "
          "line.</p>\n");
      put_matrix(page_);
    }
    html_.raw("</section>\n");
  }

  void denials() {
    html_.raw("<section id=\"denials\"><h2>Denials and limits</h2>\n");
    put_buckets(page_);
    if (!fleet_.rules.empty()) {
      open_table(html_, {"",
                         "By rule, over all verified ledgers.",
                         "",
                         {{"Phase"},
                          {"Rule"},
                          {"Ledgers", true},
                          {"Records", true},
                          {"Acts", true},
                          {"Runs", true}}});
      for (const FleetRule& row : fleet_.rules) {
        html_.raw("<tr><td>").text(row.phase).raw("</td><td>");
        put_code(html_, row.rule.empty() ? "(no rule named)" : row.rule);
        html_.raw("</td>");
        cell(row.members);
        cell(row.records);
        cell(row.acts);
        cell(row.runs);
        html_.raw("</tr>\n");
      }
      close_table(html_);
    }
    html_.raw("</section>\n");
  }

  void drift() {
    html_.raw("<section id=\"drift\"><h2>Drift of grants</h2>\n<p>From ");
    html_.text(frame_.comparison.from.words).raw(" to ").text(frame_.comparison.to.words);
    html_.raw(": ");
    put_count(html_, static_cast<std::int64_t>(fleet_.changes.size()),
              "tool of a ledger has other grants, ", "tools of a ledger have other grants, ");
    html_.number(std::count_if(fleet_.changes.begin(), fleet_.changes.end(),
                               [](const FleetChange& row) { return row.is_unapproved; }));
    html_.raw(" of them new or widened without an approval in the records.</p>\n");
    if (!fleet_.changes.empty()) {
      const std::size_t shown = std::min(fleet_.changes.size(), page_.limits.rows);
      put_shown(html_, shown, fleet_.changes.size(), "by ledger", "comparison.csv");
      open_table(html_, {"comparison-rows",
                         "",
                         "",
                         {{"Ledger"},
                          {"Tool"},
                          {"State"},
                          {"What changed"},
                          {"Since"},
                          {"Approval"},
                          {"Record"}}});
      for (std::size_t i = 0; i < shown; ++i) change_row(fleet_.changes[i]);
      close_table(html_);
    }
    html_.raw("</section>\n");
  }

  void change_row(const FleetChange& row) {
    html_.raw("<tr><td>");
    member_name(row.member);
    html_.raw("</td><td>").text(row.tool).raw("</td><td>").text(row.state);
    html_.raw("</td><td><span class=\"long\">");
    put_code(html_, row.changes);
    html_.raw("</span></td><td>");
    if (row.since) put_time(page_, row.since_ms);
    html_.raw("</td><td>").text(row.approval).raw("</td><td>");
    if (row.since) put_ref(html_, *row.since);
    html_.raw("</td></tr>\n");
  }

  void controls() {
    const ControlMap& map = frame_.control_map;
    html_.raw(
        "<section id=\"controls\"><h2>Evidence by kind</h2>\n<p>In how many ledgers the "
        "records of the period show each kind of evidence. The report of a ledger says which "
        "controls a kind bears on. Map ");
    put_code(html_, map.id + " " + map.version);
    html_.raw(".</p>\n");
    TableHead head{"", "No control is called met: that judgement is the reader's.", "", {}};
    head.columns.push_back({"Kind of evidence"});
    head.columns.push_back({"Shown", true});
    head.columns.push_back({"Recorded", true});
    head.columns.push_back({"Contradicted", true});
    head.columns.push_back({"In part", true});
    head.columns.push_back({"No event", true});
    head.columns.push_back({"Not recorded", true});
    head.columns.push_back({"Not verified", true});
    open_table(html_, head);
    for (std::size_t i = 0; i < map.kinds.size(); ++i) {
      const ControlCounts counts = count_control(fleet_, i);
      html_.raw("<tr><th scope=\"row\">").text(map.kinds[i].title).raw("</th>");
      for (const std::int64_t count : counts.by_state) cell(count);
      cell(counts.unverified);
      html_.raw("</tr>\n");
    }
    close_table(html_);
    html_.raw("</section>\n");
  }

  void check() {
    html_.raw(
        "<section id=\"check\"><h2>Check it, and limits</h2>\n<p>For each ledger, with the pin "
        "from "
        "where <em>you</em> keep it; no network is used:</p>\n<pre data-copy>ethos-verify --pin "
        "PIN "
        "LEDGER\nethos-report --ledger LEDGER --pin PIN --period ");
    html_.text(frame_.period.text()).raw(" --zone ").text(frame_.zone.name());
    html_.raw(" --out DIR\nethos-report verify --fleet FLEET DIR</pre>\n<ul>\n");
    for (const Markup text :
         {Markup("That these are all ledgers of the organisation: the list was given."),
          Markup(
              "That nothing happened outside the recorded runs: a tool started without ethos-run "
              "leaves no record."),
          Markup("That the clocks of the hosts agree: each ledger has its own."),
          Markup("Everything the reports of the single ledgers list as not proved.")})
      html_.raw("<li>Not proved: ").raw(text).raw("</li>\n");
    html_.raw("</ul>\n<p>Time zone ").text(frame_.zone.name()).raw(", tzdata ");
    html_.text(frame_.tzdata).raw(", file ");
    put_code(html_, frame_.zone.digest());
    html_.raw(". A run belongs to the period it was opened in.</p></section>\n");
  }

  const Fleet& fleet_;
  const Model& frame_;
  const Page& page_;
  Html& html_;
};

}  // namespace

void write_fleet_html(const Fleet& fleet, Sink& sink) {
  Html html(sink);
  FleetPage(fleet, {fleet.frame, html, kScreenLimits, false, true}).write();
}

void write_fleet_print_html(const Fleet& fleet, Sink& sink) {
  Html html(sink);
  FleetPage(fleet, {fleet.frame, html, kPrintLimits, true, true}).write();
}

}  // namespace ethos::reports
