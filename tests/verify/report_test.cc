// SPDX-License-Identifier: Apache-2.0
// Reports made by ethos-report, and then changed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"
#include "verify/report_check.h"

using namespace ethos::support;

namespace {

struct Story {
  TempDir dir;
  LedgerMaker ledger;

  Story() {
    RunChoices choices;
    choices.vector = "02-linter";
    choices.denials = 2;
    add_run(ledger, choices);
    add_refused_run(ledger, "daireeyuculbogazdinryhi6d4");
    RunChoices aborted;
    aborted.run = "eaireeyuculbogazdinryhi6d4";
    aborted.close = false;
    aborted.abort = true;
    add_run(ledger, aborted);
    ledger.write(dir.file("l.db"));
    save(dir.file("pin"), ledger.pin());
  }
  void make(const std::string& more = "") const {
    const std::string command = std::string(ETHOS_BIN) + "/ethos-report --ledger " + dir.file("l.db") + " --pin " + dir.file("pin") +
                                " --period 2020-01-01..2035-12-31 --zone UTC --format json,csv --out " + dir.file("r") + " " + more + " >" + dir.file("log") + " 2>&1";
    INFO(command);
    const int status = std::system(command.c_str());
    INFO(slurp(dir.file("log")));
    REQUIRE(status == 0);
  }
  // The file alone: of the directory a digest would give away every change.
  [[nodiscard]] Outcome verify() const { return verify_as("r/report.json"); }
  [[nodiscard]] Outcome verify_as(const std::string& name) const {
    return verify_with({"--json", "--pin", dir.file("pin"), "--report", dir.file(name), dir.file("l.db")});
  }
  [[nodiscard]] Json read() const { return Json::parse(slurp(dir.file("r/report.json"))); }
  // The report with one change.
  [[nodiscard]] Outcome with(const std::function<void(Json&)>& change) const {
    const std::string good = slurp(dir.file("r/report.json"));
    Json json = Json::parse(good);
    change(json);
    save(dir.file("r/report.json"), json.dump());
    Outcome out = verify();
    save(dir.file("r/report.json"), good);
    return out;
  }
};

}  // namespace

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
  });
  CAPTURE(tool.out);
  CHECK(tool.status == 0);
  CHECK(tool.out.find("1 names of tools and objects are withheld") != std::string::npos);
}

TEST_CASE("report: tables that do not follow from its rows and records", "[verify]") {
  Story story;
  story.make();
  const Json good = story.read();
  CAPTURE(good.at("exceptions").dump(), good.at("rules").dump(), good.at("buckets").size());
  REQUIRE(good.at("exceptions").size() >= 3);
  REQUIRE(good.at("rules").size() >= 2);
  CHECK(story.verify().status == 0);
  using Change = std::function<void(Json&)>;
  const std::vector<std::pair<const char*, Change>> changes{
      {"rules emptied", [](Json& j) { j["rules"] = Json::array(); }},
      {"a rule dropped", [](Json& j) { j["rules"].erase(0); }},
      {"a rule twice", [](Json& j) { j["rules"].push_back(j["rules"][0]); }},
      {"acts of a rule", [](Json& j) { j["rules"][0]["acts"] = 0; }},
      {"runs of a rule", [](Json& j) { j["rules"][0]["runs"] = 7; }},
      {"name of a rule", [](Json& j) { j["rules"][0]["rule"] = "harmless"; }},
      {"first of a rule", [](Json& j) { j["rules"][0]["first"] = j["runs"][0]["opened"]; }},
      {"exceptions emptied", [](Json& j) { j["exceptions"] = Json::array(); }},
      {"exceptions emptied, and their number", [](Json& j) { j["exceptions"] = Json::array(); j["summary"]["exceptions"] = 0; }},
      {"an exception dropped", [](Json& j) { j["exceptions"].erase(0); }},
      {"an exception twice", [](Json& j) { j["exceptions"].push_back(j["exceptions"][0]); }},
      {"kind of an exception", [](Json& j) { j["exceptions"][0]["kind"] = "limit"; }},
      {"run of an exception", [](Json& j) { j["exceptions"][0]["run"] = "zaireeyuculbogazdinryhi6d4"; }},
      {"tool of an exception", [](Json& j) { j["exceptions"][0]["tool"] = "other"; }},
      {"rule of an exception", [](Json& j) { j["exceptions"][1]["rule"] = "other"; }},
      {"time of an exception", [](Json& j) { j["exceptions"][0]["at_ms"] = 1; }},
      {"time of an exception in words", [](Json& j) { j["exceptions"][0]["at"] = "2020-01-01T00:00:00Z"; }},
      {"number of exceptions", [](Json& j) { j["summary"]["exceptions"] = 0; }},
      {"buckets emptied", [](Json& j) { j["buckets"] = Json::array(); }},
      {"a bucket dropped", [](Json& j) { j["buckets"].erase(3); }},
      {"buckets called not covered", [](Json& j) { for (Json& b : j["buckets"]) { b["covered"] = "none"; for (const char* f : {"runs", "refused", "denial_records", "denied_acts", "limit_records"}) b[f] = nullptr; } }},
      {"open at the end, of another moment", [](Json& j) { j["completeness"]["open_at_end"] = nullptr; j["completeness"]["open_at_last_record"] = 77; }},
      {"open at the end, not told", [](Json& j) { j["completeness"].erase("open_at_end"); }},
      {"runs of buckets", [](Json& j) { for (Json& b : j["buckets"]) b["runs"] = 0; }},
      {"acts of buckets", [](Json& j) { for (Json& b : j["buckets"]) b["denied_acts"] = 0; }},
      {"open at the end", [](Json& j) { j["completeness"]["open_at_end"] = -5; }},
      {"open at the start", [](Json& j) { j["completeness"]["open_at_start"] = 3; }},
      {"time of a denial in words", [](Json& j) { j["denials"][0]["at"] = "2020-01-01T00:00:00Z"; }},
      {"object of a denial", [](Json& j) { j["denials"][0]["object"] = "workspace:README.md"; }},
      {"errno of a denial", [](Json& j) { j["denials"][0]["errno"] = 0; }},
      {"beginning of a run in words", [](Json& j) { j["runs"][0]["started"] = "2020-01-01T00:00:00Z"; }}};
  for (const auto& [name, change] : changes) {
    const Outcome r = story.with(change);
    CAPTURE(name, r.err);
    CHECK(r.status == 1);
    CHECK(r.has("report_mismatch"));
  }
}

TEST_CASE("report: fields of runs, counted names, keys and types that do not follow from the records", "[verify]") {
  Story story;
  story.make();
  const Json good = story.read();
  CHECK(story.verify().status == 0);
  const auto changed = [](const Json& value) {
    if (value.is_boolean()) return Json(!value.get<bool>());
    if (value.is_number()) return Json(value.get<std::int64_t>() + 1);
    return Json("other");
  };
  const auto fails = [&](const std::string& what, const std::function<void(Json&)>& change) {
    const Outcome r = story.with(change);
    CAPTURE(what, r.err);
    CHECK(r.status == 1);
    CHECK(r.has("report_mismatch"));
  };
  // Every field of a row: what is not told by the records is named here.
  const std::vector<std::string> others{"opened", "ended", "last", "command", "status_meaning", "problem", "not_executed"};
  for (std::size_t i = 0; i < good.at("runs").size(); ++i) {
    for (const auto& [key, value] : good.at("runs").at(i).items()) {
      if (std::find(others.begin(), others.end(), key) != others.end()) continue;
      fails("runs, " + key, [&, k = key](Json& j) { j["runs"][i][k] = changed(j["runs"][i][k]); });
    }
  }
  fails("an exit code that nobody recorded", [](Json& j) { for (Json& run : j["runs"]) if (!run.contains("exit_code")) run["exit_code"] = 0; });
  for (const char* table : {"weaker", "sensors", "observe", "kernels", "products", "origins"}) {
    if (good.at(table).empty()) continue;
    fails(std::string(table) + " emptied", [&](Json& j) { j[table] = Json::array(); });
    fails(std::string(table) + ", name", [&](Json& j) { j[table][0]["name"] = "other"; });
    fails(std::string(table) + ", runs", [&](Json& j) { j[table][0]["runs"] = 99; });
  }
  fails("types", [](Json& j) { for (Json& row : j["completeness"]["records"]) row["total"] = 0; });
  fails("types, period", [](Json& j) { for (Json& row : j["completeness"]["records"]) row["period"] = 0; });
  fails("types emptied", [](Json& j) { j["completeness"]["records"] = Json::array(); });
  fails("keys", [](Json& j) { j["keys"] = Json::array(); });
  fails("key", [](Json& j) { j["keys"][0]["vkey"] = "x"; });
  fails("an event", [](Json& j) { j["events"].push_back({{"kind", "ledger.hold"}, {"in_period", true}, {"record", j["runs"][0]["opened"]}}); });
  fails("checkpoint", [](Json& j) { j["source"]["checkpoint"] = "forged\nnote"; });
  fails("verdicts gone", [](Json& j) { j["verification"]["verdicts"] = Json::array(); });
  // Stronger than what is asked for here: not contradicted, and not confirmed.
  for (const std::size_t which : {std::size_t{4}, std::size_t{5}}) {
    CAPTURE(which);
    const Outcome r = story.with([&](Json& j) { j["verification"]["verdicts"][which]["result"] = "pass"; });
    CHECK(r.status == 3);
    CHECK(r.json.at("reports").at(0).at("result") == "unknown");
  }
  const Outcome zone = story.with([](Json& j) {
    j["definition"]["period"] = "2025-01-01..2035-12-31";
    j["definition"]["zone"] = "Nowhere/Land";
  });
  CHECK(zone.status == 3);
}

TEST_CASE("report: each file of its directory that was changed, added or lost is named", "[verify]") {
  Story story;
  story.make("--format html,csv,json,md");
  const std::string at = story.dir.file("r/");
  const auto refused = [&](const std::string& what) {
    const Outcome r = story.verify_as("r");
    CAPTURE(what, r.out, r.err);
    CHECK(r.status == 1);
    CHECK(r.has("report_mismatch"));
    CHECK(r.json.at("reports").at(0).at("result") == "fail");
    CHECK(r.out.find(what) != std::string::npos);
  };
  const Outcome good = story.verify_as("r");
  CAPTURE(good.out, good.err);
  REQUIRE(good.status == 0);
  const Json manifest = Json::parse(slurp(at + "manifest.json"));
  const auto files = manifest.at("files").size();
  REQUIRE(files > 5);
  CHECK(good.out.find("the " + std::to_string(files) + " files of the directory are those of its manifest") != std::string::npos);
  for (const Json& file : manifest.at("files")) {
    const std::string name = file.at("name");
    const std::string bytes = slurp(at + name);
    if (bytes.empty()) continue;
    std::string bad = bytes;
    bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
    // Of report.json only what is read over: the digest says it.
    save(at + name, name == "report.json" ? bytes + "\n" : bad);
    refused(name + " was changed");
    save(at + name, bytes + " ");
    refused(name + " was changed");
    if (name != "report.json") {
      std::filesystem::remove(at + name);
      refused(name + " is missing");
      std::filesystem::create_symlink("/etc/hostname", at + name);
      refused(name + " was changed");
      std::filesystem::remove(at + name);
      std::filesystem::create_directory(at + name);
      refused(name + " was changed");
      std::filesystem::remove(at + name);
    }
    save(at + name, bytes);
  }
  save(at + "notes.html", "x");
  refused("notes.html was added");
  std::filesystem::remove(at + "notes.html");
  std::filesystem::create_directory(at + ".hidden");
  refused(".hidden was added");
  std::filesystem::remove(at + ".hidden");
  const std::string sums = slurp(at + "SHA256SUMS");
  save(at + "SHA256SUMS", sums.substr(0, sums.size() - 70));
  refused("SHA256SUMS differs");
  std::filesystem::remove(at + "SHA256SUMS");
  refused("SHA256SUMS is missing");
  save(at + "SHA256SUMS", sums);
  CHECK(story.verify_as("r").status == 0);
}

TEST_CASE("report: a manifest that says another thing than its report is refused", "[verify]") {
  Story story;
  story.make();
  const std::string at = story.dir.file("r/manifest.json");
  const Json good = Json::parse(slurp(at));
  const auto with = [&](const std::function<void(Json&)>& change) {
    Json json = good;
    change(json);
    save(at, json.dump());
    return story.verify_as("r");
  };
  REQUIRE(with([](Json&) {}).status == 0);
  for (const char* key : {"origin", "size", "root", "period", "zone", "pin", "verified"}) {
    CAPTURE(key);
    const Outcome r = with([&](Json& j) { j[key] = j[key].is_string() ? Json("other") : j[key].is_boolean() ? Json(false) : Json(1); });
    CHECK(r.status == 1);
    CHECK(r.out.find(std::string("manifest.json, ") + key) != std::string::npos);
  }
  // A file of one's own, and its digest in both lists.
  const Outcome nameless = with([](Json& j) { j["files"].erase(0); });
  CHECK(nameless.status == 1);
  // What cannot be read says nothing of the files, and no pass.
  for (const std::string& bad : {std::string("{"), std::string("[]"), std::string(R"({"format":"ethos-report-manifest/2","files":[]})"), std::string()}) {
    CAPTURE(bad);
    save(at, bad);
    const Outcome r = story.verify_as("r");
    CHECK(r.status == 3);
    CHECK(r.has("report_unknown"));
  }
  for (const auto& file : {Json({{"name", "../pin"}, {"bytes", 1}, {"sha256", std::string(64, 'a')}}), Json({{"name", "a"}, {"bytes", -1}, {"sha256", std::string(64, 'a')}}),
                           Json({{"name", "a"}, {"bytes", 1}, {"sha256", "aa"}}), good.at("files").at(0)}) {
    CAPTURE(file.dump());
    CHECK(with([&](Json& j) { j["files"].push_back(file); }).status == 3);
  }
  std::filesystem::remove(at);
  CHECK(story.verify_as("r").status == 3);
  CHECK(story.verify().status == 0);
}

TEST_CASE(
    "report: the signature of a directory is checked with the signer's key, and without one it is "
    "said that it was not",
    "[verify]") {
  Story story;
  const TempDir& dir = story.dir;
  const auto key = [&](const char* name) {
    const std::string command = std::string(ETHOS_BIN) + "/ethos-report key " + name + " -o " +
                                dir.file(name) + " > " + dir.file("vkey");
    REQUIRE(std::system(command.c_str()) == 0);
    std::string out = slurp(dir.file("vkey"));
    out.pop_back();
    return out;
  };
  const std::string mine = key("mine");
  const std::string other = key("other");
  story.make("--format intoto --sign-key " + dir.file("mine"));
  const auto verify = [&](const std::string& vkey, const char* name = "r") {
    std::vector<std::string> args{"--json",   "--pin",        dir.file("pin"),
                                  "--report", dir.file(name), dir.file("l.db")};
    if (!vkey.empty()) args.insert(args.end(), {"--signer", vkey});
    return verify_with(args);
  };
  const auto signature = [](const Outcome& r) {
    return r.json.at("reports").at(0).at("signature").get<std::string>();
  };
  const Outcome silent = verify("");
  CAPTURE(silent.out);
  CHECK(silent.status == 0);
  CHECK(signature(silent) == "not_checked");
  CHECK(silent.out.find("its signature was not checked: no key was given") != std::string::npos);
  const Outcome good = verify(mine);
  CAPTURE(good.out);
  CHECK(good.status == 0);
  CHECK(signature(good) == "right");
  CHECK(good.out.find("; signed by mine") != std::string::npos);
  const Outcome wrong = verify(other);
  CHECK(wrong.status == 1);
  CHECK(signature(wrong) == "wrong");
  CHECK(wrong.has("report_mismatch"));
  CHECK(verify("nonsense").status == 2);
  CHECK(verify(mine, "r/report.json").status == 2);
  CHECK(verify_with({"--pin", dir.file("pin"), "--signer", mine, dir.file("l.db")}).status == 2);

  const std::string envelope = slurp(dir.file("r/report.intoto.jsonl"));
  const std::size_t end = envelope.find('\n') + 1;
  REQUIRE(end < envelope.size());
  // The second line is about report.json alone.
  for (const std::string& bad : {std::string(), std::string("x\n"), envelope.substr(end),
                                 envelope.substr(0, end / 2), envelope + envelope.substr(0, 40)}) {
    save(dir.file("r/report.intoto.jsonl"), bad);
    const Outcome r = verify(mine);
    CAPTURE(bad.substr(0, 60), r.out);
    CHECK(r.status == 1);
    CHECK(signature(r) == "wrong");
    CHECK(verify("").status == 0);
  }
  save(dir.file("r/report.intoto.jsonl"), envelope);
  // A file that was changed together with manifest and sums fits them, and not what was signed.
  const auto digest = [](const std::string& bytes) { return hex(sha256(bytes)); };
  const std::string rules = slurp(dir.file("r/rules.csv"));
  const std::string changed = rules + "x\n";
  save(dir.file("r/rules.csv"), changed);
  for (const char* name : {"r/manifest.json", "r/SHA256SUMS"}) {
    std::string text = slurp(dir.file(name));
    text.replace(text.find(digest(rules)), 64, digest(changed));
    const std::string size = "{\"name\":\"rules.csv\",\"bytes\":" + std::to_string(rules.size());
    if (const auto at = text.find(size); at != std::string::npos)
      text.replace(at, size.size(),
                   "{\"name\":\"rules.csv\",\"bytes\":" + std::to_string(changed.size()));
    save(dir.file(name), text);
  }
  CHECK(verify("").status == 0);
  const Outcome swapped = verify(mine);
  CAPTURE(swapped.out);
  CHECK(swapped.status == 1);
  CHECK(swapped.out.find("it is signed about another rules.csv") != std::string::npos);
  std::filesystem::remove_all(dir.file("r"));
  story.make();
  const Outcome unsigned_one = verify(mine);
  CHECK(unsigned_one.status == 3);
  CHECK(unsigned_one.has("report_unknown"));
  CHECK(signature(verify("")) == "none");
}

TEST_CASE("report: grants and what changed in them are counted again", "[verify]") {
  Story story;
  int n = 0;
  for (const char* vector : {"01-defaults", "14-env", "12-git-read", "20-hide-forms", "03-build",
                             "15-loopback-all", "14-env"}) {
    RunChoices choices;
    choices.vector = vector;
    choices.run = "gaireeyuculbogazdinryhi6" + std::string(1, static_cast<char>('a' + n++)) + "4";
    add_run(story.ledger, choices);
  }
  story.ledger.write(story.dir.file("l.db"));
  story.make();
  const Json good = story.read();
  const Outcome whole = story.verify();
  CAPTURE(whole.out);
  REQUIRE(whole.status == 0);
  const Json& grants = good.at("grants");
  REQUIRE(grants.size() > 30);
  const auto refused = [&](const std::string& what, const std::function<void(Json&)>& change) {
    const Outcome r = story.with(change);
    CAPTURE(what, r.out.substr(0, 2000));
    CHECK(r.status == 1);
    CHECK(r.has("report_mismatch"));
  };
  // Each field of one row of every kind: paths, network, names, limits, and what every cage has.
  std::map<std::string, std::size_t> kinds;
  for (std::size_t i = 0; i < grants.size(); ++i)
    kinds.try_emplace(grants[i].at("grant").get<std::string>() + " " +
                          grants[i].at("capability").get<std::string>(),
                      i);
  CHECK(kinds.size() >= 9);
  for (const auto& kind : kinds) {
    const std::size_t i = kind.second;
    for (const auto& member : grants[i].items()) {
      const std::string key = member.key();
      const bool is_own_word =
          kind.first.starts_with("exec.") && (key == "object" || key == "capability");
      if (is_own_word) continue;
      refused(kind.first + ", " + key, [&](Json& j) {
        Json& value = j["grants"][i][key];
        if (value.is_number()) {
          value = value.get<std::int64_t>() + 1;
        } else if (value.is_object()) {
          value = j["runs"].back()["last"];
        } else {
          value = "another";
        }
      });
    }
    refused(kind.first + " is missing", [&](Json& j) { j["grants"].erase(i); });
  }
  refused("a row twice", [](Json& j) { j["grants"].push_back(j["grants"][1]); });
  refused("no rows", [](Json& j) { j["grants"] = Json::array(); });

  const Json& drift = good.at("drift");
  REQUIRE(drift.size() >= 6);
  std::set<std::string> directions;
  for (std::size_t i = 0; i < drift.size(); ++i) {
    refused("drift, a row less", [&](Json& j) { j["drift"].erase(i); });
    const bool has_own_words =
        drift[i].at("changes").dump().find("exec.scratch") != std::string::npos;
    for (std::size_t k = 0; k < drift[i].at("changes").size(); ++k) {
      directions.insert(drift[i].at("changes")[k].at("direction"));
      for (const char* key : {"direction", "grant", "from", "to"}) {
        if (!has_own_words)
          refused(std::string("drift, ") + key,
                  [&](Json& j) { j["drift"][i]["changes"][k][key] = "another"; });
      }
      refused("drift, a change less", [&](Json& j) { j["drift"][i]["changes"].erase(k); });
    }
  }
  CHECK(directions.size() >= 2);
  for (const char* key : {"run", "tool"})
    refused(key, [&](Json& j) { j["drift"].back()[key] = "another"; });
  refused("before", [](Json& j) { j["drift"].back().erase("before"); });
  // A report of an earlier program, without such a table, is compared as far as it goes.
  CHECK(story
            .with([](Json& j) {
              j.erase("grants");
              j.erase("drift");
            })
            .status == 0);
}

TEST_CASE("report: what a tool had before the period is no news in it", "[verify]") {
  Story story;
  LedgerMaker& ledger = story.ledger;
  // Midnight in Darwin is at 14:30 UTC, some runs after the first.
  for (int i = 0; i < 7; ++i) {
    RunChoices choices;
    choices.vector = "02-linter";
    choices.run = "gaireeyuculbogazdinryhi6" + std::string(1, static_cast<char>('a' + i)) + "4";
    choices.patch["run.close"] = {{"duration_ms", 290'000}};
    add_run(ledger, choices);
  }
  ledger.write(story.dir.file("l.db"));
  const std::string command =
      std::string(ETHOS_BIN) + "/ethos-report --ledger " + story.dir.file("l.db") + " --pin " +
      story.dir.file("pin") +
      " --period 2026-09-22..2026-09-22 --zone Australia/Darwin --format json --out " +
      story.dir.file("r") + " >" + story.dir.file("log") + " 2>&1";
  const int status = std::system(command.c_str());
  INFO(slurp(story.dir.file("log")));
  REQUIRE(status == 0);
  const Json report = story.read();
  REQUIRE(report.at("runs").size() > 1);
  REQUIRE(report.at("runs").size() < 7);
  CHECK(report.at("drift").empty());
  const Outcome r = story.verify();
  CAPTURE(r.out);
  CHECK(r.status == 0);
  CHECK(story.with([&](Json& j) { j["grants"][1]["runs"] = 7; }).status == 1);
}

TEST_CASE("report: command lines are those that were committed to, as far as they are disclosed",
          "[verify]") {
  Story story;
  story.make("--arguments");
  REQUIRE(story.read().at("runs").at(0).at("command") == "shellcheck --format=json1");
  CHECK(story.verify().status == 0);
  const Outcome other =
      story.with([](Json& j) { j["runs"][0]["command"] = "shellcheck --exclude=ALL"; });
  CHECK(other.status == 1);
  CHECK(other.has("report_mismatch"));
  CHECK(story.with([](Json& j) { j["runs"][0]["command"] = "[withheld: z, no. 1]"; }).status == 1);
  CHECK(story
            .with([](Json& j) {
              j["redaction"] = {{"applied", true}};
              j["runs"][0]["command"] = "[withheld: z, no. 1]";
            })
            .status == 0);
  // Erased since: what the report says of them cannot be compared, and that is said.
  Json targets = Json::array();
  for (auto at = story.ledger.disclosures.begin(); at != story.ledger.disclosures.end();) {
    if (at->second.kind == "argv") {
      targets.push_back(base64(at->first));
      at = story.ledger.disclosures.erase(at);
    } else {
      ++at;
    }
  }
  std::sort(targets.begin(), targets.end());
  story.ledger.add("data.erase", {{"authority", "me"}, {"reason", "r"}, {"targets", targets}});
  story.ledger.checkpoint();
  story.ledger.write(story.dir.file("l.db"));
  const Outcome erased = story.verify();
  CAPTURE(erased.out);
  CHECK(erased.json.at("reports").at(0).at("result") == "pass");
  const std::string text = erased.json.at("reports").at(0).at("text");
  CHECK(text.find("command lines could not be compared") != std::string::npos);
}
