// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ledger/base/build_version.h"
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
  CHECK(manifest["files"].size() == 21);
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
  SECTION("the device is full") {
    fs::create_directory(bench.path("out"));
    fs::create_directory(bench.path("out/report.json"));  // a name that cannot be replaced
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

TEST_CASE("program: a report is made again and compared", "[reports]") {
  Bench bench;
  REQUIRE(bench.run({"--sample", "3", "--seed", "dice 7", "--org", "It's us"}).status == 0);
  const auto verify = [&](std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"verify",   bench.path("out"),
                                          "--ledger", bench.path("ledger.db"),
                                          "--pin",    bench.path("pin")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return bench.run_raw(arguments);
  };
  const auto same = verify();
  CAPTURE(same.out, same.err);
  REQUIRE(same.status == 0);
  CHECK(lines(same.out) == 21);
  SECTION("a figure changed in a file") {
    std::string text = read_text(bench.path("out/counts.csv"));
    text.replace(text.find("runs,12"), 7, "runs,11");
    std::ofstream(bench.path("out/counts.csv"), std::ios::binary) << text;
    const auto changed = verify();
    CHECK(changed.status == 1);
    CHECK(changed.out.find("counts.csv: changed after it was written") != std::string::npos);
  }
  SECTION("a figure changed in a file and in the manifest") {
    std::string text = read_text(bench.path("out/counts.csv"));
    std::string manifest = read_text(bench.path("out/manifest.json"));
    const std::string before = hex(sha256(text));
    text.replace(text.find("runs,12"), 7, "runs,11");
    manifest.replace(manifest.find(before), 64, hex(sha256(text)));
    std::ofstream(bench.path("out/counts.csv"), std::ios::binary) << text;
    std::ofstream(bench.path("out/manifest.json"), std::ios::binary) << manifest;
    const auto changed = verify();
    CHECK(changed.status == 1);
    CHECK(changed.out.find("counts.csv: different from what this ledger gives") !=
          std::string::npos);
  }
  SECTION("a file is gone") {
    fs::remove(bench.path("out/report.md"));
    CHECK(verify().status == 1);
  }
  SECTION("the manifest is none") {
    std::ofstream(bench.path("out/manifest.json")) << "{}";
    CHECK(verify().status == 3);
  }
  SECTION("the manifest says that nobody has to verify") {
    std::string manifest = read_text(bench.path("out/manifest.json"));
    const std::string word = "\"unverified\":false";
    manifest.replace(manifest.find(word), word.size(), "\"unverified\":true");
    std::ofstream(bench.path("out/manifest.json"), std::ios::binary) << manifest;
    CHECK(verify().status == 3);
  }
  SECTION("the ledger does not pass") {
    bench.set_result("integrity", "fail");
    bench.answer(1);
    CHECK(verify().status == 1);
  }
}

TEST_CASE("program: a PDF is compared only where the program that made it is", "[reports]") {
  const Bench bench;
  const auto engine = [&](const std::string& version) {
    std::ofstream(bench.path("weasyprint"))
        << "#!/bin/sh\nfor last; do :; done\n[ \"$1\" != --version ] || { echo " << version
        << "; exit; }\nprintf '%%PDF-1.4 page %%%%EOF' > \"$last\"\n";
    fs::permissions(bench.path("weasyprint"), fs::perms::owner_all);
  };
  engine("Engine 1");
  REQUIRE(bench.run({"--format", "csv,pdf", "--pdf-engine", bench.path("weasyprint")}).status == 0);
  CHECK(read_text(bench.path("out/report.pdf")) == "%PDF-1.4 page %%EOF");
  CHECK(json::parse(read_text(bench.path("out/manifest.json")))["pdf_engine"] == "Engine 1");
  const std::vector<std::string> verify = {
      "verify", bench.path("out"), "--ledger",     bench.path("ledger.db"),
      "--pin",  bench.path("pin"), "--pdf-engine", bench.path("weasyprint")};
  SECTION("the same program") { CHECK(bench.run_raw(verify).status == 0); }
  SECTION("another version") {
    engine("Engine 2");
    const auto ended = bench.run_raw(verify);
    CHECK(ended.status == 3);
    CHECK(ended.out.find("report.pdf: as it was written, but not made again: it was made by Engine "
                         "1, here is Engine 2") != std::string::npos);
    CHECK(ended.out.find("runs.csv: same") != std::string::npos);
  }
  SECTION("none") {
    fs::remove(bench.path("weasyprint"));
    CHECK(bench.run_raw(verify).status == 3);
  }
  SECTION("a file that was changed is found all the same") {
    fs::remove(bench.path("weasyprint"));
    std::ofstream(bench.path("out/report.pdf")) << "%PDF-1.4 forged %%EOF";
    CHECK(bench.run_raw(verify).status == 1);
  }
}

TEST_CASE("program: without a program for PDF nothing is written", "[reports]") {
  const Bench bench;
  const auto ended = bench.run({"--format", "csv,pdf", "--pdf-engine", bench.path("none")});
  CHECK(ended.status == 3);
  CHECK(lines(ended.err) == 1);
  CHECK_FALSE(bench.has_output());
}

TEST_CASE("program: a signed report names its files and its signer", "[reports]") {
  Bench bench;
  const auto made = bench.run_raw({"key", "reports.example.com", "-o", bench.path("signer.key")});
  REQUIRE(made.status == 0);
  const std::string vkey = made.out.substr(0, made.out.size() - 1);
  CHECK((fs::status(bench.path("signer.key")).permissions() & fs::perms(077)) == fs::perms::none);
  CHECK(bench.run_raw({"key", "reports.example.com", "-o", bench.path("signer.key")}).status ==
        3);  // never over another
  CHECK(bench.run_raw({"key", "two words", "-o", bench.path("x")}).status == 2);
  REQUIRE(bench.run({"--sign-key", bench.path("signer.key")}).status == 0);
  const auto verify = [&](const std::string& signer) {
    return bench.run_raw({"verify", bench.path("out"), "--ledger", bench.path("ledger.db"), "--pin",
                          bench.path("pin"), "--signer", signer});
  };
  const auto good = verify(vkey);
  CAPTURE(good.out, good.err);
  CHECK(good.status == 0);
  CHECK(good.out.find("signed by reports.example.com, names 23 files") != std::string::npos);
  CHECK(verify("nonsense").status == 2);
  const auto other = bench.run_raw({"key", "reports.example.com", "-o", bench.path("other.key")});
  CHECK(verify(other.out.substr(0, other.out.size() - 1)).status == 1);
  SECTION("a file that is not compared otherwise was changed") {
    std::ofstream(bench.path("out/SHA256SUMS"), std::ios::app) << "x";
    CHECK(verify(vkey).status == 1);
  }
  SECTION("nothing unverified is signed") {
    bench.set_result("integrity", "fail");
    bench.answer(1);
    fs::remove_all(bench.path("out"));
    CHECK(bench.run({"--unverified", "--sign-key", bench.path("signer.key")}).status == 3);
    CHECK_FALSE(bench.has_output());
  }
  SECTION("a secret that others can read is refused") {
    fs::permissions(bench.path("signer.key"), fs::perms(0644));
    fs::remove_all(bench.path("out"));
    CHECK(bench.run({"--sign-key", bench.path("signer.key")}).status == 3);
    CHECK_FALSE(bench.has_output());
  }
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
  CHECK(read_text(scratch / "out/report.html").find("<h2>Verified to record 0</h2>") !=
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

TEST_CASE("program: a version names the sources of the build, and a report says who made it again",
          "[reports]") {
  Bench bench;
  const auto version = bench.run_raw({"--version"});
  const std::string own = std::string("ethos-report ") + ethos::base::kBuildVersion;
  CHECK(version.out == own + "\n");
  const auto mark = own.find("+src.");
  REQUIRE(mark != std::string::npos);
  CHECK(own.size() == mark + 5 + 16);
  CHECK(own.find_first_not_of("0123456789abcdef", mark + 5) == std::string::npos);
  REQUIRE(bench.run({"--format", "json,md"}).status == 0);
  const std::vector<std::string> verify = {
      "verify", bench.path("out"), "--ledger", bench.path("ledger.db"), "--pin", bench.path("pin")};
  const auto same = bench.run_raw(verify);
  CHECK(same.status == 0);
  CHECK(same.out.find("made again by") == std::string::npos);
  // The same report as another build would have written it: its files, and the manifest over them.
  const std::string other = own.substr(0, own.size() - 16) + "0123456789abcdef";
  std::string manifest = read_text(bench.path("out/manifest.json"));
  for (const char* name : {"report.json", "report.md"}) {
    std::string text = read_text(bench.path("out/") + name);
    const std::string before = hex(sha256(text));
    for (auto at = text.find(own); at != std::string::npos; at = text.find(own, at + 1))
      text.replace(at, own.size(), other);
    std::ofstream(bench.path("out/") + name, std::ios::binary) << text;
    manifest.replace(manifest.find(before), before.size(), hex(sha256(text)));
  }
  manifest.replace(manifest.find(own), own.size(), other);
  std::ofstream(bench.path("out/manifest.json"), std::ios::binary) << manifest;
  const auto again = bench.run_raw(verify);
  CAPTURE(again.out, again.err);
  CHECK(again.status == 0);
  CHECK(again.out.find("made again by " + own + "; the report names " + other) !=
        std::string::npos);
}
