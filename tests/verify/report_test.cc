// SPDX-License-Identifier: Apache-2.0
// Reports made by ethos-report, and then changed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/verify/support/report_story.h"
#include "verify/report_check.h"

using namespace ethos::support;

TEST_CASE("report: figures, rows and hashes follow from the ledger, also after it has grown", "[verify]") {
  Story story;
  story.make();
  const Outcome r = story.verify();
  CAPTURE(r.out, r.err);
  CHECK(r.status == 0);
  CHECK(r.json.at("reports").at(0).at("result") == "pass");
  CHECK(r.json.at("reports").at(0).at("compared").get<int>() > 60);
  const std::string early = slurp(story.dir.file("l.db"));
  RunChoices more;
  more.run = "faireeyuculbogazdinryhi6d4";
  add_run(story.ledger, more);
  std::filesystem::remove(story.dir.file("l.db"));
  story.ledger.write(story.dir.file("l.db"));
  CHECK(story.verify().status == 0);
  // A report of more than is here cannot be judged.
  std::filesystem::remove_all(story.dir.file("r"));
  story.make();
  save(story.dir.file("l.db"), early);
  const Outcome less = story.verify();
  CHECK(less.status == 3);
  CHECK(less.has("report_unknown"));
}

TEST_CASE("report: every figure, row and hash that is changed is found", "[verify]") {
  Story story;
  story.make();
  const Json good = story.read();
  for (const auto& [name, value] : good.at("summary").at("period").items()) {
    CAPTURE(name);
    const Outcome r = story.with([&, key = name, other = value.get<int>() + 1](Json& j) { j["summary"]["period"][key] = other; });
    CHECK(r.status == 1);
    CHECK(r.has("report_mismatch"));
  }
  for (const char* key : {"run", "tool", "state", "records", "denial_records", "denied_acts", "setup_denials", "limit_records", "gaps", "exports", "started_ms"}) {
    CAPTURE(key);
    CHECK(story.with([&](Json& j) { j["runs"][0][key] = j["runs"][0][key].is_number() ? Json(j["runs"][0][key].get<std::int64_t>() + 1) : Json("other"); }).status == 1);
  }
  REQUIRE(good.at("denials").size() >= 2);
  for (const char* key : {"rule", "operation", "outcome", "mark", "source", "phase", "count", "run", "at_ms"}) {
    CAPTURE(key);
    CHECK(story.with([&](Json& j) { j["denials"][0][key] = j["denials"][0][key].is_number() ? Json(j["denials"][0][key].get<std::int64_t>() + 1) : Json("other"); }).status == 1);
  }
  for (const char* table : {"runs", "denials"}) {
    CHECK(story.with([&](Json& j) { j[table].erase(0); }).status == 1);
    CHECK(story.with([&](Json& j) { j[table].push_back(j[table][0]); }).status == 1);
    CHECK(story.with([&](Json& j) {
      Json row = j[table][0];
      row[std::string(table) == "runs" ? "opened" : "record"]["seq"] = 0;
      j[table].push_back(row);
    }).status == 1);
  }
  CHECK(story.with([](Json& j) { j["summary"]["period"]["new_figure"] = 1; }).status == 3);
  CHECK(story.with([](Json& j) { j["summary"]["period"].erase("runs"); }).status == 1);
  CHECK(story.with([](Json& j) { j["population"]["rows"] = 9; }).status == 1);
  CHECK(story.with([](Json& j) { j["population"]["sha256"] = "sha256:" + std::string(64, '0'); }).status == 1);
  CHECK(story.with([](Json& j) { j["source"]["root"] = base64(sha256("x")); }).status == 1);
  CHECK(story.with([](Json& j) { j["source"]["origin"] = "other.example/ethos/aaaqeayeaudaocajbifqydiob4"; }).status == 1);
  CHECK(story.with([](Json& j) { j["source"]["size"] = j["source"]["size"].get<int>() - 1; }).status == 1);
  CHECK(story.with([](Json& j) { j["verification"]["pin"] = "aaaaaaaaaaaaaaaaaaaa"; }).status == 1);
  CHECK(story.with([](Json& j) { j["definition"]["until"] = "2030-01-01T00:00:00Z"; }).status == 1);
  CHECK(story.with([](Json& j) { j["verification"]["verified"] = false; }).status == 3);
  CHECK(story.with([](Json& j) { j["format"] = "ethos-report/2"; }).status == 3);
  CHECK(story.with([](Json& j) { j.erase("source"); }).status == 3);
  // The start of a leaf hash, wherever it stands.
  int seen = 0;
  const std::function<void(Json&, int&)> walk = [&](Json& j, int& left) {
    if (j.is_object() && j.contains("leaf") && j.contains("seq") && left-- == 0) j["leaf"] = "0123456789abcdef";
    if (j.is_structured()) {
      for (auto& item : j) walk(item, left);
    }
  };
  Json all = good;
  int most = 1000;
  walk(all, most);
  const int refs = 1000 - most;
  REQUIRE(refs > 5);
  for (int i = 0; i < refs; i += 3, ++seen) {
    CAPTURE(i);
    CHECK(story.with([&](Json& j) { int left = i; walk(j, left); }).status == 1);
  }
  CHECK(story.verify().status == 0);
}

TEST_CASE("report: what reports of earlier programs do not tell is compared where it is told", "[verify]") {
  Story story;
  // Of a run with two denials: three results, so one of the tool's own.
  std::string lines;
  for (int i = 0; i < 3; ++i) lines += "sha256:" + std::string(63, 'a') + std::to_string(i) + "\n";
  story.ledger.add("sarif.written",
                   {{"converter", {{"product", "0.1.0"}, {"status", 0}}},
                    {"list", story.ledger.commit("sarif", lines)},
                    {"results", 3},
                    {"sha256", "sha256:" + std::string(64, 'd')}},
                   RunChoices().run);
  story.ledger.checkpoint();
  std::filesystem::remove(story.dir.file("l.db"));
  story.ledger.write(story.dir.file("l.db"));
  story.make();
  const Json good = story.read();
  REQUIRE(good.at("runs").at(0).contains("ceilings"));
  CHECK(story.with([](Json& j) { j["runs"][0]["ceilings"] = "other/1"; }).status == 1);
  CHECK(story.with([](Json& j) { j["runs"][0].erase("ceilings"); }).status == 0);
  // The run has a program and no script.
  CHECK(story.with([](Json& j) { j["runs"][0]["interpreter_sha256"] = "sha256:" + std::string(64, '0'); }).status == 1);
  std::size_t files = 0;
  for (std::size_t i = 0; i < good.at("artifacts").size(); ++i) {
    if (good.at("artifacts").at(i).at("kind") != "sarif") continue;
    ++files;
    CHECK(good.at("artifacts").at(i).at("own_results") == 1);
    for (const char* key : {"own_results", "converter", "breaks_schema"}) {
      CAPTURE(i, key);
      CHECK(story.with([&](Json& j) { j["artifacts"][i].erase(key); }).status == 0);
    }
    CHECK(story.with([&](Json& j) { j["artifacts"][i]["own_results"] = 77; }).status == 1);
    CHECK(story.with([&](Json& j) { j["artifacts"][i]["converter"] = "9.9"; }).status == 1);
    CHECK(story.with([&](Json& j) { j["artifacts"][i]["breaks_schema"] = true; }).status == 1);
  }
  CHECK(files == 1);
}

TEST_CASE("report: nothing is said of a period whose runs were dropped, or of a part of the ledger", "[verify]") {
  Story story;
  story.make();
  std::vector<std::size_t> dropped;
  std::string list;
  for (std::size_t i = 1; i < story.ledger.records.size(); ++i) {
    if (story.ledger.records[i].bytes.find("caireeyuculbogazdinryhi6d4") == std::string::npos) continue;
    dropped.push_back(i);
    list += std::to_string(i) + "\n";
  }
  story.ledger.add("ledger.prune", {{"authority", "a"}, {"below", dropped.back() + 1}, {"from_ms", 1790000000000}, {"list", "sha256:" + hex(sha256(list))}, {"reason", "r"},
                                    {"records", dropped.size()}, {"runs", 1}, {"total", dropped.size()}, {"until_ms", 1790000000100}});
  story.ledger.checkpoint();
  for (const std::size_t i : dropped) story.ledger.records[i].bytes.clear();
  std::filesystem::remove(story.dir.file("l.db"));
  story.ledger.write(story.dir.file("l.db"));
  const Outcome r = story.verify();
  CAPTURE(r.out);
  CHECK(r.status == 3);
  CHECK(r.has("report_unknown"));
  CHECK_FALSE(r.has("report_mismatch"));
}

TEST_CASE("report: what is no report is refused with one line", "[verify]") {
  Story story;
  story.make();
  const std::string good = slurp(story.dir.file("r/report.json"));
  for (const std::string& bad : {std::string(), std::string("{}"), std::string("[]"), good.substr(0, good.size() / 2), good + "x", std::string(200, '['), std::string("{\"format\":\"ethos-report/1\"}")}) {
    save(story.dir.file("r/report.json"), bad);
    const Outcome r = story.verify();
    CHECK(r.status == 3);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
  for (std::size_t cut = 0; cut < good.size(); cut += 997) CHECK_FALSE(ethos::verify::parse_report(good.substr(0, cut)).ok());
}

// A short text can say a great many empty things.
TEST_CASE("report: one of millions of empty things is refused, not kept", "[verify]") {
  std::string zeros = "0";
  while (zeros.size() < 2'000'001) zeros += ",0";
  for (const std::string& text : {R"({"x":[[)" + zeros + "]]}", R"({"runs":[{"run":[)" + zeros + "]}]}",
                                  R"({"definition":{"x":[)" + zeros + "]}}"}) {
    CAPTURE(text.substr(0, 30));
    const auto claims = ethos::verify::parse_report(text);
    REQUIRE_FALSE(claims);
    CHECK(claims.error().what == "more values than are kept of it");
  }
  // One after the other they are let go.
  const auto row = "[" + zeros.substr(0, 700'001) + "]";
  const auto claims = ethos::verify::parse_report(R"({"x":[)" + row + "," + row + "," + row + "," + row + "]}");
  REQUIRE_FALSE(claims);
  CHECK(claims.error().what.find("format") != std::string::npos);
}

TEST_CASE("report: a redacted one is compared as far as it says something", "[verify]") {
  Story story;
  save(story.dir.file("policy"), R"({"format":"ethos-redaction/1","id":"x","authority":"y","rules":[{"field":"tool","reason":"z"}]})");
  story.make("--redact " + story.dir.file("policy"));
  const Outcome r = story.verify();
  CAPTURE(r.out);
  CHECK(r.status == 0);
  CHECK(story.with([](Json& j) { j["runs"][0]["tool"] = "other"; }).status == 1);
  CHECK(story.with([](Json& j) { j["summary"]["period"]["runs"] = 7; }).status == 1);
}

TEST_CASE("report: figures and rows cannot be withheld, and a verdict that failed is no verified one", "[verify]") {
  Story story;
  story.make();
  const auto fails = [&](const char* what, const std::function<void(Json&)>& change) {
    const Outcome r = story.with([&](Json& j) {
      j["redaction"] = {{"applied", true}};
      change(j);
    });
    CAPTURE(what, r.out);
    CHECK(r.status == 1);
    CHECK(r.json.at("reports").at(0).at("result") == "fail");
  };
  const std::string withheld = "[withheld: z, no. 1]";
  fails("figure", [&](Json& j) { j["summary"]["period"]["denied_acts"] = withheld; });
  fails("row", [&](Json& j) { j["denials"][0]["rule"] = withheld; });
  fails("state", [&](Json& j) { j["runs"][0]["state"] = withheld; });
  fails("tool of a denial", [&](Json& j) { j["denials"][0]["tool"] = "another"; });
  fails("verdict", [&](Json& j) { j["verification"]["verdicts"][0]["result"] = "fail"; });
  fails("exit", [&](Json& j) { j["verification"]["exit"] = 1; });
  const Outcome tool = story.with([&](Json& j) {
    j["redaction"] = {{"applied", true}};
    j["runs"][0]["tool"] = withheld;
    j.erase("programs");  // joins runs by what their rows say
  });
  CAPTURE(tool.out);
  CHECK(tool.status == 0);
  CHECK(tool.out.find("1 names of tools and objects are withheld") != std::string::npos);
}
