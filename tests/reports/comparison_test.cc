// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reports/build.h"
#include "reports/csv.h"
#include "reports/drift.h"
#include "reports/drift_command.h"
#include "reports/grant_compare.h"
#include "reports/json_report.h"
#include "reports/process.h"
#include "tests/reports/support/bench.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;
using nlohmann::json;
using State = ComparedTool::State;

namespace {

constexpr std::int64_t kStart = 1790805600000;  // 2026-10-01T00:00 in Berlin
constexpr std::int64_t kDay = 86400000;

struct Planned {
  std::int64_t day;  // from the start of the period
  RunPlan plan;
};

Model model_with(std::vector<Planned> runs, const std::string& from, const std::string& to) {
  const ScratchDirectory scratch;
  LedgerMaker maker(scratch / "l.db");
  maker.genesis(kStart - 100 * kDay);
  std::uint64_t number = 0;
  for (Planned& one : runs) {
    one.plan.start_ms = kStart + one.day * kDay + 3600000;
    add_run(maker, ++number, one.plan);
  }
  const MadeLedger made = maker.finish();
  return model_of(scratch / "l.db", made, "2026-10-01..2026-12-31", from, to);
}

RunPlan tool(const std::string& name, const std::string& network = "none",
             const std::string& revision = "") {
  RunPlan plan;
  plan.tool = name;
  plan.network = network;
  plan.revision = revision;
  return plan;
}

const ComparedTool& row_of(const Model& model, const std::string& name) {
  for (const ComparedTool& row : model.comparison.tools) {
    if (model.text(row.tool) == name) return row;
  }
  FAIL("no row of " << name);
  return model.comparison.tools.front();
}

}  // namespace

TEST_CASE("comparison: the start and the end of the period, each with its last set", "[reports]") {
  const Model model = model_with({{-9, tool("wide", "loopback")},
                                  {-5, tool("wide")},
                                  {-4, tool("steady")},
                                  {-3, tool("idle")},
                                  {2, tool("steady")},
                                  {3, tool("wide", "loopback")},
                                  {4, tool("fresh")},
                                  {5, tool("wide", "loopback")},
                                  {100, tool("late")}},
                                 "start", "end");
  const GrantComparison& all = model.comparison;
  CHECK(all.count(State::same) == 2);  // steady, and idle, which only ran before
  CHECK(all.count(State::changed) == 1);
  CHECK(all.count(State::added) == 1);
  CHECK(all.count(State::removed) == 0);
  CHECK(all.widened() == 1);
  CHECK(all.unapproved() == 2);
  const ComparedTool& wide = row_of(model, "wide");
  CHECK(wide.state == State::changed);
  REQUIRE(wide.changes.size() == 1);
  CHECK(wide.changes[0].direction == Direction::widened);
  CHECK(grant_text(wide.changes[0].before, model) == "none");
  CHECK(grant_text(wide.changes[0].after, model) == "loopback");
  // Since the run that brought the set, not the last one that had it; and a set that was there
  // long before does not count as old.
  REQUIRE(wide.since);
  REQUIRE(wide.to);
  CHECK(wide.since->seq < wide.to->seq);
  CHECK(wide.since_ms == kStart + 3 * kDay + 3600000);
  CHECK(approval_text(wide.decision, model) == "none found");
  const ComparedTool& fresh = row_of(model, "fresh");
  CHECK_FALSE(fresh.from);
  CHECK(fresh.changes.empty());
  CHECK(given_text(fresh.grants, model).find("network none") != std::string::npos);
}

TEST_CASE("comparison: a decision bound to the run that brought a set approves it", "[reports]") {
  const Model model =
      model_with({{-2, tool("agent")}, {2, tool("agent", "loopback")}}, "start", "end");
  CHECK(model.comparison.widened() == 1);
  CHECK(model.comparison.unapproved() == 0);
  CHECK(approval_text(row_of(model, "agent").decision, model) ==
        "policy change-42: allow, authenticated");
}

TEST_CASE("comparison: two dates inside the period, up to the end of each day", "[reports]") {
  const std::vector<Planned> runs = {{1, tool("x")}, {2, tool("x", "loopback")}, {9, tool("x")}};
  CHECK(model_with(runs, "2026-10-02", "2026-10-03").comparison.widened() == 1);
  CHECK(model_with(runs, "2026-10-03", "2026-10-09").comparison.count(State::same) == 1);
  const Model back = model_with(runs, "2026-10-03", "2026-10-10");
  CHECK(back.comparison.widened() == 0);
  REQUIRE(row_of(back, "x").changes.size() == 1);
  CHECK(row_of(back, "x").changes[0].direction == Direction::narrowed);
}

TEST_CASE("comparison: two releases, by the revision of the repository", "[reports]") {
  const Model model = model_with({{-8, tool("kept", "none", "aaaa1111")},
                                  {-7, tool("dropped", "none", "aaaa1111")},
                                  {1, tool("kept", "loopback", "bbbb2222")},
                                  {2, tool("kept", "none", "cccc3333")},
                                  {3, tool("brought", "none", "bbbb2222")}},
                                 "release:aaaa", "release:bbbb2222");
  CHECK(row_of(model, "kept").state == State::changed);
  CHECK(row_of(model, "dropped").state == State::removed);
  CHECK(row_of(model, "brought").state == State::added);
  CHECK(model.comparison.widened() == 1);
  CHECK(model.comparison.tools.size() == 3);
}

TEST_CASE("comparison: what stood in another ledger is found again by its words", "[reports]") {
  const Model theirs =
      model_with({{1, tool("x")}, {1, tool("y", "loopback")}, {1, tool("gone")}}, "start", "end");
  Model mine = model_with(
      {{1, tool("zzz")}, {2, tool("y", "loopback")}, {3, tool("x", "loopback")}}, "start", "end");
  GrantSnapshot standing;
  for (const ComparedTool& row : theirs.comparison.tools)
    standing[{row.tool, row.origin}] = {row.grants, *row.to, *row.since, row.since_ms,
                                        row.decision};
  GrantSnapshot now;
  for (const ComparedTool& row : mine.comparison.tools)
    now[{row.tool, row.origin}] = {row.grants, *row.to, *row.since, row.since_ms, row.decision};
  const std::size_t grants = mine.grants.size();
  compare_snapshots(adopt_snapshot(standing, theirs, mine), now, mine);
  CHECK(row_of(mine, "x").state == State::changed);
  CHECK(row_of(mine, "y").state == State::same);
  CHECK(row_of(mine, "zzz").state == State::added);
  CHECK(row_of(mine, "gone").state == State::removed);
  CHECK(mine.grants.size() == grants);  // nothing is there twice
}

TEST_CASE("comparison: points are read strictly", "[reports]") {
  const Zone zone = test_zone();
  const auto period = Period::parse("2026-10-01..2026-12-31", zone);
  REQUIRE(period);
  for (const char* bad : {"", "begin", "2026-13-01", "2026-10-1", "release:", "release:abc",
                          "2026-10-01..2026-10-02", "END"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_point(bad, *period, zone));
  }
  const auto day = parse_point("2026-10-25", *period, zone);
  REQUIRE(day);
  CHECK(day->until_ms == 1792969200000);  // 25 hours after its start
  CHECK(day->words == "the end of 2026-10-25, 2026-10-26 00:00:00 CET");
}

TEST_CASE("comparison: the counts are the same in JSON, CSV and in the command's answers",
          "[reports]") {
  const Model model =
      model_with({{-5, tool("a")}, {-4, tool("b")}, {2, tool("a", "loopback")}}, "start", "end");
  StringSink report;
  write_json(model, report);
  const json comparison = json::parse(report.text())["comparison"];
  StringSink answer;
  write_drift_json(model, answer);
  CHECK(json::parse(answer.text())["comparison"] == comparison);
  CHECK(comparison["changed"] == 1);
  CHECK(comparison["same"] == 1);
  CHECK(comparison["tools"].size() == 2);
  for (const TableKind& kind : all_tables()) {
    if (kind.name != "counts") continue;
    StringSink csv;
    write_csv(kind, model, CsvText::neutralised, csv);
    for (const char* figure : {"same", "changed", "added", "removed", "widened", "unapproved"}) {
      const std::string line =
          std::string("comparison:") + figure + "," + comparison[figure].dump() + ",\r\n";
      CHECK(csv.text().find(line) != std::string::npos);
    }
  }
  StringSink text;
  write_drift_text(model, text);
  CHECK(text.text().find("\n1 the same, 1 changed (1 widened), 0 new, 0 gone; without an approval: "
                         "1\n") != std::string::npos);
}

TEST_CASE("comparison: ethos-report drift answers with a status", "[reports]") {
  const Bench bench;
  const std::vector<std::string> evidence = {
      "drift",           "--ledger", bench.path("ledger.db"), "--pin",
      bench.path("pin"), "--zone",   "Europe/Berlin"};
  const auto drift = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = evidence;
    all.insert(all.end(), more.begin(), more.end());
    return bench.run_raw(all);
  };
  CHECK(drift({"--from", "2026-09-30"}).status == 1);
  const auto same = drift({"--from", "2027-12-31"});
  CHECK(same.status == 0);
  CHECK(same.out.find("0 changed (0 widened), 0 new, 0 gone") != std::string::npos);
  const auto parsed = json::parse(drift({"--from", "2026-09-30", "--json"}).out);
  CHECK(parsed["format"] == "ethos-drift/1");
  CHECK(parsed["verified"] == true);
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{},
                                                {"--from", "start"},
                                                {"--from", "soon"},
                                                {"--to", "2026-10-01"},
                                                {"--from", "2026-10-02", "--to", "2026-10-01"},
                                                {"--from", "2026-10-01", "--to", "end"},
                                                {"--baseline-bundle", bench.path("pin")}}) {
    const auto ended = drift(wrong);
    CHECK(ended.status == 2);
    CHECK(lines(ended.err) == 1);
    CHECK(ended.out.empty());
  }
}

TEST_CASE("comparison: the baseline is a bundle of another ledger, judged by its own pin",
          "[reports]") {
  const std::string bin(ETHOS_BIN);
  const ScratchDirectory scratch;
  const auto run = [&](const std::string& program, const std::vector<std::string>& arguments) {
    const auto ended = run_program(bin + "/" + program, arguments, 1 << 20);
    REQUIRE(ended);
    return *ended;
  };
  for (const char* name : {"here", "there"}) {
    const auto made = run("ethos-ledger", {"init", "--ledger", scratch / name + ".db", "--origin",
                                           std::string(name) + ".example.com"});
    REQUIRE(made.status == 0);
    std::ofstream(scratch / name + ".pin") << made.output;
  }
  REQUIRE(run("ethos-ledger", {"rotate", "--ledger", scratch / "there.db"}).status == 0);
  REQUIRE(run("ethos-ledger", {"bundle", "--ledger", scratch / "there.db", "--from", "0", "--to",
                               "2", "-o", scratch / "there.ethosb"})
              .status == 0);
  const auto report = [&](const std::string& pin) {
    return run("ethos-report",
               {"--ledger", scratch / "here.db", "--pin", scratch / "here.pin", "--period",
                "2026-10-01..2026-12-31", "--format", "json", "--out", scratch / "out",
                "--baseline-bundle", scratch / "there.ethosb", "--baseline-pin", scratch / pin});
  };
  const auto wrong = report("here.pin");
  CHECK(wrong.status != 0);
  CHECK(wrong.errors.find("baseline: ") != std::string::npos);
  const auto made = report("there.pin");
  CAPTURE(made.errors);
  REQUIRE(made.status == 0);
  const json from = json::parse(read_text(scratch / "out/report.json"))["comparison"]["from"];
  CHECK(from["words"] == "the last record of another ledger");
  CHECK(from["ledger"].get<std::string>().starts_with("there.example.com"));
  CHECK(from["ledger"].get<std::string>().find(", records 0 to 1, both included: 2, root ") !=
        std::string::npos);
  std::vector<std::string> verify = {"verify", scratch / "out",     "--ledger", scratch / "here.db",
                                     "--pin",  scratch / "here.pin"};
  CHECK(run("ethos-report", verify).status == 2);
  verify.insert(verify.end(), {"--baseline-bundle", scratch / "there.ethosb", "--baseline-pin",
                               scratch / "there.pin"});
  CHECK(run("ethos-report", verify).status == 0);
}
