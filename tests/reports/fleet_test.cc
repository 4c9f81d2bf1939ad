// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reports/csv.h"
#include "reports/fleet_html.h"
#include "reports/fleet_json.h"
#include "reports/fleet_tables.h"
#include "reports/grant_compare.h"
#include "reports/process.h"
#include "reports/tally_rows.h"
#include "reports/xlsx.h"
#include "tests/reports/support/bench.h"
#include "tests/reports/support/fixture.h"
#include "tests/reports/support/workbook_reader.h"

using namespace ethos::reports;
using namespace ethos::support;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::int64_t kStart = 1790805600000;  // 2026-10-01T00:00 in Berlin

Request common() {
  Request request;
  request.zone = test_zone();
  request.period = *Period::parse("2026-10-01..2026-12-31", request.zone);
  request.from = *parse_point("start", request.period, request.zone);
  request.to = *parse_point("end", request.period, request.zone);
  request.tzdata = "test";
  request.title = "All hosts";
  return request;
}

// A ledger of its own origin with some runs of one tool; each `denials` times refused.
Model host(const std::string& origin, const std::string& tool, int runs, int denials) {
  const ScratchDirectory scratch;
  LedgerMaker maker(scratch / "l.db");
  maker.genesis(kStart - 86400000);
  for (int i = 0; i < runs; ++i) {
    RunPlan plan;
    plan.tool = tool;
    plan.start_ms = kStart + i * 3600000;
    for (int d = 0; d < denials; ++d)
      plan.denials.push_back({"no-network", "socket", "text", "AF_INET", "denied", "K", 1});
    add_run(maker, static_cast<std::uint64_t>(i) + 1, plan);
  }
  const MadeLedger made = maker.finish();
  Model model = model_of(scratch / "l.db", made, "2026-10-01..2026-12-31");
  model.source.origin = origin;
  return model;
}

Fleet small_fleet(bool with_bad = false) {
  FleetBuilder builder(common());
  REQUIRE(builder.add("a", host("a.example.com", "lint", 3, 2)));
  REQUIRE(builder.add("b", host("b.example.com", "lint", 2, 0)));
  REQUIRE(builder.add("c", host("c.example.com", "<script>=1+1", 1, 1)));
  if (with_bad) {
    Model bad = host("d.example.com", "lint", 7, 5);
    bad.verified = false;
    bad.unverified_reason = "integrity failed: record 7";
    for (Verdict::Check& check : bad.verdict.checks) {
      if (check.name == "integrity") check.result = "fail";
    }
    REQUIRE(builder.add("d", bad));
    builder.add_unreadable("e", "no such file");
  }
  return builder.finish();
}

template <typename Writer>
std::string written(Writer writer) {
  StringSink sink;
  writer(sink);
  return sink.text();
}

std::string csv_of(const Fleet& fleet, const std::string& name) {
  for (const TableSource& table : fleet_tables(fleet)) {
    if (table.name == name)
      return written([&](Sink& sink) { write_csv(table, fleet.frame, CsvText::raw, sink); });
  }
  FAIL("no table " << name);
  return {};
}

}  // namespace

TEST_CASE("fleet: sums are those of the verified ledgers", "[reports]") {
  const Fleet fleet = small_fleet();
  CHECK(fleet.members.size() == 3);
  CHECK(fleet.now.runs == 6);
  CHECK(fleet.now.denied_acts == 7);
  CHECK(fleet.now.tools == 2);  // lint of two hosts is one
  REQUIRE(fleet.tools.size() == 2);
  CHECK(fleet.tools[1].tool == "lint");
  CHECK(fleet.tools[1].members == 2);
  CHECK(fleet.tools[1].in_force == 5);
  REQUIRE(fleet.rules.size() == 1);
  CHECK(fleet.rules[0].members == 2);
  CHECK(fleet.rules[0].acts == 7);
  CHECK(fleet.all_exceptions == 4);  // three runs of a, one of c
  CHECK(fleet.exceptions.size() == 4);
  std::int64_t runs = 0;
  for (const BucketRow& row : fleet.buckets) runs += row.runs;
  CHECK(runs == 6);
  CHECK(fleet.frame.verified);
}

TEST_CASE("fleet: what is not verified stands in its own line and in no sum", "[reports]") {
  const Fleet fleet = small_fleet(true);
  CHECK(fleet.members.size() == 5);
  CHECK(fleet.unverified() == 2);
  CHECK_FALSE(fleet.frame.verified);
  CHECK(fleet.now.runs == small_fleet().now.runs);
  CHECK(fleet.all_exceptions == small_fleet().all_exceptions);
  CHECK(fleet.members[3].now.runs == 7);
  const std::string html = written([&](Sink& sink) { write_fleet_html(fleet, sink); });
  CHECK(html.find("<title>NOT VERIFIED: ") != std::string::npos);
  CHECK(html.find("2 of 5 ledgers are not verified; their figures are in no sum") !=
        std::string::npos);
  CHECK(html.find("NOT VERIFIED: integrity failed: record 7") != std::string::npos);
  CHECK(html.find("NOT VERIFIED: no such file") != std::string::npos);
  for (const TableSource& table : fleet_tables(fleet)) {
    for (const auto& row : parse_csv(csv_of(fleet, table.name))) CHECK(row[0] == "NOT VERIFIED");
  }
  const json report = json::parse(written([&](Sink& s) { write_fleet_json(fleet, s); }));
  CHECK(report["verified"] == false);
  CHECK(report["summary"]["unverified"] == 2);
  CHECK(report["members"][3]["verdicts"][0]["result"] == "fail");
  const std::string text = written([&](Sink& sink) { write_fleet_markdown(fleet, 60000, sink); });
  CHECK(text.find("**NOT VERIFIED.**") != std::string::npos);
}

TEST_CASE("fleet: one ledger twice would be counted twice, and is refused", "[reports]") {
  FleetBuilder builder(common());
  REQUIRE(builder.add("a", host("same.example.com", "lint", 1, 0)));
  const auto second = builder.add("b", host("same.example.com", "lint", 1, 0));
  REQUIRE_FALSE(second);
  CHECK(second.error().what.find("b and a are one ledger") != std::string::npos);
}

TEST_CASE("fleet: every figure is the same in HTML, JSON, CSV, XLSX and Markdown", "[reports]") {
  const Fleet fleet = small_fleet();
  const json report = json::parse(written([&](Sink& s) { write_fleet_json(fleet, s); }));
  const std::string html = written([&](Sink& sink) { write_fleet_html(fleet, sink); });
  const std::string text = written([&](Sink& sink) { write_fleet_markdown(fleet, 60000, sink); });
  const auto sheets = read_workbook(written([&](Sink& sink) {
    write_workbook(fleet.frame, fleet_facts(fleet), fleet_tables(fleet), sink);
  }));
  const auto figures = parse_csv(csv_of(fleet, "figures"));
  for (const TallyRow& row : tally_rows(fleet.now, fleet.previous)) {
    CAPTURE(std::string(row.key));
    CHECK(report["summary"]["period"][std::string(row.key)].dump() == row.now);
    CHECK(html.find("data-figure=\"" + std::string(row.key) + "\">" + row.now + "<") !=
          std::string::npos);
    CHECK(text.find("| " + std::string(row.label) + " | " + row.now + " | " + row.previous +
                    " |") != std::string::npos);
    std::size_t found = 0;
    for (const auto& line : figures) {
      if (line[0].empty() && line[1] == row.key) {
        ++found;
        CHECK(line[2] == row.now);
      }
    }
    CHECK(found == 1);
  }
  const auto tables = fleet_tables(fleet);
  REQUIRE(sheets.size() == tables.size() + 1);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto rows = parse_csv(csv_of(fleet, tables[i].name));
    REQUIRE(sheets[i + 1].rows.size() == rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t c = 0; c < rows[r].size(); ++c) {
        const Cell cell = c < sheets[i + 1].rows[r].size() ? sheets[i + 1].rows[r][c] : Cell{};
        if (cell.value != rows[r][c]) FAIL(tables[i].name << " row " << r << ", column " << c);
      }
    }
  }
  CHECK(report["members"].size() == parse_csv(csv_of(fleet, "members")).size() - 1);
  CHECK(report["exceptions"].size() == parse_csv(csv_of(fleet, "exceptions")).size() - 1);
  // Names are nobody's markup.
  CHECK(html.find("<script>=1+1") == std::string::npos);
  CHECK(html.find("&lt;script&gt;=1+1") != std::string::npos);
}

TEST_CASE("fleet: the same ledgers give the same bytes", "[reports]") {
  const auto bytes = [] {
    const Fleet fleet = small_fleet(true);
    return written([&](Sink& sink) {
      write_fleet_html(fleet, sink);
      write_fleet_print_html(fleet, sink);
      write_fleet_json(fleet, sink);
      write_fleet_markdown(fleet, 60000, sink);
      write_workbook(fleet.frame, fleet_facts(fleet), fleet_tables(fleet), sink);
    });
  };
  CHECK(bytes() == bytes());
}

TEST_CASE("fleet: the page stays small, and says of how many", "[reports]") {
  FleetBuilder builder(common());
  Model one = host("x", "lint", 40, 1);
  for (int i = 0; i < 60; ++i) {
    one.source.origin = "host-" + std::to_string(i);
    REQUIRE(builder.add("h" + std::to_string(i), one));
  }
  const Fleet fleet = builder.finish();
  CHECK(fleet.all_exceptions == 2400);
  const std::string html = written([&](Sink& sink) { write_fleet_html(fleet, sink); });
  CHECK(html.find("<strong>1\u202f000 of 2\u202f400 rows shown</strong>") != std::string::npos);
  const std::string text = written([&](Sink& sink) { write_fleet_markdown(fleet, 20000, sink); });
  CHECK(text.size() <= 20000);
  CHECK(text.find(" of 2400 rows shown") != std::string::npos);
}

TEST_CASE("fleet: a list of ledgers is read strictly", "[reports]") {
  const auto with = [](const std::string& members) {
    return R"({"format":"ethos-fleet/1","members":)" + members + "}";
  };
  const auto good = parse_fleet(
      with(R"([{"name":"a","ledger":"l.db","pin":"/p"},{"name":"b.1","bundle":"/b","pin":"p"}])"),
      "/fleet");
  REQUIRE(good);
  CHECK((*good)[0].path == "/fleet/l.db");
  CHECK((*good)[0].pin == "/p");
  CHECK((*good)[1].path == "/b");
  CHECK((*good)[1].is_bundle);
  for (const char* bad :
       {"[]", "{}", R"(["a"])", R"([{"name":"a","ledger":"l"}])", R"([{"name":"a","pin":"p"}])",
        R"([{"name":"a","ledger":"l","bundle":"b","pin":"p"}])",
        R"([{"name":"../a","ledger":"l","pin":"p"}])", R"([{"name":".","ledger":"l","pin":"p"}])",
        R"([{"name":"","ledger":"l","pin":"p"}])", R"([{"name":"a","ledger":"","pin":"p"}])",
        R"([{"name":"a","ledger":"l","pin":"p","note":"x"}])",
        R"([{"name":"a","ledger":"l","pin":"p"},{"name":"a","ledger":"m","pin":"p"}])"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_fleet(with(bad), ""));
  }
  CHECK_FALSE(parse_fleet(R"({"format":"ethos-fleet/2","members":[]})", ""));
  CHECK_FALSE(parse_fleet("", ""));
}

TEST_CASE("fleet: real ledgers, each judged against its own pin, and made again", "[reports]") {
  const std::string bin(ETHOS_BIN);
  const ScratchDirectory scratch;
  const auto run = [&](const std::string& program, const std::vector<std::string>& arguments) {
    const auto ended = run_program(bin + "/" + program, arguments, 1 << 20);
    REQUIRE(ended);
    return *ended;
  };
  for (const char* name : {"a", "b"}) {
    const auto made = run("ethos-ledger", {"init", "--ledger", scratch / name + ".db", "--origin",
                                           std::string(name) + ".example.com"});
    REQUIRE(made.status == 0);
    std::ofstream(scratch / name + ".pin") << made.output;
  }
  const auto list = [&](const std::string& pin_of_b) {
    std::ofstream(scratch / "fleet.json")
        << R"({"format":"ethos-fleet/1","members":[{"name":"a","ledger":"a.db","pin":"a.pin"},)"
        << R"({"name":"b","ledger":"b.db","pin":")" << pin_of_b << "\"}]}";
  };
  const auto report = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"fleet",    scratch / "fleet.json",
                                          "--period", "2026-10-01..2026-12-31",
                                          "--out",    scratch / "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run("ethos-report", arguments);
  };
  list("a.pin");
  const auto wrong = report({});
  CHECK(wrong.status == 1);
  CHECK(wrong.errors.find("b: no report: ") != std::string::npos);
  CHECK(lines(wrong.errors) == 1);
  CHECK_FALSE(fs::exists(scratch / "out"));
  const auto marked = report({"--unverified"});
  CHECK(marked.status == 0);
  CHECK(marked.errors.find("NOT VERIFIED: 1 of 2 ledgers") != std::string::npos);
  list("b.pin");
  const auto made = report({"--members", "--format", "html,csv,json,md,xlsx"});
  CAPTURE(made.errors);
  REQUIRE(made.status == 0);
  CHECK(made.output.find("report of 2 ledgers, 0 runs, 0 exceptions") != std::string::npos);
  for (const char* file : {"fleet.html", "fleet.json", "fleet.md", "fleet.xlsx", "members.csv",
                           "manifest.json", "SHA256SUMS", "a/report.html", "b/manifest.json"})
    CHECK(fs::exists(scratch / "out/" + file));
  std::vector<std::string> verify = {"verify", scratch / "out", "--fleet", scratch / "fleet.json"};
  const auto same = run("ethos-report", verify);
  CAPTURE(same.output, same.errors);
  CHECK(same.status == 0);
  CHECK(same.output.find("fleet.html: same") != std::string::npos);
  std::ofstream(scratch / "out/members.csv", std::ios::app) << "more";
  CHECK(run("ethos-report", verify).status == 1);
  // The report of one of its ledgers is an ordinary one.
  CHECK(run("ethos-report",
            {"verify", scratch / "out/a", "--ledger", scratch / "a.db", "--pin", scratch / "a.pin"})
            .status == 0);
  REQUIRE(run("ethos-ledger", {"rotate", "--ledger", scratch / "a.db"}).status == 0);
  // A ledger that has grown changes nothing: only the table changed above differs.
  const auto grown = run("ethos-report", verify);
  CHECK(grown.status == 1);
  CHECK(grown.output.find("fleet.html: same") != std::string::npos);
  CHECK(grown.output.find("members.csv: same") == std::string::npos);
}
