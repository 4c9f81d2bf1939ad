// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ledger/base/build_version.h"
#include "reports/process.h"
#include "reports/sha256.h"
#include "tests/reports/support/bench.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;
namespace fs = std::filesystem;
using nlohmann::json;

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
  CHECK(lines(same.out) == 24);
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
  SECTION("the list of digests is gone, or says more") {
    std::ofstream(bench.path("out/SHA256SUMS"), std::ios::app) << std::string(64, '0') << "  x\n";
    const auto more = verify();
    CHECK(more.status == 1);
    CHECK(more.out.find("SHA256SUMS: different from what this ledger gives") != std::string::npos);
    fs::remove(bench.path("out/SHA256SUMS"));
    CHECK(verify().status == 1);
  }
  SECTION("a file that is none of the report's") {
    std::ofstream(bench.path("out/evil.csv")) << "x\n";
    const auto added = verify();
    CHECK(added.status == 1);
    CHECK(added.out.find("evil.csv: not a file of this report") != std::string::npos);
  }
  SECTION("any member of the manifest says something else") {
    const std::string text = read_text(bench.path("out/manifest.json"));
    const json manifest = json::parse(text);
    std::size_t tried = 0;
    for (const auto& [name, value] : manifest.items()) {
      const std::string key = json(name).dump() + ":";
      const std::size_t at = text.find(key);
      REQUIRE(at != std::string::npos);
      if (!value.is_string() && !value.is_array()) continue;
      // Into the text, or as one more item of the list, in front of what is there.
      std::string changed = text;
      const std::size_t inside = text.find(value.is_string() ? '"' : '[', at + key.size()) + 1;
      changed.insert(inside, value.is_string() ? "x" : "{\"name\":\"evil\",\"sha256\":\"\"},");
      std::ofstream(bench.path("out/manifest.json"), std::ios::binary) << changed;
      CAPTURE(name);
      CHECK(verify().status != 0);
      ++tried;
    }
    CHECK(tried > 12);
    std::string changed = text;
    changed.insert(1, "\"extra\":1,");
    std::ofstream(bench.path("out/manifest.json"), std::ios::binary) << changed;
    const auto extra = verify();
    CHECK(extra.status == 1);
    CHECK(extra.out.find("manifest.json: different from what") != std::string::npos);
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
  CHECK(good.out.find("signed by reports.example.com, names 24 files") != std::string::npos);
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
  std::string sums = read_text(bench.path("out/SHA256SUMS"));
  for (const char* name : {"report.json", "report.md"}) {
    std::string text = read_text(bench.path("out/") + name);
    const std::string before = hex(sha256(text));
    for (auto at = text.find(own); at != std::string::npos; at = text.find(own, at + 1))
      text.replace(at, own.size(), other);
    std::ofstream(bench.path("out/") + name, std::ios::binary) << text;
    manifest.replace(manifest.find(before), before.size(), hex(sha256(text)));
    sums.replace(sums.find(before), before.size(), hex(sha256(text)));
  }
  std::ofstream(bench.path("out/SHA256SUMS"), std::ios::binary) << sums;
  manifest.replace(manifest.find(own), own.size(), other);
  std::ofstream(bench.path("out/manifest.json"), std::ios::binary) << manifest;
  const auto again = bench.run_raw(verify);
  CAPTURE(again.out, again.err);
  CHECK(again.status == 0);
  CHECK(again.out.find("made again by " + own + "; the report names " + other) !=
        std::string::npos);
}
