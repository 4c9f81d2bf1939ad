// SPDX-License-Identifier: Apache-2.0
// Tables of a report whose rows do not follow from the records.
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

using namespace ethos::support;

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
