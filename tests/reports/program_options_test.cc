// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reports/commands.h"
#include "tests/reports/support/bench.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;
namespace fs = std::filesystem;

TEST_CASE("program: wrong options are status 2, one line, no output", "[reports]") {
  const Bench bench;
  const std::string ledger = bench.path("ledger.db");
  const std::string pin = bench.path("pin");
  const std::string out = bench.path("out");
  const std::string period = "2026-10-01..2026-12-31";
  const auto arguments = GENERATE_COPY(
      std::vector<std::string>{}, std::vector<std::string>{"--bogus"},
      std::vector<std::string>{"--ledger", ledger, "--period", period, "--out", out},
      std::vector<std::string>{"--ledger", ledger, "--pin", pin, "--period", "2026-10-01", "--out",
                               out},
      std::vector<std::string>{"--ledger", ledger, "--pin", pin, "--period", period, "--zone",
                               "../../etc/passwd", "--out", out},
      std::vector<std::string>{"--ledger", ledger, "--pin", pin, "--period", period, "--zone",
                               "Mars/Base", "--out", out},
      std::vector<std::string>{"--ledger", ledger, "--pin", pin, "--period", period, "--format",
                               "docx", "--out", out},
      std::vector<std::string>{"--ledger", ledger, "--pin", pin, "--period", period, "--out", ""},
      std::vector<std::string>{"--ledger", ledger, "--pin", pin, "--period", period, "--title",
                               std::string(300, 'x'), "--out", out});
  const auto ended = bench.run_raw(arguments);
  CAPTURE(ended.err);
  CHECK(ended.status == 2);
  CHECK(lines(ended.err) == 1);
  CHECK_FALSE(bench.has_output());
}

TEST_CASE("program: no stream stands in for a file or a directory", "[reports]") {
  const Bench bench;
  const auto given = [&](const std::string& option) {
    std::vector<std::string> arguments;
    for (const auto& [name, value] :
         {std::pair<std::string, std::string>{"--ledger", bench.path("ledger.db")},
          {"--pin", bench.path("pin")},
          {"--period", "2026-10-01..2026-12-31"},
          {"--out", bench.path("out")}}) {
      arguments.push_back(name);
      arguments.push_back(name == option ? "-" : value);
    }
    if (option != "--ledger" && option != "--pin" && option != "--out")
      arguments.insert(arguments.end(), {option, "-"});
    return bench.run_raw(arguments);
  };
  for (const char* option :
       {"--ledger", "--pin", "--out", "--controls", "--redact", "--sign-key"}) {
    const auto ended = given(option);
    CAPTURE(option, ended.err);
    CHECK(ended.status == 2);
    CHECK(lines(ended.err) == 1);
    CHECK(ended.err.find(std::string(option) + ": ") != std::string::npos);
    CHECK(ended.err.find("standard ") != std::string::npos);
    CHECK_FALSE(fs::exists("-"));
    CHECK_FALSE(bench.has_output());
  }
  CHECK(bench.run_raw({"verify", "-", "--pin", bench.path("pin")}).status == 2);
  CHECK(
      bench
          .run_raw({"fleet", "-", "--period", "2026-10-01..2026-12-31", "--out", bench.path("out")})
          .status == 2);
  CHECK(bench.run_raw({"key", "a.example.com", "-o", "-"}).status == 2);
  CHECK_FALSE(fs::exists("-"));
}

TEST_CASE("program: a directory holds one kind of report, and one report", "[reports]") {
  const Bench bench;
  fs::create_directory(bench.path("out"));
  SECTION("another kind is refused before anything is read") {
    for (const char* format : {"ethos-fleet-manifest/1", "npm"}) {
      std::ofstream(bench.path("out/manifest.json")) << "{\"format\":\"" << format << "\"}";
      const auto ended = bench.run();
      CAPTURE(ended.err);
      CHECK(ended.status == 3);
      CHECK(lines(ended.err) == 1);
      CHECK(ended.err.find("choose another directory") != std::string::npos);
      CHECK_FALSE(fs::exists(bench.path("arguments")));  // the verifier was not started
      CHECK_FALSE(fs::exists(bench.path("out/report.json")));
    }
  }
  SECTION("what an earlier report left goes, and nothing else does") {
    REQUIRE(bench.run({"--format", "html,csv,md"}).status == 0);
    std::ofstream(bench.path("out/notes.txt")) << "mine";
    REQUIRE(bench.run({"--format", "json"}).status == 0);
    CHECK(fs::exists(bench.path("out/report.json")));
    CHECK(fs::exists(bench.path("out/notes.txt")));
    for (const char* name : {"report.html", "report.md", "runs.csv"})
      CHECK_FALSE(fs::exists(bench.path(std::string("out/") + name)));
    // A manifest that names somebody else's file does not have it removed.
    std::ofstream(bench.path("out/manifest.json"))
        << R"({"format":"ethos-report-manifest/1","files":[{"name":"notes.txt"},{"name":"../pin"},{"name":"report.old"}]})";
    std::ofstream(bench.path("out/report.old")) << "x";
    REQUIRE(bench.run({"--format", "json"}).status == 0);
    CHECK(fs::exists(bench.path("out/notes.txt")));
    CHECK(fs::exists(bench.path("pin")));
    CHECK_FALSE(fs::exists(bench.path("out/report.old")));
  }
}

TEST_CASE("program: an output that cannot be written leaves nothing behind", "[reports]") {
  const Bench bench;
  SECTION("the directory is a file") {
    std::ofstream(bench.path("out")) << "x";
    const auto ended = bench.run();
    CHECK(ended.status == 3);
    CHECK(read_text(bench.path("out")) == "x");
  }
  SECTION("its parent is missing") {
    const auto ended =
        bench.run_raw({"--ledger", bench.path("ledger.db"), "--pin", bench.path("pin"), "--period",
                       "2026-10-01..2026-12-31", "--out", bench.path("no/such/out")});
    CHECK(ended.status == 3);
    CHECK(lines(ended.err) == 1);
  }
  SECTION("a name that cannot be replaced") {
    fs::create_directory(bench.path("out"));
    fs::create_directory(bench.path("out/report.json"));
    const auto ended = bench.run({"--format", "json"});
    CHECK(ended.status == 3);
    CHECK(lines(ended.err) == 1);
    CHECK_FALSE(fs::exists(bench.path("out/manifest.json")));
  }
}

TEST_CASE("program: reading changes nothing beside the ledger", "[reports]") {
  const Bench bench;
  const std::string before = read_text(bench.path("ledger.db"));
  REQUIRE(bench.run().status == 0);
  CHECK(read_text(bench.path("ledger.db")) == before);
  for (const char* suffix : {"-wal", "-shm", "-journal", ".lock"})
    CHECK_FALSE(fs::exists(bench.path("ledger.db") + suffix));
}

TEST_CASE("program: what is no ledger is refused even when nobody verifies", "[reports]") {
  Bench bench;
  bench.set_result("integrity", "fail");
  bench.answer(1);
  SECTION("text") { std::ofstream(bench.path("ledger.db")) << "hello, this is no database at all"; }
  SECTION("empty") { std::ofstream(bench.path("ledger.db")); }
  SECTION("missing") { fs::remove(bench.path("ledger.db")); }
  SECTION("a directory") {
    fs::remove(bench.path("ledger.db"));
    fs::create_directory(bench.path("ledger.db"));
  }
  const auto ended = bench.run({"--unverified"});
  CHECK(ended.status == 3);
  CHECK(lines(ended.err) == 1);
  CHECK_FALSE(bench.has_output());
}

TEST_CASE("program: help and version are answered", "[reports]") {
  std::ostringstream out;
  std::ostringstream err;
  CHECK(run({"--help"}, out, err) == 0);
  CHECK(out.str().find("--unverified") != std::string::npos);
  CHECK(run({"--version"}, out, err) == 0);
  CHECK(err.str().empty());
}

TEST_CASE("program: an unknown option is named, whatever else is missing", "[reports]") {
  const Bench bench;
  for (const char* word : {"", "verify", "key", "explain", "drift", "fleet"}) {
    std::vector<std::string> args{"--bogus"};
    if (*word != '\0') args.insert(args.begin(), word);
    const auto ended = bench.run_raw(args);
    CAPTURE(word, ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.err.find("--bogus") != std::string::npos);
  }
  CHECK(bench.run_raw({}).err.find("required") != std::string::npos);
}
