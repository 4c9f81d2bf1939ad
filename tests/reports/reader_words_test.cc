// SPDX-License-Identifier: Apache-2.0
// A word or a mark claims no more than was read back, one thing has one word, and each run stands
// with what ran, when, under which rules.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "reports/control_judge.h"
#include "reports/controls.h"
#include "reports/programs.h"
#include "reports/redo.h"
#include "tests/reports/support/made.h"

using namespace ethos::reports;
using namespace ethos::support;
using nlohmann::json;

namespace {

// What a person reads: without style, scripts and tags.
std::string visible_text(const std::string& html) {
  std::string out;
  const auto body = html.find("<body");
  REQUIRE(body != std::string::npos);
  const std::string rest = html.substr(body);
  for (std::size_t at = 0; at < rest.size(); ++at) {
    if (rest[at] != '<') {
      out += rest[at];
      continue;
    }
    const bool is_script = rest.compare(at, 7, "<script") == 0;
    at = is_script ? rest.find("</script>", at) + 8 : rest.find('>', at);
    if (at >= rest.size()) break;
  }
  return std::regex_replace(std::regex_replace(out, std::regex("&quot;"), "\""),
                            std::regex("&#39;"), "'");
}

std::string cell_of(const std::string& html, const std::string& tool, const std::string& state) {
  const auto row = html.find("<tr><th scope=\"row\">" + tool + "</th>");
  REQUIRE(row != std::string::npos);
  const std::string cells = html.substr(row, html.find("</tr>", row) - row);
  const auto cell = cells.find("<td data-state=\"" + state + "\">");
  return cell == std::string::npos ? std::string()
                                   : cells.substr(cell, cells.find("</td>", cell) - cell);
}

}  // namespace

TEST_CASE("reader: an answer within bounds is not counted beside one that needs none",
          "[reports]") {
  // The period is covered in part only.
  Made made(kStart + kDay, {plan_at(kStart + kDay + 3600000)}, "2026-10-01..2026-10-03");
  Model& model = made.model;
  for (Verdict::Check& check : model.verdict.checks)
    check.result = check.name == "time" || check.name == "freshness" ? "none" : "pass";
  const std::string heading = verified_heading(model);
  CHECK(has(heading, "3 hold for the ledger (Integrity, Signatures, Policy)"));
  CHECK(has(heading, "3 hold only within the bounds named (Trust, Completeness, Disclosure)"));
  CHECK(has(heading, "2 not checked (Freshness, Time)"));
  // Each of the eight in one place.
  CHECK(std::count(heading.begin(), heading.end(), ',') == 5);
  const std::string html = render(model).html;
  CHECK(has(html, "(✓) holds against the maker&#39;s pin"));
  // None is a bare "holds".
  for (const Verdict::Check& check : model.verdict.checks) {
    if (check.result == "pass") CHECK(verdict_word(model, check).size() > 12);
  }
  for (Verdict::Check& check : model.verdict.checks) {
    if (check.name == "policy") check.result = "fail";
  }
  CHECK(has(verified_heading(model), ": 1 not true (Policy); "));
}

TEST_CASE("reader: where no cgroup held a limit, nobody says that one could", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.weaker = true;
  const Made made(kStart - 200 * kDay, {plan});
  const std::string all = render(made.model).html + joined_not_proved(made.model);
  for (const char* words : {"cgroup could hold", "cgroup can hold", "gave no cgroup"})
    CHECK_FALSE(has(all, words));
  CHECK(has(joined_not_proved(made.model), "no cgroup held them there"));
  CHECK(has(section_of(all, "weaker"), "why it got none is not recorded"));
}

TEST_CASE("reader: content is hidden, and names may be seen", "[reports]") {
  const std::string html = render(small_model()).html;
  for (const char* words : {"names hidden", "hidden names", "name is hidden", "Hidden files"})
    CHECK_FALSE(has(html, words));
  CHECK(has(html, "content of what fits is hidden; its name may be seen"));
}

TEST_CASE("reader: what no sensor was told of is not said not to have happened", "[reports]") {
  const Made made(kStart - 200 * kDay, {plan_at(kStart)});
  const std::string statement = judge_kind(made.model, "run_lost").statement;
  CHECK_FALSE(has(statement, "no event was lost"));
  CHECK(has(statement, "no gap record counts a lost event"));
}

TEST_CASE("reader: shown is what the kernel or a measurement shows, the rest is recorded",
          "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.denials = {{"no-network", "connect", "address", "192.0.2.1:443"}};
  Made made(kStart - 200 * kDay, {plan});
  auto map = parse_controls(default_controls());
  REQUIRE(map);
  made.model.control_map = std::move(*map);
  judge_controls(made.model);
  for (const char* kind : {"run_opened", "run_closed", "generator"})
    CHECK(judge_kind(made.model, kind).state == Shown::recorded);
  for (const char* kind : {"network_attempt", "artifact", "chain", "verification"})
    CHECK(judge_kind(made.model, kind).state == Shown::shown);
  const Rendered files = render(made.model);
  CHECK(has(section_of(files.html, "controls"), "◇ recorded</strong>"));
  CHECK(has(section_of(files.html, "controls"), "◆ shown</strong>"));
  CHECK(has(section_of(files.html, "controls"), "◇</span>recorded: written down"));
  std::map<std::string, std::string> states;
  const json report = json::parse(files.json);
  for (const json& row : report["controls"]) states[row["kind"]] = row["state"];
  CHECK(states["run_opened"] == "recorded");
  CHECK(states["chain"] == "shown");
}

TEST_CASE("reader: one mark has one meaning, and no run has a good and a bad one", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.pids_by = "supervisor";
  plan.weaker = true;
  plan.near = {"pids"};
  RunPlan quiet = plan_at(kStart + kDay);
  quiet.tool = "quiet";
  const Made made(kStart - 200 * kDay, {plan, quiet});
  const std::string html = section_of(render(made.model).html, "allowed");
  const std::string near = cell_of(html, made.model.text(made.model.runs[0].tool), "reached+held");
  CHECK(has(near, "▲</span>met or near\u00a01"));
  CHECK_FALSE(has(near, "△"));
  CHECK(has(cell_of(html, "quiet", "held"), "△</span>no record\u00a01"));
  CHECK_FALSE(has(html, "✗"));
  CHECK_FALSE(has(html, "s-held"));
}

TEST_CASE("reader: exceptions say of which kinds they are, and claim no more", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.denials = {{"git", "openat", "path", ".git/config"}};
  const Made made(kStart - 200 * kDay, {plan});
  const std::string section = section_of(render(made.model).html, "exceptions");
  CHECK_FALSE(has(section, "Everything that did not go"));
  CHECK_FALSE(has(section, "deviations"));
  CHECK(has(section, "Every event of the kinds named above"));
  CHECK(has(section, "Not listed: "));
}

TEST_CASE("reader: no sentence ends twice", "[reports]") {
  RunPlan plan = plan_at(kStart);
  plan.weaker = true;
  plan.denials = {{"git", "openat", "path", "config"}};
  plan.limits = {"wall_ms"};
  plan.ended_by = "wall";
  const Made made(kStart - 200 * kDay, {plan});
  const std::regex twice("[a-z)\"][.;:,] ?[.;](\\s|$)");
  for (const Model* model : {&made.model}) {
    const Rendered files = render(*model);
    for (const std::string& text : {visible_text(files.html), files.markdown}) {
      std::smatch match;
      const bool found = std::regex_search(text, match, twice);
      const std::string before = found ? match.prefix().str() : std::string();
      CAPTURE(match.str(), before.substr(before.size() > 80 ? before.size() - 80 : 0));
      CHECK_FALSE(found);
    }
  }
}

TEST_CASE("reader: which digest of sources is of which program, and what prints it", "[reports]") {
  const Model model = small_model();
  for (const ProgramRow& row : program_rows(model))
    CHECK(row.check == (row.name == "ethos-verify" ? "scripts/source-digest verify"
                                                   : "scripts/source-digest all"));
  CHECK(has(section_of(render(model).html, "check"), "A third is of another tree"));
  const std::vector<std::string> commands = verifier_build_commands();
  CHECK(std::count(commands.begin(), commands.end(), "scripts/source-digest all") == 1);
}

TEST_CASE("reader: each run, also a quiet one, has program, times, revision, command, declaration",
          "[reports]") {
  RunPlan script = plan_at(kStart + kDay);
  script.interpreter = "python3.11";
  const Made made(kStart - 200 * kDay, {plan_at(kStart), script});
  const Rendered files = render(made.model);
  const std::string section = section_of(files.html, "runs");
  const json runs = json::parse(files.json)["runs"];
  REQUIRE(made.model.runs.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const Run& run = made.model.runs[i];
    const auto from = section.find("id=\"run-" + run.id + "\"");
    REQUIRE(from != std::string::npos);
    const std::string row = section.substr(from, section.find("</tr>", from) - from);
    for (const std::string& words :
         {run.id, made.model.text(run.tool), made.model.text(run.exe_sha256),
          utc_ms_text(run.started_ms), utc_ms_text(run.ended_ms), run.declaration,
          command_words(made.model, run), std::string("Revision"), ref_text(run.opened),
          ref_text(*run.ended)}) {
      CAPTURE(words, row);
      CHECK_FALSE(words.empty());
      CHECK(has(row, words));
    }
    CHECK(has(row, "withheld ("));
    CHECK(runs[i]["declaration_commitment"] == run.declaration);
    CHECK(has(files.runs, run.declaration));
  }
  CHECK(has(section, made.model.text(made.model.runs[1].interpreter_sha256)));
}

TEST_CASE("reader: programs by digest count each run once", "[reports]") {
  RunPlan script = plan_at(kStart + kDay);
  script.interpreter = "python3.11";
  const Made made(kStart - 200 * kDay, {plan_at(kStart), script, plan_at(kStart + 2 * kDay),
                                        plan_at(kStart + 3 * kDay)});
  REQUIRE(made.model.programs.size() == 2);
  const ProgramUse& plain = made.model.programs[0];
  CHECK(plain.runs == 3);
  CHECK(plain.started == 3);
  CHECK(plain.first.seq == made.model.runs[0].opened.seq);
  CHECK(plain.last.seq == made.model.runs[3].opened.seq);
  CHECK(made.model.programs[1].runs == 1);
  const Rendered files = render(made.model);
  const json programs = json::parse(files.json)["programs"];
  REQUIRE(programs.size() == 2);
  CHECK(programs[0]["runs"] == 3);
  CHECK(programs[1]["interpreter_sha256"] ==
        made.model.text(made.model.runs[1].interpreter_sha256));
  const std::string section = section_of(files.html, "runs");
  CHECK(has(section, "Programs by digest"));
  CHECK(has(section, made.model.text(plain.digest)));
  std::int64_t all = 0;
  const Model model = small_model();
  for (const ProgramUse& row : model.programs) all += row.runs;
  CHECK(all == model.now.runs);
}
