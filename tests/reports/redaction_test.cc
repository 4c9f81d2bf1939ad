// SPDX-License-Identifier: Apache-2.0
#include "reports/redaction.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/json_report.h"
#include "reports/sha256.h"
#include "reports/words.h"
#include "tests/reports/support/bench.h"
#include "tests/reports/support/fixture.h"
#include "tests/reports/support/workbook_reader.h"

using namespace ethos::reports;
using namespace ethos::support;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// Everything that the records of the small ledger name, but the tool `agent`.
const char* const kPolicy = R"({"format":"ethos-redaction/1","id":"customer 7",
 "authority":"data protection, order 12","rules":[
 {"field":"tool","match":"c*l","reason":"tool of the customer"},
 {"field":"path","match":"workspace:*","reason":"source tree"},
 {"field":"path","reason":"path"},
 {"field":"address","reason":"address"},{"field":"environment","reason":"variables"},
 {"field":"pattern","reason":"patterns"},{"field":"program","reason":"digest"},
 {"field":"host","reason":"host"},{"field":"user","reason":"person"},
 {"field":"revision","reason":"revision"},{"field":"decision","reason":"decision"},
 {"field":"declaration","reason":"declaration"},{"field":"cause","reason":"cause"},
 {"field":"verifier","reason":"words"},{"field":"event","reason":"order"}]})";

std::string without_line(const std::string& text, const std::string& start) {
  const auto at = text.find("\n" + start);
  REQUIRE(at != std::string::npos);
  std::string out = text;
  return out.erase(at + 1, out.find('\n', at + 1) - at);
}

// All texts of a JSON document.
void texts_of(const json& value, std::vector<std::string>& out) {
  if (value.is_string()) out.push_back(value.get<std::string>());
  for (const json& one : value.is_structured() ? value : json::array()) texts_of(one, out);
}

}  // namespace

TEST_CASE("redaction: patterns", "[reports]") {
  CHECK(matches_pattern("*", ""));
  CHECK(matches_pattern("*", "anything/at all"));
  CHECK(matches_pattern("workspace:*", "workspace:a/b"));
  CHECK_FALSE(matches_pattern("workspace:*", "system:a/b"));
  CHECK(matches_pattern("*.pem", "workspace:keys/a.pem"));
  CHECK_FALSE(matches_pattern("*.pem", "workspace:keys/a.pem.txt"));
  CHECK(matches_pattern("a*b*c", "aXbXbXc"));
  CHECK_FALSE(matches_pattern("a*b*c", "aXbXbX"));
  CHECK(matches_pattern("abc", "abc"));
  CHECK_FALSE(matches_pattern("abc", "abcd"));
  CHECK_FALSE(matches_pattern("", "a"));
  CHECK(matches_pattern("", ""));
  CHECK(matches_pattern("a**", "a"));
  CHECK_FALSE(matches_pattern("?", "a"));
  // Many stars are no reason to take long.
  CHECK_FALSE(matches_pattern(std::string(200, '*') + "x", std::string(100000, 'a')));
}

TEST_CASE("redaction: a policy is read strictly", "[reports]") {
  REQUIRE(parse_redaction(kPolicy));
  const auto with = [](const std::string& rules) {
    return R"({"format":"ethos-redaction/1","id":"x","authority":"y","rules":)" + rules + "}";
  };
  CHECK(parse_redaction(with(R"([{"field":"path","reason":"r"}])")));
  for (const char* bad :
       {"[]", "{}", R"([{"field":"path"}])", R"([{"reason":"r"}])",
        R"([{"field":"colour","reason":"r"}])", R"([{"field":"path","reason":""}])",
        R"([{"field":"path","reason":"r","match":""}])",
        R"([{"field":"path","reason":"r","matches":"*"}])",
        R"([{"field":"path","reason":"r","reason":"q"}])", R"(["path"])"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_redaction(with(bad)));
  }
  CHECK_FALSE(parse_redaction(""));
  CHECK_FALSE(parse_redaction("[]"));
  CHECK_FALSE(
      parse_redaction(R"({"format":"ethos-redaction/2","id":"x","authority":"y","rules":[]})"));
  CHECK_FALSE(parse_redaction(
      R"({"format":"ethos-redaction/1","id":"x","rules":[{"field":"path","reason":"r"}]})"));
  CHECK_FALSE(parse_redaction(R"({"format":"ethos-redaction/1","id":"x","authority":"y","note":"",)"
                              R"("rules":[{"field":"path","reason":"r"}]})"));
  std::string many = "[";
  for (int i = 0; i < 257; ++i)
    many += std::string(i == 0 ? "" : ",") + R"({"field":"path","reason":"r"})";
  CHECK_FALSE(parse_redaction(with(many + "]")));
}

TEST_CASE("redaction: what is withheld is in no file, and every figure stays", "[reports]") {
  const Bench bench;
  std::ofstream(bench.path("policy")) << kPolicy;
  const auto made = bench.run({"--format", "html,csv,xlsx,md,json,oscal", "--redact",
                               bench.path("policy"), "--full-out", bench.path("full")});
  CAPTURE(made.err);
  REQUIRE(made.status == 0);
  const json full = json::parse(read_text(bench.path("full/report.json")));
  const json redacted = json::parse(read_text(bench.path("out/report.json")));
  for (const char* same : {"summary", "buckets", "rules", "population", "keys", "limits", "gaps"})
    CHECK(full[same] == redacted[same]);
  for (const char* rows : {"runs", "denials", "grants", "exceptions", "drift", "matrix", "events"})
    CHECK(full[rows].size() == redacted[rows].size());
  CHECK(full["completeness"] == redacted["completeness"]);

  // Every text of the full model that the redacted one does not have is in none of its files.
  std::vector<std::string> before;
  std::vector<std::string> after;
  texts_of(full, before);
  texts_of(redacted, after);
  const std::set<std::string> kept(after.begin(), after.end());
  std::set<std::string> hidden;
  for (const std::string& text : before) {
    // Short ones occur by chance; the salt and the digests of the pair differ on purpose.
    if (text.size() >= 6 && !kept.contains(text)) hidden.insert(text);
  }
  CHECK(hidden.size() > 20);
  CHECK(hidden.contains("workspace:.ethos/out"));
  hidden.erase("workspace");  // an origin, and a word of this product
  hidden.erase(full["counterpart"].get<std::string>());
  std::string all;
  for (const auto& entry : fs::directory_iterator(bench.path("out"))) {
    const std::string text = read_text(entry.path());
    if (entry.path().extension() != ".xlsx") {
      all += text;
      continue;
    }
    for (const auto& [name, member] : read_zip(text)) all += member;
  }
  for (const std::string& text : hidden) {
    // Sentences are made anew around what is withheld; the names in them are what must not be
    // there.
    if (text.find("withheld") != std::string::npos || text.starts_with("This is the full"))
      continue;
    CAPTURE(text);
    CHECK(all.find(text) == std::string::npos);
  }
  CHECK(all.find("agent") != std::string::npos);
  CHECK(all.find("[withheld: source tree, no. 1]") != std::string::npos);
}

TEST_CASE("redaction: full and redacted report name each other's digest", "[reports]") {
  const Bench bench;
  std::ofstream(bench.path("policy")) << kPolicy;
  const std::vector<std::string> options = {"--format", "json,html", "--redact",
                                            bench.path("policy")};
  std::vector<std::string> both = options;
  both.insert(both.end(), {"--full-out", bench.path("full")});
  REQUIRE(bench.run(both).status == 0);
  const std::string full = read_text(bench.path("full/report.json"));
  const std::string redacted = read_text(bench.path("out/report.json"));
  const auto content = [](const std::string& text) {
    return "sha256:" + hex(sha256(without_line(text, "\"counterpart\"")));
  };
  CHECK(json::parse(full)["counterpart"] == content(redacted));
  CHECK(json::parse(redacted)["counterpart"] == content(full));
  CHECK(json::parse(read_text(bench.path("out/manifest.json")))["redaction"]["content"] ==
        content(redacted));
  CHECK(read_text(bench.path("out/report.html")).find(content(full)) != std::string::npos);
  CHECK(read_text(bench.path("full/report.html")).find(content(redacted)) != std::string::npos);
  // Who guesses a withheld value cannot try it: the full report holds a secret besides.
  CHECK(json::parse(full)["redaction"]["salt"].get<std::string>().size() == 64);
  CHECK_FALSE(json::parse(redacted)["redaction"].contains("salt"));
  const std::string secret = json::parse(full)["redaction"]["salt"];
  const std::string plain = json::parse(full)["redaction"]["digest"];
  for (const auto& entry : fs::directory_iterator(bench.path("out"))) {
    CHECK(read_text(entry.path()).find(secret) == std::string::npos);
    CHECK(read_text(entry.path()).find(plain) == std::string::npos);
  }
  CHECK(plain == sha256_text(kPolicy));
  CHECK(json::parse(redacted)["redaction"]["digest"] == sha256_text(secret + "\n" + plain));
  // Patterns would tell what they hide.
  const json rules = json::parse(redacted)["redaction"]["rules"];
  for (const json& rule : rules)
    CHECK((rule["match"] == "*" || rule["match"] == "(withheld)"));

  SECTION("without --full-out the redacted report is the same") {
    std::vector<std::string> alone = {
        "--ledger", bench.path("ledger.db"),  "--pin",  bench.path("pin"),
        "--period", "2026-10-01..2026-12-31", "--zone", "Europe/Berlin",
        "--out",    bench.path("alone")};
    alone.insert(alone.end(), options.begin(), options.end());
    REQUIRE(bench.run_raw(alone).status == 0);
    CHECK(read_text(bench.path("alone/report.json")) == redacted);
  }
  SECTION("both are made again and compared, with the policy") {
    for (const char* directory : {"out", "full"}) {
      std::vector<std::string> verify = {"verify",   bench.path(directory),
                                         "--ledger", bench.path("ledger.db"),
                                         "--pin",    bench.path("pin")};
      CHECK(bench.run_raw(verify).status == 2);
      verify.insert(verify.end(), {"--redact", bench.path("policy")});
      const auto same = bench.run_raw(verify);
      CAPTURE(same.out, same.err);
      CHECK(same.status == 0);
    }
    std::ofstream(bench.path("other"))
        << R"({"format":"ethos-redaction/1","id":"x","authority":"y","rules":[{"field":"path","reason":"r"}]})";
    const auto other =
        bench.run_raw({"verify", bench.path("out"), "--ledger", bench.path("ledger.db"), "--pin",
                       bench.path("pin"), "--redact", bench.path("other")});
    CHECK(other.status == 3);
  }
}

TEST_CASE("redaction: values and places are counted", "[reports]") {
  const Bench bench;
  std::ofstream(bench.path("policy"))
      << R"({"format":"ethos-redaction/1","id":"x","authority":"y","rules":[
          {"field":"user","reason":"person"},{"field":"tool","match":"nothing-*","reason":"none"}]})";
  REQUIRE(bench.run({"--format", "json", "--redact", bench.path("policy")}).status == 0);
  const json report = json::parse(read_text(bench.path("out/report.json")));
  CHECK(report["redaction"]["rules"][0]["values"] == 1);
  CHECK(report["redaction"]["rules"][0]["places"] == report["runs"].size());
  CHECK(report["redaction"]["rules"][1]["values"] == 0);
  for (const json& run : report["runs"]) CHECK(run["caller_uid"] == "[withheld: person, no. 1]");
}

TEST_CASE("redaction: wrong use is refused before anything is written", "[reports]") {
  const Bench bench;
  std::ofstream(bench.path("policy")) << kPolicy;
  std::ofstream(bench.path("bad")) << "{}";
  struct Case {
    std::vector<std::string> options;
    int status;
  };
  for (const Case& one :
       {Case{{"--full-out", bench.path("full")}, 2},
        Case{{"--redact", bench.path("policy"), "--full-out", bench.path("out")}, 2},
        Case{{"--redact", bench.path("bad")}, 3}, Case{{"--redact", bench.path("none")}, 3}}) {
    const auto ended = bench.run(one.options);
    CHECK(ended.status == one.status);
    CHECK(lines(ended.err) == 1);
    CHECK_FALSE(bench.has_output());
  }
}
