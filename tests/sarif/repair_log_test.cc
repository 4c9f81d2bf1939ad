// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sarif/repair/repair.h"
#include "sarif/validate/validate.h"
#include "tests/sarif/mended.h"
#include "tests/sarif/support.h"
#include "tests/sarif/temp_tree.h"

namespace ethos::sarif {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST_CASE("repair: what needs no change keeps its tokens", "[sarif][repair]") {
  const std::string text =
      log_with(R"("zzz":{"a":[1.50,1e2,"\u00e9\/"]},"results":[{"message":{"text":"\u0041"},)"
               R"("rank":1.0,"properties":{"big":123456789012345678901234567890,"n":null}}],)"
               R"("properties":{"sandbox":{"enabled":true,"ratio":0.10}})");
  const Mended mended = mend(text);
  CHECK(mended.changes.empty());
  CHECK(mended.text == text);
}

TEST_CASE("repair: impossible numbers are left out and listed", "[sarif][repair]") {
  const Mended mended = mend(result_with(
      R"("locations":[{"physicalLocation":{"artifactLocation":{"uri":"a"},)"
      R"("region":{"startLine":3,"startColumn":0,"endColumn":18446744073709551615}}},)"
      R"({"physicalLocation":{"artifactLocation":{"uri":"a"},"region":{"startLine":0}}}],)"
      R"("occurrenceCount":0,"rank":-7)"));
  const json result = mended.run0()["results"][0];
  CHECK(result["locations"][0]["physicalLocation"]["region"] == json({{"startLine", 3}}));
  CHECK_FALSE(result["locations"][1]["physicalLocation"].contains("region"));
  CHECK_FALSE(result.contains("occurrenceCount"));
  CHECK_FALSE(result.contains("rank"));
  REQUIRE(mended.changes.size() == 5);
  CHECK(mended.changes[0].pointer ==
        "/runs/0/results/0/locations/0/physicalLocation/region/startColumn");
  CHECK(mended.changes[0].before == "0");
  CHECK(mended.changes[1].before == "18446744073709551615");
  CHECK(mended.changes[2].before == R"({"startLine":0})");
  CHECK(mended.changes[4].before == "-7");
}

TEST_CASE("repair: a region that has to be there stays whole", "[sarif][repair]") {
  const std::string text =
      result_with(R"("fixes":[{"artifactChanges":[{"artifactLocation":{"uri":"a"},)"
                  R"("replacements":[{"deletedRegion":{"startLine":0}}]}]}])");
  const Mended mended = mend(text);
  CHECK(mended.changes.empty());
  CHECK(mended.text == text);
}

TEST_CASE("repair: null is replaced by what is meant", "[sarif][repair]") {
  const Mended empty = mend(log_with(R"("results":null,"artifacts":null,"language":null)"));
  CHECK(empty.run0()["results"] == json::array());
  CHECK_FALSE(empty.run0().contains("artifacts"));
  CHECK_FALSE(empty.run0().contains("language"));
  CHECK(empty.changes.size() == 3);
  const Mended runs = mend(R"({"version":"2.1.0","runs":null})");
  CHECK(runs.log()["runs"] == json::array());
  const Mended item = mend(result_with(R"("relatedLocations":[null,{"id":1}],"message2":null)"));
  CHECK(item.run0()["results"][0]["relatedLocations"] == json::array({{{"id", 1}}}));
  CHECK(item.run0()["results"][0]["message2"].is_null());
  const Mended required = mend(log_with(R"("results":[{"message":null}])"));
  CHECK(required.changes.empty());
}

TEST_CASE("repair: equal tags and items go, the first stays", "[sarif][repair]") {
  const Mended mended = mend(log_with(
      R"("results":[{"message":{"text":"m"},"properties":{"tags":["a","b","a"]},)"
      R"("relatedLocations":[{"id":1,"message":{"text":"x"}},{"message":{"text":"x"},"id":1.0}]}])",
      R"("name":"T","rules":[{"id":"R","properties":{"tags":["x","\u0078"]}}])"));
  CHECK(mended.run0()["results"][0]["properties"]["tags"] == json({"a", "b"}));
  CHECK(mended.run0()["results"][0]["relatedLocations"].size() == 1);
  CHECK(mended.run0()["tool"]["driver"]["rules"][0]["properties"]["tags"] == json({"x"}));
  REQUIRE(mended.changes.size() == 3);
  CHECK(mended.changes[0].kind == RepairKind::duplicate_removed);
  CHECK(mended.changes[0].pointer == "/runs/0/tool/driver/rules/0/properties/tags/1");
}

TEST_CASE("repair: equal rules become one, and every index follows", "[sarif][repair]") {
  const std::string rules =
      R"("name":"T","rules":[{"id":"A"},{"id":"B"},{"id":"A"},{"id":"A","name":"other"},{"id":"C"}])";
  const std::string members =
      R"("results":[{"ruleIndex":4,"message":{"text":"m"}},)"
      R"({"rule":{"index":2},"ruleIndex":2,"message":{"text":"m"}},)"
      R"({"rule":{"index":2,"toolComponent":{"name":"x"}},"message":{"text":"m"}}],)"
      R"("invocations":[{"executionSuccessful":true,"ruleConfigurationOverrides":)"
      R"([{"configuration":{},"descriptor":{"index":3}}],"notificationConfigurationOverrides":)"
      R"([{"configuration":{},"descriptor":{"index":3}}]}])";
  const Mended mended = mend(log_with(members, rules));
  const json run = mended.run0();
  CHECK(run["tool"]["driver"]["rules"] ==
        json::parse(R"([{"id":"A"},{"id":"B"},{"id":"A","name":"other"},{"id":"C"}])"));
  CHECK(run["results"][0]["ruleIndex"] == 3);
  CHECK(run["results"][1]["ruleIndex"] == 0);
  CHECK(run["results"][1]["rule"]["index"] == 0);
  CHECK(run["results"][2]["rule"]["index"] == 2);
  CHECK(run["invocations"][0]["ruleConfigurationOverrides"][0]["descriptor"]["index"] == 2);
  CHECK(run["invocations"][0]["notificationConfigurationOverrides"][0]["descriptor"]["index"] == 3);
  CHECK(mended.changes.size() == 5);
  // The same when the results come before the tool, in a log of two runs.
  const std::string late = R"({"version":"2.1.0","runs":[{"tool":{"driver":{"name":"U"}}},{)" +
                           members + R"(,"tool":{"driver":{)" + rules + "}}}]}";
  const json second = mend(late).log()["runs"][1];
  CHECK(second["results"][0]["ruleIndex"] == 3);
  CHECK(second["tool"]["driver"]["rules"].size() == 4);
}

TEST_CASE("repair: rules that are counted in another way are not merged", "[sarif][repair]") {
  const std::string twice = R"("name":"T","rules":[{"id":"A"},{"id":"A"}])";
  CHECK(mend(log_with("", twice)).changes.size() == 1);
  const std::string linked =
      R"x("results":[{"message":{"text":"[x](sarif:/runs/0/tool/driver/rules/1)"}}])x";
  CHECK(mend(log_with(linked, twice)).changes.empty());
  const std::string related =
      R"("name":"T","rules":[{"id":"A","relationships":[{"target":{"index":1}}]},{"id":"B"},{"id":"B"}])";
  CHECK(mend(log_with("", related)).changes.empty());
}

TEST_CASE("repair: extensions, artifacts and logical locations are merged too", "[sarif][repair]") {
  const Mended mended = mend(
      R"({"version":"2.1.0","runs":[{"tool":{"driver":{"name":"T"},"extensions":[)"
      R"({"name":"E","rules":[{"id":"A"}]},{"name":"F","rules":[{"id":"X"},{"id":"X"},{"id":"Y"}]}]},)"
      R"("artifacts":[{"location":{"uri":"a b"}},{"location":{"uri":"a%20b"}},)"
      R"({"location":{"uri":"c","index":2},"parentIndex":1}],)"
      R"("logicalLocations":[{"name":"f"},{"name":"f"},{"name":"g","parentIndex":1}],)"
      R"("results":[{"message":{"text":"m"},"rule":{"index":2,"toolComponent":{"index":1}},)"
      R"("locations":[{"physicalLocation":{"artifactLocation":{"index":2}},)"
      R"("logicalLocations":[{"index":2}]}]}]}]})");
  const json run = mended.run0();
  CHECK(run["tool"]["extensions"][1]["rules"] == json::parse(R"([{"id":"X"},{"id":"Y"}])"));
  CHECK(run["artifacts"].size() == 2);
  CHECK(run["artifacts"][1] ==
        json::parse(R"({"location":{"uri":"c","index":1},"parentIndex":0})"));
  CHECK(run["logicalLocations"][1]["parentIndex"] == 0);
  const json result = run["results"][0];
  CHECK(result["rule"]["index"] == 1);
  CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"]["index"] == 1);
  CHECK(result["locations"][0]["logicalLocations"][0]["index"] == 1);
}

TEST_CASE("repair: severity words and numbers", "[sarif][repair]") {
  const auto severity = [](const std::string& value) {
    const Mended mended = mend(log_with(
        "", R"("name":"T","rules":[{"id":"R","properties":{"security-severity":)" + value + "}}]"));
    const json bag = mended.run0()["tool"]["driver"]["rules"][0]["properties"];
    return bag.value("security-severity", json("gone"));
  };
  CHECK(severity("7.5") == "7.5");
  CHECK(severity("\"High\"") == "8.0");
  CHECK(severity("\"undefined\"") == "gone");
  CHECK(severity("0") == "gone");
  CHECK(severity("null") == "gone");
  CHECK(severity("\"9.8\"") == "9.8");
  const Mended levels = mend(log_with(
      R"("results":[{"level":"Info","kind":"Fail","message":{"text":"m"}},{"level":"odd","message":{"text":"m"}}])",
      R"("name":"T","rules":[{"id":"R","defaultConfiguration":{"level":"critical"}}])"));
  CHECK(levels.run0()["results"][0]["level"] == "note");
  CHECK(levels.run0()["results"][0]["kind"] == "fail");
  CHECK(levels.run0()["results"][1]["level"] == "odd");
  CHECK(levels.run0()["tool"]["driver"]["rules"][0]["defaultConfiguration"]["level"] == "error");
  // Only a rule's severity means something to services; other bags are their owner's.
  CHECK(mend(result_with(R"("properties":{"security-severity":"High"})")).changes.empty());
}

TEST_CASE("repair: with a root, paths become relative and fingerprints appear", "[sarif][repair]") {
  const support::TempTree tree;
  tree.write("src/a b.c", "int x;\nint y;\n");
  const std::string location = R"({"physicalLocation":{"artifactLocation":{"uri":"file://)" +
                               tree.path() +
                               R"(/src/a b.c","uriBaseId":"B"},"region":{"startLine":2}}})";
  const Mended mended = mend(
      log_with(R"("originalUriBaseIds":{"B":{"uri":"file:///other/"}},"invocations":[{)"
               R"("executionSuccessful":true,"workingDirectory":{"uri":"file://)" +
               tree.path() + R"("}}],"results":[{"message":{"text":"m"},"locations":[)" + location +
               R"(]},{"message":{"text":"m"},"partialFingerprints":{"own":"1"},"locations":[)" +
               location + "]}]"),
      tree.path());
  const json run = mended.run0();
  const json first = run["results"][0];
  CHECK(first["locations"][0]["physicalLocation"]["artifactLocation"] ==
        json({{"uri", "src/a%20b.c"}}));
  CHECK(first["partialFingerprints"]["primaryLocationLineHash"].get<std::string>().find(":1") !=
        std::string::npos);
  CHECK(run["results"][1]["partialFingerprints"]["own"] == "1");
  CHECK(run["results"][1]["partialFingerprints"].size() == 2);
  CHECK(run["invocations"][0]["workingDirectory"]["uri"] == "file://" + tree.path());
  CHECK(mend(mended.text, tree.path()).changes.empty());
}

TEST_CASE("repair: what cannot be mended without loss is refused", "[sarif][repair]") {
  CHECK(mend(R"({"version":"2.1.0","version":"2.1.0","runs":[]})").failure.find("twice") !=
        std::string::npos);
  CHECK(mend(R"({"version":"1.0.0","runs":[]})").failure.find("1.0.0") != std::string::npos);
  CHECK(mend(R"({"runs":[]})").failure.find("version") != std::string::npos);
  for (const char* text : {"", "[]", "{", R"({"version":"2.1.0","runs":[)", "{}{}", "\xFF\xFE{"}) {
    CAPTURE(text);
    CHECK_FALSE(mend(text).failure.empty());
  }
}

// Whether a change at `pointer` explains a difference at `place`, an entry of a JSON Patch. Where
// an item went, those behind it have moved.
bool explains(const std::string& pointer, const std::string& place) {
  const std::string parent = pointer.substr(0, pointer.rfind('/'));
  const std::string& shorter = pointer.size() < place.size() ? pointer : place;
  const std::string& longer = pointer.size() < place.size() ? place : pointer;
  return longer.substr(0, shorter.size()) == shorter ||
         (place.size() > parent.size() && place.substr(0, parent.size() + 1) == parent + "/");
}

TEST_CASE("repair: real files differ only where a change is listed", "[sarif][repair]") {
  const auto shared = support::shared_sarif_dir();
  if (!shared) {
    WARN("skipped: shared data not present");
    return;
  }
  std::size_t mended_files = 0;
  for (const auto& entry : fs::directory_iterator(*shared / "corpus")) {
    if (entry.path().extension() != ".sarif") continue;
    const std::string name = entry.path().filename();
    CAPTURE(name);
    const std::string text = support::read_all(entry.path());
    const Mended mended = mend(text);
    if (name == "sarif-1.0.0-testhost.sarif") {
      CHECK_FALSE(mended.failure.empty());
      continue;
    }
    REQUIRE(mended.failure.empty());
    if (!mended.changes.empty()) ++mended_files;
    for (const json& difference : json::diff(json::parse(text), mended.log())) {
      const std::string place = difference["path"];
      CAPTURE(place);
      CHECK(std::any_of(
          mended.changes.begin(), mended.changes.end(),
          [&place](const RepairChange& change) { return explains(change.pointer, place); }));
    }
    CHECK(mend(mended.text).changes.empty());
    // Nothing that was valid becomes invalid.
    const auto is_valid = [](const std::string& log) {
      MemorySource source(log);
      return validation::validate(source, {}).is_schema_valid;
    };
    if (is_valid(text)) CHECK(is_valid(mended.text));
    if (name == "cppcheck-2.17.1.sarif" || name == "gcc-14.2-space-utf8-name.sarif") {
      CHECK_FALSE(is_valid(text));
      CHECK(is_valid(mended.text));
    }
  }
  CHECK(mended_files >= 7);
}

}  // namespace
}  // namespace ethos::sarif
