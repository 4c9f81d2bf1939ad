// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reports/bundle_file.h"
#include "reports/commands.h"
#include "reports/process.h"
#include "reports/sha256.h"
#include "tests/reports/support/bench.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;
namespace fs = std::filesystem;
using nlohmann::json;

TEST_CASE("program: a verified ledger becomes a report with its manifest", "[reports]") {
  const Bench bench;
  const auto ended = bench.run();
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  CHECK(ended.err.empty());
  CHECK(read_text(bench.path("arguments")) ==
        "--json --bad-runs --pin " + bench.path("pin") + " " + bench.path("ledger.db") + "\n");
  const json manifest = json::parse(read_text(bench.path("out/manifest.json")));
  CHECK(manifest["format"] == "ethos-report-manifest/1");
  CHECK(manifest["verified"] == true);
  CHECK(manifest["files"].size() == 22);
  const std::string sums = read_text(bench.path("out/SHA256SUMS"));
  for (const json& file : manifest["files"]) {
    const std::string name = file["name"];
    const std::string text = read_text(bench.path("out/" + name));
    CHECK(file["bytes"] == text.size());
    CHECK(file["sha256"] == hex(sha256(text)));
    CHECK(sums.find(hex(sha256(text)) + "  " + name + "\n") != std::string::npos);
  }
  CHECK(static_cast<std::size_t>(
            std::distance(fs::directory_iterator(bench.path("out")), fs::directory_iterator())) ==
        manifest["files"].size() + 2);
}

TEST_CASE("program: the same input gives the same bytes", "[reports]") {
  const Bench bench;
  REQUIRE(bench.run().status == 0);
  REQUIRE(bench.run({"--out", bench.path("again")}).status != 0);  // given twice
  const auto second =
      bench.run_raw({"--ledger", bench.path("ledger.db"), "--pin", bench.path("pin"), "--period",
                     "2026-10-01..2026-12-31", "--zone", "Europe/Berlin", "--out",
                     bench.path("again"), "--quiet"});
  REQUIRE(second.status == 0);
  CHECK(second.out.empty());
  for (const auto& entry : fs::directory_iterator(bench.path("out"))) {
    CAPTURE(entry.path().string());
    CHECK(read_text(entry.path()) ==
          read_text(bench.path("again/" + entry.path().filename().string())));
  }
}

TEST_CASE("program: what did not pass gives no report and the right status", "[reports]") {
  struct Case {
    const char* verdict;
    const char* result;
    int verifier;
    int expected;
  };
  const auto one = GENERATE(Case{"integrity", "fail", 1, 1}, Case{"policy", "fail", 1, 1},
                            Case{"signatures", "fail", 1, 1}, Case{"trust", "unknown", 3, 3},
                            Case{"integrity", "unknown", 3, 3}, Case{"policy", "unknown", 3, 3});
  CAPTURE(one.verdict, one.result);
  Bench bench;
  bench.set_result(one.verdict, one.result);
  bench.answer(one.verifier);
  const auto ended = bench.run();
  CHECK(ended.status == one.expected);
  CHECK(lines(ended.err) == 1);
  CHECK(ended.err.find(one.verdict) != std::string::npos);
  CHECK_FALSE(bench.has_output());
}

TEST_CASE("program: a run that still goes on does not stop a report", "[reports]") {
  Bench bench;
  bench.set_result("completeness", "incomplete");
  bench.answer(4);
  const auto ended = bench.run();
  CHECK(ended.status == 0);
  CHECK(ended.err.find("completeness is incomplete") != std::string::npos);
  CHECK(read_text(bench.path("out/report.html")).find("◑ incomplete") != std::string::npos);
}

TEST_CASE("program: a ledger behind its pin is refused", "[reports]") {
  Bench bench;
  bench.set_result("completeness", "incomplete");
  bench.verdict()["problems"] = json::array({{{"seq", 223},
                                              {"code", "behind_pin"},
                                              {"offset", -1},
                                              {"expected", "400"},
                                              {"found", "223"},
                                              {"text", "the pin knows 400 records"}}});
  bench.answer(4);
  const auto ended = bench.run();
  CHECK(ended.status == 3);
  CHECK_FALSE(bench.has_output());
}

TEST_CASE("program: --unverified reports and says so in each file", "[reports]") {
  Bench bench;
  bench.set_result("integrity", "fail");
  bench.answer(1);
  const auto ended = bench.run({"--unverified"});
  REQUIRE(ended.status == 0);
  CHECK(ended.err.find("NOT VERIFIED") != std::string::npos);
  for (const auto& entry : fs::directory_iterator(bench.path("out"))) {
    const std::string name = entry.path().filename();
    if (name == "SHA256SUMS") continue;
    CAPTURE(name);
    const std::string text = read_text(entry.path());
    CHECK((text.find("NOT VERIFIED") != std::string::npos ||
           text.find("\"verified\":false") != std::string::npos));
  }
}

TEST_CASE("program: records that changed after they were verified are not reported on",
          "[reports]") {
  Bench bench;
  // Another size in the accepted note stands for it: the root is then another one.
  std::string note = bench.verdict()["checkpoint"]["note"];
  const auto at = note.find("\n223\n");
  REQUIRE(at != std::string::npos);
  SECTION("fewer records than are there, with a root that is not theirs") {
    note.replace(at, 5, "\n222\n");
  }
  SECTION("more records than are there") { note.replace(at, 5, "\n224\n"); }
  bench.verdict()["checkpoint"]["note"] = note;
  bench.answer(0);
  const auto ended = bench.run();
  CHECK(ended.status == 1);
  CHECK(lines(ended.err) == 1);
  CHECK_FALSE(bench.has_output());
}

TEST_CASE("program: counts that disagree with the verifier's are refused", "[reports]") {
  Bench bench;
  bench.verdict()["counts"]["runs"] = 15;
  bench.answer(0);
  CHECK(bench.run().status == 3);
  CHECK_FALSE(bench.has_output());
}

TEST_CASE("program: an answer that is none is refused", "[reports]") {
  Bench bench;
  const std::string good = bench.verdict().dump();
  SECTION("no verifier") { fs::remove(bench.path("bin/ethos-verify")); }
  SECTION("not executable") {
    fs::permissions(bench.path("bin/ethos-verify"), fs::perms::owner_read);
    bench.script("no shebang\n");
    fs::permissions(bench.path("bin/ethos-verify"), fs::perms::owner_read);
  }
  SECTION("silent") { bench.script("#!/bin/sh\nexit 0\n"); }
  SECTION("silent with a reason") {
    bench.script("#!/bin/sh\necho 'ethos-verify: cannot open' >&2\nexit 3\n");
  }
  SECTION("not JSON") { bench.script("#!/bin/sh\necho hello\n"); }
  SECTION("killed") { bench.script("#!/bin/sh\nkill -9 $$\n"); }
  SECTION("another format") {
    bench.verdict()["format"] = "ethos-verdict/2";
    bench.answer(0);
  }
  SECTION("a verdict left out") {
    bench.verdict()["verdicts"].erase(3);
    bench.answer(0);
  }
  SECTION("an unknown result") {
    bench.set_result("policy", "fine");
    bench.answer(0);
  }
  SECTION("a malformed note") {
    bench.verdict()["checkpoint"]["note"] = "x";
    bench.answer(0);
  }
  SECTION("status and answer disagree") {
    bench.script("#!/bin/sh\ncat '" + bench.path("verdict.json") + "'\nexit 4\n");
  }
  SECTION("no checkpoint") {
    bench.verdict()["checkpoint"] = nullptr;
    bench.answer(0);
  }
  const auto ended = bench.run();
  CAPTURE(ended.err);
  CHECK(ended.status == 3);
  CHECK(lines(ended.err) == 1);
  CHECK_FALSE(bench.has_output());
}

TEST_CASE("program: a run is explained in plain words, with its records", "[reports]") {
  Bench bench;
  const std::string id = LedgerMaker::run_id(7);
  const auto explain = [&](const std::string& run, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {
        "explain",         run,      "--ledger",     bench.path("ledger.db"), "--pin",
        bench.path("pin"), "--zone", "Europe/Berlin"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return bench.run_raw(arguments);
  };
  const auto told = explain(id.substr(0, 6));
  CAPTURE(told.out, told.err);
  REQUIRE(told.status == 0);
  CHECK(told.out.find("Verified to record 222") == 0);
  CHECK(told.out.find("Run " + id) != std::string::npos);
  CHECK(told.out.find("for the tool pre-commit") != std::string::npos);
  CHECK(told.out.find("May write: workspace:.ethos/out.") != std::string::npos);
  CHECK(told.out.find("No network.") != std::string::npos);
  CHECK(told.out.find("openat workspace:.git/hooks/pre-commit") != std::string::npos);
  CHECK(told.out.find("a\\u{202e}gnp.exe") != std::string::npos);
  CHECK(told.out.find("with exit 0") != std::string::npos);
  // Every moment from one start, and the time the tool ran under its own name.
  CHECK(told.out.find(" after the opening: tried ") != std::string::npos);
  CHECK(told.out.find(" after the opening: over. The tool ran for ") != std::string::npos);
  CHECK(explain(LedgerMaker::run_id(14)).out.find("No end is recorded") != std::string::npos);
  CHECK(explain("aaaaaaaa").status == 2);
  CHECK(explain("abc").status == 2);
  CHECK(explain("../etc").status == 2);
  bench.set_result("policy", "fail");
  bench.answer(1);
  CHECK(explain(id).status == 1);
  CHECK(explain(id, {"--unverified"}).out.find("NOT VERIFIED") == 0);
}

TEST_CASE("program: a fresh ledger, judged by ethos-verify itself, gives a report of no run",
          "[reports]") {
  const ScratchDirectory scratch;
  const std::string bin = ETHOS_BIN;
  const auto made =
      run_program(bin + "/ethos-ledger", {"init", "--ledger", scratch / "l.db"}, 1 << 20);
  REQUIRE(made);
  REQUIRE(made->status == 0);
  std::ofstream(scratch / "pin") << made->output;
  const auto report = [&](const std::string& ledger) {
    return *run_program(bin + "/ethos-report",
                        {"--ledger", ledger, "--pin", scratch / "pin", "--period",
                         "2026-01-01..2026-12-31", "--out", scratch / "out", "--quiet"},
                        1 << 20);
  };
  const auto first = report(scratch / "l.db");
  CAPTURE(first.errors);
  REQUIRE(first.status == 0);
  CHECK(read_text(scratch / "out/report.html").find("No run in the period") != std::string::npos);
  CHECK(read_text(scratch / "out/report.html").find("<h2>Verified to record 0: ") !=
        std::string::npos);
  const auto by_ledger_key = run_program(
      bin + "/ethos-report",
      {"--ledger", scratch / "l.db", "--pin", scratch / "pin", "--period", "2026-01-01..2026-12-31",
       "--out", scratch / "signed", "--sign-key", scratch / "l.db.keys/epoch-0.key"},
      1 << 20);
  CHECK(by_ledger_key->status == 3);
  CHECK(by_ledger_key->errors.find("nothing else") != std::string::npos);
  // One byte of the record in a copy.
  std::string bytes = read_text(scratch / "l.db");
  const auto at = bytes.find("ledger.genesis");
  if (at == std::string::npos) FAIL("the record is not in the file itself");
  bytes[at] = 'L';
  std::ofstream(scratch / "copy.db", std::ios::binary) << bytes;
  fs::remove_all(scratch / "out");
  CHECK(report(scratch / "copy.db").status == 1);
  CHECK_FALSE(fs::exists(scratch / "out"));
}

TEST_CASE("program: a bundle of the whole ledger gives the records of the ledger", "[reports]") {
  const std::string ledger = std::string(ETHOS_BIN) + "/ethos-ledger";
  const ScratchDirectory scratch;
  REQUIRE(run_program(ledger, {"init", "--ledger", scratch / "l.db", "--origin", "ci.example.com"},
                      1 << 20)
              ->status == 0);
  for (int i = 0; i < 3; ++i)
    REQUIRE(run_program(ledger, {"rotate", "--ledger", scratch / "l.db"}, 1 << 20)->status == 0);
  const auto bundled = run_program(ledger,
                                   {"bundle", "--ledger", scratch / "l.db", "--from", "0", "--to",
                                    "4", "-o", scratch / "all.ethosb"},
                                   1 << 20);
  CAPTURE(bundled->errors);
  REQUIRE(bundled->status == 0);
  std::vector<std::string> from_ledger;
  std::vector<std::string> from_bundle;
  REQUIRE(read_ledger(scratch / "l.db", 0, [&](std::uint64_t, std::string_view bytes) {
    from_ledger.emplace_back(bytes);
  }));
  REQUIRE(read_bundle(scratch / "all.ethosb", 0, [&](std::uint64_t, std::string_view bytes) {
    from_bundle.emplace_back(bytes);
  }));
  CHECK(from_ledger.size() == 4);
  CHECK(from_bundle == from_ledger);
  // Cut anywhere before its last entry it is refused, or gives fewer records: never others.
  const std::string whole = read_text(scratch / "all.ethosb");
  for (std::size_t size = 0; size + 1024 < whole.size(); size += 97) {
    std::ofstream(scratch / "cut", std::ios::binary) << whole.substr(0, size);
    const auto read = read_bundle(scratch / "cut", 0, [](std::uint64_t, std::string_view) {});
    if (read) FAIL("accepted " << size << " of " << whole.size() << " bytes");
  }
}
