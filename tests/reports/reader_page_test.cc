// SPDX-License-Identifier: Apache-2.0
// What the page says of itself: its order, its times, its programs, its words.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <nlohmann/json.hpp>
#include <regex>

#include "reports/coverage.h"
#include "reports/exceptions.h"
#include "reports/redo.h"
#include "reports/text.h"
#include "tests/reports/support/made.h"

using namespace ethos::reports;
using namespace ethos::support;
using nlohmann::json;

TEST_CASE("reader: the order of exceptions is stated, and what is none", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.exit_code = 1;
  plan.denials = {{"outside-grants", "openat", "path", "a"},
                  {"outside-grants", "openat", "path", "b"},
                  {"git", "openat", "path", ".git/config"}};
  const Made made(kStart - 200 * kDay, {plan});
  const std::string section = section_of(render(made.model).html, "exceptions");
  CHECK(has(section, "2 lines join 3 records"));
  CHECK_FALSE(has(section, "Equal acts"));
  for (const char* words : {"Git data (what is planted there is run later", "no measure of damage",
                            "Not listed: exits of tools other than 0", "without an approval"})
    CHECK(has(section, words));
  // The words follow the order that is sorted by.
  Exception network;
  network.kind = ExceptionKind::denied;
  network.rule = "no-network";
  Exception git = network;
  git.rule = "git";
  Exception hidden = network;
  hidden.rule = "hidden";
  CHECK(rank_of(network) < rank_of(git));
  CHECK(rank_of(git) < rank_of(hidden));
  const std::string order(order_text());
  CHECK(order.find("network") < order.find("Git data"));
  CHECK(order.find("Git data") < order.find("hidden content"));
}

TEST_CASE("reader: how long a tool ran and how long its run took are told apart", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.duration_ms = 1500;
  plan.denials = {{"git", "openat", "path", ".git/config"}};
  Made made(kStart - 200 * kDay, {plan});
  Run& run = made.model.runs.front();
  run.ended_ms = run.started_ms + 4500;
  CHECK(has(span_text(run), "4.5 s, of which the tool ran for 1.5 s"));
  const std::string html = render(made.model).html;
  CHECK(has(html, "4.5 s, of which the tool ran for 1.5 s"));
  CHECK(has(html, "<th scope=\"col\">Opened, ended, ran for</th>"));
  CHECK(has(html, "from the tool&#39;s release to its end"));
  run.ended_ms = run.started_ms + 100;
  CHECK(has(span_text(run), "clock was set"));
  run.ended.reset();
  CHECK(span_text(run).empty());
}

TEST_CASE("reader: completeness is of the ledger, and a document has no time of its own",
          "[reports]") {
  const std::string html = render(small_model()).html;
  CHECK(has(html, "of the ledger, not of the period: every run that has a first record"));
  CHECK_FALSE(has(html, "the time of this document"));
  CHECK(has(html, "the newest moment that this report knows of"));
  CHECK(has(html, "when is not recorded: no clock was read"));
}

TEST_CASE("reader: a good answer is told as it is printed, and what was not asked", "[reports]") {
  Model model = small_model();
  for (Verdict::Check& check : model.verdict.checks) {
    if (check.name == "time" || check.name == "freshness") check.result = "none";
  }
  const Rendered files = render(model);
  std::size_t lists = 0;
  for (const RedoStep& step : redo_steps(model)) {
    lists += step.is_each_line ? 1U : 0U;
    CHECK(step.answer.find("a line for each file") == std::string::npos);
  }
  CHECK(lists == 2);
  CHECK(has(files.html, "each line ends in </small><code>same</code>"));
  CHECK(has(files.html, "each line ends in </small><code>OK</code>"));
  CHECK(has(files.html, "Not asked: Freshness, Time;"));
  CHECK(has(files.html, "ethos-verify --pin PIN --report DIR LEDGER"));
  const json steps = json::parse(files.json)["verification"]["redo_steps"];
  REQUIRE(steps.size() == 5);
  CHECK(steps[0]["each_line"] == false);
  CHECK(steps[4]["each_line"] == true);
}

TEST_CASE("reader: every program that had a part is named, and what makes two the same",
          "[reports]") {
  Model model = small_model();
  model.generator_digest = "sha256:" + std::string(64, '9');
  const Rendered files = render(model);
  for (const char* name : {"ethos-verify", "ethos-report", "ethos-run", "ethos-sarif"})
    CHECK(has(section_of(files.html, "check"), "<tr><th scope=\"row\">" + std::string(name)));
  CHECK(has(files.html, model.generator_digest));
  CHECK(has(files.html, "not recorded: a record names the version"));
  CHECK(has(files.html, "that answer decides"));
  CHECK(has(files.html, "a page cannot name an address that you may trust"));
  CHECK(json::parse(files.json)["verification"]["generator_sha256"] == model.generator_digest);
}

TEST_CASE("reader: ceilings and profiles are printed, and who may change a declaration",
          "[reports]") {
  const Model model = small_model();
  const Rendered files = render(model);
  const std::string section = section_of(files.html, "weaker");
  CHECK(has(section, "Ceilings: workspace/1 in "));
  CHECK(has(section, "workspace/1 is built in"));
  CHECK(has(section, "Profiles: lint-offline in "));
  CHECK(has(section, "whoever may change the workspace may change it"));
  CHECK(has(joined_not_proved(model), "Who wrote the rules: in "));
  CHECK(has(files.html, "under workspace/1"));
  CHECK(json::parse(files.json)["runs"][0]["ceilings"] == "workspace/1");
}

TEST_CASE("reader: a sample can be drawn with the command on the page, or by hand", "[reports]") {
  const Model model = small_model();
  REQUIRE(model.runs.size() < 25);
  // Options stand in spans, so that they do not break on paper.
  const std::string section =
      std::regex_replace(section_of(render(model).html, "population"),
                         std::regex("<span class=\"opt\">([^<]*)</span>"), "$1");
  CHECK(has(section, sample_command(model)));
  CHECK(has(sample_command(model),
            " --sample " + std::to_string(model.runs.size() / 2) + " --seed "));
  CHECK(has(section, "key = seed, message = run id"));
  CHECK(has(section, "openssl dgst -sha256 -hmac TEXT"));
}

TEST_CASE("reader: the chart of growth steps where runs were opened and ends with the ledger",
          "[reports]") {
  const Made made(kStart - 200 * kDay, {plan_at(kStart + 40 * kDay), plan_at(kStart + 41 * kDay)});
  const std::string section = section_of(render(made.model).html, "population");
  const auto at = section.find("points=\"");
  REQUIRE(at != std::string::npos);
  const std::string points = section.substr(at, section.find('"', at + 8) - at);
  // The start, two steps of two points each, and the last record.
  CHECK(std::count(points.begin(), points.end(), ',') == 6);
  CHECK(has(section, "ends at the last record"));
  CHECK(has(render(small_model()).html, "2 key epochs, "));
  CHECK(has(render(made.model).html, "1 key epoch, "));
}

TEST_CASE("reader: more words of the page are in its glossary", "[reports]") {
  std::string words;
  for (const Term& term : glossary()) {
    for (const char c : term.word)
      words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    words += "\n";
  }
  for (const char* term :
       {"genesis",   "epoch",   "revision",     "profile",      "ceiling", "namespaces",
        "pidfd",     "tree",    "git rule",     "scratch",      "peak",    "control plane",
        "workspace", "catalog", "presumed",     "interpreter",  "release", "seal",
        "digest",    "seed",    "rlimit_nproc", "notified call"}) {
    CAPTURE(term);
    CHECK(has(words, term));
  }
  // By the alphabet, so that a word can be found on paper.
  std::string before;
  for (const Term& term : glossary()) {
    std::string word;
    for (const char c : term.word)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    CAPTURE(before, word);
    CHECK(before <= word);
    before = word;
  }
}

TEST_CASE("reader: on paper no label stands without its value, and no count of all rows",
          "[reports]") {
  const std::string html = render(small_model()).html;
  const auto print = html.find("@media print{");
  REQUIRE(print != std::string::npos);
  const std::string rules = html.substr(print, html.find("</style>") - print);
  CHECK(has(rules, ".facts dt,.facts dd{display:inline"));
  CHECK(has(rules, ".filter.idle"));
  CHECK_FALSE(has(rules, "float:left"));
  CHECK(has(html, "classList.toggle(\"idle\""));
}

TEST_CASE("reader: the limits of a tool are one line of grants, and none is lost", "[reports]") {
  const Model model = small_model();
  const std::string html = render(model).html;
  const auto from = html.find("<table data-filter=\"grants\">");
  REQUIRE(from != std::string::npos);
  const std::string table = html.substr(from, html.find("</table>", from) - from);
  std::size_t lines = 0;
  for (auto at = table.find("<tr><td"); at != std::string::npos; at = table.find("<tr><td", at + 1))
    ++lines;
  std::size_t limits = 0;
  for (const GrantRow& row : model.grant_rows) {
    if (row.grant.capability == Capability::limits) ++limits;
  }
  std::size_t told = 0;
  for (auto at = table.find(" at most "); at != std::string::npos;
       at = table.find(" at most ", at + 1))
    ++told;
  CHECK(told == limits);
  CHECK(lines < model.grant_rows.size());
  CHECK(has(html, "Grant by grant (" + std::to_string(model.grant_rows.size()) + " rows)"));
}

TEST_CASE("reader: first sets of grants are named once", "[reports]") {
  const Made made(kStart - 200 * kDay, {plan_at(kStart)});
  const std::string section = section_of(render(made.model).html, "drift");
  CHECK(has(section, "First sets, with the record of each and the approval: shellcheck "));
  CHECK_FALSE(has(section, "first set of a tool without an earlier run: no change"));
  CHECK(has(section, "none found"));
}

TEST_CASE("reader: what no record covers is no zero, in any format", "[reports]") {
  // Records of the middle of a period of three days only.
  const Made made(kStart + kDay, {plan_at(kStart + kDay + 3600000)}, "2026-10-01..2026-10-03");
  const Rendered files = render(made.model);
  const std::string denials = section_of(files.html, "denials");
  CHECK(has(denials, "2026-10-01</th><td colspan=\"5\">not covered: no record tells</td>"));
  CHECK(has(denials, "2026-10-03</th><td colspan=\"5\">not covered: no record tells</td>"));
  CHECK(has(denials, "2026-10-01: not covered by any record"));
  CHECK(has(section_of(files.html, "population"), "before the first record: not covered"));
  const std::string completeness = section_of(files.html, "completeness");
  CHECK(has(completeness, "open when the period began is not known"));
  CHECK_FALSE(has(completeness, "0 runs were open when"));
  CHECK(has(files.markdown, "open when the period began is not known"));
  const json report = json::parse(files.json);
  CHECK(report["summary"]["previous_period"].is_null());
  REQUIRE(report["buckets"].size() == 3);
  CHECK(report["buckets"][0]["covered"] == "none");
  CHECK(report["buckets"][0]["runs"].is_null());
  CHECK(report["buckets"][1]["runs"] == 1);
  CHECK(report["completeness"]["open_at_start"].is_null());
  CHECK(report["completeness"]["open_at_end"].is_null());
  CHECK(report["completeness"]["open_at_last_record"] == 0);
}

TEST_CASE("reader: how much of the period is covered is a number, beside the count of runs",
          "[reports]") {
  const Made made(kStart + kDay, {plan_at(kStart + kDay + 3600000)}, "2026-10-01..2026-10-03");
  const std::string share = covered_share(made.model);
  CHECK(has(share, " of 72 h 0 min covered ("));
  CHECK(has(render(made.model).html, share));
  CHECK(has(coverage_text(made.model), " of 72 h 0 min, "));
  CHECK(percent_text(73000, 172800000) == "0.042 %");
  CHECK(percent_text(1, 172800000) == "0.001 %");
  CHECK(percent_text(172799999, 172800000) == "99 %");
  CHECK(percent_text(5, 5) == "100 %");
  CHECK(has(render(made.model).html, "the period is covered in part only"));
}

TEST_CASE("reader: a verdict that holds says within what bounds", "[reports]") {
  const Model model = small_model();
  const std::string html = render(model).html;
  CHECK(has(html, "holds for the records as they were signed"));
  CHECK(has(html, "holds against the maker&#39;s pin, not yet against yours"));
  CHECK_FALSE(has(html, "since it was signed"));
  CHECK(has(html, "by what ethos-run wrote down that the kernel showed"));
  CHECK(has(html, "writes nothing unless granted"));
  CHECK(has(joined_not_proved(model), "libraries, plug-ins"));
  CHECK(has(joined_not_proved(model), "names the version and no digest"));
}

TEST_CASE("reader: who hands over what, which program is needed, and what a bad answer is",
          "[reports]") {
  const Model model = small_model();
  const std::string check = section_of(render(model).html, "check");
  CHECK_FALSE(has(check, "none of them from whoever"));
  CHECK(has(check, "only they can hand over"));
  CHECK(has(check, "--target ethos-report"));
  for (const RedoStep& step : redo_steps(model)) {
    CAPTURE(step.command);
    CHECK(has(step.bad, "status"));
    CHECK_FALSE(has(step.bad, "\"FAILED:\""));
  }
  CHECK(has(check, "NOT VERIFIED:"));
  CHECK(has(check, "NOT AS STATED:"));
  CHECK(has(check, "UNVERIFIABLE:"));
  CHECK(has(check, "changed after it was written"));
  CHECK(has(check, "ethos-ledger show --ledger LEDGER --json --from "));
}

TEST_CASE("reader: durations are rounded alike", "[reports]") {
  CHECK(human_duration(3092) == "3.1 s");
  CHECK(human_duration(9960) == "10 s");
  CHECK(human_duration(35568) == "35.6 s");
  CHECK(human_duration(59960) == "1 min");
  CHECK(human_duration(120000) == "2 min");
  CHECK(human_duration(3600000 + 59 * 60000 + 40000) == "2 h 0 min");
}

TEST_CASE("reader: ids and digests of quiet runs are whole", "[reports]") {
  const Made made(kStart - 200 * kDay, {plan_at(kStart)});
  const std::string html = render(made.model).html;
  const Run& run = made.model.runs.front();
  const std::string rows = section_of(html, "runs");
  CHECK(has(rows, ">" + run.id + "</a><br>"));
  CHECK(has(rows, ">" + made.model.text(run.exe_sha256) + "</span>"));
  CHECK_FALSE(has(html, "class=\"rest\""));
}
