// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/fold.h"

#include <fcntl.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "ledger/base/unique_fd.h"
#include "sarif/commands/run.h"
#include "sarif/log/digest.h"
#include "sarif/log/summary.h"
#include "tests/sarif/support.h"
#include "tests/sarif/temp_tree.h"

namespace ethos::sarif {
namespace {

using nlohmann::json;

struct Folded {
  base::Result<FoldSummary> summary = FoldSummary{};
  std::string text;
  [[nodiscard]] json runs() const { return json::parse(text)["runs"]; }
};

Folded fold(const std::vector<std::string>& logs, FoldBy by = FoldBy::category) {
  const support::TempTree tree;
  std::vector<base::UniqueFd> files;
  std::vector<int> fds;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    tree.write(std::to_string(i), logs[i]);
    files.emplace_back(::open(tree.file(std::to_string(i)).c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(files.back().get() >= 0);
    fds.push_back(files.back().get());
  }
  Folded out;
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  out.summary = fold_logs(fds, by, writer);
  out.text = sink.text();
  return out;
}

std::string log_of(const std::vector<json>& runs) {
  return json{{"version", "2.1.0"}, {"runs", runs}}.dump();
}

json run(const std::vector<std::string>& rules, const std::vector<json>& results) {
  json listed = json::array();
  for (const std::string& id : rules) listed.push_back({{"id", id}});
  return {{"tool", {{"driver", {{"name", "t"}, {"version", "1"}, {"rules", listed}}}}},
          {"columnKind", "utf16CodeUnits"},
          {"results", results}};
}

json result(const std::string& rule, int index, const std::string& uri, int artifact) {
  json out = {
      {"message", {{"text", rule + uri}}},
      {"ruleId", rule},
      {"locations",
       {{{"physicalLocation", {{"artifactLocation", {{"uri", uri}, {"index", artifact}}}}}}}}};
  if (index >= 0) out["ruleIndex"] = index;
  return out;
}

json artifact(const std::string& uri, int self) {
  return {{"location", {{"uri", uri}, {"index", self}}}};
}

TEST_CASE("fold: runs of one tool become one, and every index follows", "[sarif]") {
  json first = run({"A", "B"}, {result("B", 1, "x.c", 0), result("A", 0, "y.c", 1)});
  first["artifacts"] = {artifact("x.c", 0), artifact("y.c", 1)};
  json second = run({"B", "C", "Z"}, {result("C", 1, "z.c", 0), result("B", 0, "x.c", 1)});
  second["artifacts"] = {artifact("z.c", 0), artifact("x.c", 1), artifact("unused.c", 2)};
  const Folded out = fold({log_of({first}), log_of({second})});
  REQUIRE(out.summary);
  CHECK(out.summary->runs_in == 2);
  CHECK(out.summary->runs_out == 1);
  CHECK(out.summary->clashes.empty());
  const json one = out.runs().at(0);
  const json& rules = one["tool"]["driver"]["rules"];
  CHECK(rules == json({{{"id", "A"}}, {{"id", "B"}}, {{"id", "C"}}, {{"id", "Z"}}}));
  REQUIRE(one["artifacts"].size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(one["artifacts"][i]["location"]["index"] == i);
  REQUIRE(one["results"].size() == 4);
  for (const json& each : one["results"]) {
    CHECK(rules.at(each["ruleIndex"].get<std::size_t>())["id"] == each["ruleId"]);
    const json& place = each["locations"][0]["physicalLocation"]["artifactLocation"];
    CHECK(one["artifacts"].at(place["index"].get<std::size_t>())["location"]["uri"] ==
          place["uri"]);
  }
  CHECK(one["properties"]["ethos/folded"] == json({{{"results", 2}}, {{"results", 2}}}));
}

TEST_CASE("fold: what is said once for a run keeps runs apart, and the reason is said", "[sarif]") {
  const auto reason = [](const json& left, const json& right) {
    const Folded out = fold({log_of({left}), log_of({right})});
    REQUIRE(out.summary);
    if (out.summary->runs_out == 1) return std::string("folded");
    REQUIRE(out.summary->apart.size() == 1);
    // Nothing has changed in either.
    CHECK(out.runs() == json(std::vector<json>{left, right}));
    CHECK(out.summary->clashes.size() == 1);
    const std::string& text = out.summary->apart[0];
    return text.substr(text.find(": ") + 2);
  };
  const json plain = run({"A"}, {result("A", 0, "x.c", -1)});
  CHECK(reason(plain, plain) == "folded");
  json other = plain;
  other["columnKind"] = "unicodeCodePoints";
  CHECK(reason(plain, other) == "columnKind differs");
  other = plain;
  other.erase("columnKind");
  CHECK(reason(plain, other) == "columnKind differs");
  other = plain;
  other["tool"]["driver"]["version"] = "2";
  CHECK(reason(plain, other) == "tool.driver.version differs");
  other = plain;
  other["tool"]["extensions"] = {{{"name", "e"}}};
  CHECK(reason(plain, other) == "tool.extensions differs");
  other = plain;
  other["results"] = nullptr;
  CHECK(reason(plain, other) == "one of them does not say whether there are results");
  json left = plain;
  left["properties"] = {{"sandbox", {{"run", "1"}}}};
  other["results"] = plain["results"];
  other["properties"] = {{"sandbox", {{"run", "2"}}}};
  CHECK(reason(left, other) == "properties.sandbox differs");
  left = plain;
  left["originalUriBaseIds"] = {{"R", {{"uri", "file:///a/"}}}};
  other = plain;
  other["originalUriBaseIds"] = {{"R", {{"uri", "file:///b/"}}}};
  CHECK(reason(left, other) == "originalUriBaseIds.R differs");
  other = plain;
  other["results"][0]["message"]["text"] = "see sarif:/runs/0/results/0";
  const Folded linked = fold({log_of({other}), log_of({other})});
  REQUIRE(linked.summary);
  CHECK(linked.summary->runs_out == 2);
  CHECK(linked.text.find("sarif:/runs/1/results/0") != std::string::npos);
  // "B" has no level of its own: with the other run's descriptor it would get one.
  left = run({"A"}, {result("B", -1, "x.c", -1)});
  other = run({"B"}, {});
  CHECK(reason(left, other).find("declares a rule") != std::string::npos);
  left["results"][0]["level"] = "note";
  CHECK(reason(left, other) == "folded");
}

TEST_CASE("fold: categories are kept apart unless only the tool counts", "[sarif]") {
  json left = run({"A"}, {result("A", 0, "x.c", -1)});
  json right = left;
  left["automationDetails"] = {{"id", "one/1"}};
  right["automationDetails"] = {{"id", "two/2"}};
  CHECK(fold({log_of({left, right})}).summary->runs_out == 2);
  const Folded out = fold({log_of({left, right})}, FoldBy::tool);
  REQUIRE(out.summary->runs_out == 1);
  const json one = out.runs()[0];
  CHECK(one["automationDetails"]["id"] == "one/1");
  CHECK(one["properties"]["ethos/folded"][1]["automationDetails"]["id"] == "two/2");
  // Folded once more with a third, each run is still named.
  const Folded again = fold({out.text, log_of({right})}, FoldBy::tool);
  REQUIRE(again.summary->runs_out == 1);
  CHECK(again.runs()[0]["properties"]["ethos/folded"].size() == 3);
}

TEST_CASE("fold: two descriptors of one id stay two, and each result keeps its own", "[sarif]") {
  json left = run({"A"}, {result("A", -1, "x.c", -1)});
  json right = run({"A"}, {result("A", -1, "y.c", -1), result("A", 0, "z.c", -1)});
  right["tool"]["driver"]["rules"][0]["defaultConfiguration"] = {{"level", "error"}};
  const Folded out = fold({log_of({left}), log_of({right})});
  REQUIRE(out.summary->runs_out == 1);
  const json one = out.runs()[0];
  CHECK(one["tool"]["driver"]["rules"].size() == 2);
  CHECK_FALSE(one["results"][0].contains("ruleIndex"));
  CHECK(one["results"][1]["ruleIndex"] == 1);
  CHECK(one["results"][2]["ruleIndex"] == 1);
}

TEST_CASE("fold: parents that come later in the file, and circles of them", "[sarif]") {
  json left = run({"A"}, {});
  left["logicalLocations"] = {{{"name", "low"}, {"parentIndex", 1}}, {{"name", "top"}}};
  const Folded same = fold({log_of({left, left})});
  CHECK(same.runs()[0]["logicalLocations"] == left["logicalLocations"]);
  json right = run({"A"}, {});
  right["logicalLocations"] = {{{"name", "top"}},
                               {{"name", "low"}, {"parentIndex", 2}},
                               {{"name", "mid"}, {"parentIndex", 0}}};
  const json all = fold({log_of({left, right})}).runs()[0]["logicalLocations"];
  CHECK(all == json({{{"name", "low"}, {"parentIndex", 1}},
                     {{"name", "top"}},
                     {{"name", "low"}, {"parentIndex", 3}},
                     {{"name", "mid"}, {"parentIndex", 1}}}));
  left["logicalLocations"] = {{{"name", "a"}, {"parentIndex", 1}},
                              {{"name", "b"}, {"parentIndex", 0}}};
  const json circle = fold({log_of({left, left})}).runs()[0]["logicalLocations"];
  REQUIRE(circle.size() >= 2);
  for (const json& each : circle) {
    CHECK(circle.at(each["parentIndex"].get<std::size_t>())["name"] != each["name"]);
  }
  // A chain as long as a hostile file can make it.
  json chain = json::array();
  for (int i = 0; i < 5000; ++i)
    chain.push_back({{"name", std::to_string(i)}, {"parentIndex", i + 1}});
  left["logicalLocations"] = chain;
  CHECK(fold({log_of({left, left})}).summary);
}

TEST_CASE("fold: an index that points nowhere never comes to point somewhere", "[sarif]") {
  json left = run({"A"}, {result("A", 7, "x.c", 3)});
  json right = run({"A"}, {});
  right["artifacts"] = {artifact("a", 0), artifact("b", 1), artifact("c", 2), artifact("d", 3)};
  const json one = fold({log_of({left}), log_of({right})}).runs()[0];
  CHECK(one["results"][0]["ruleIndex"] == 8);
  CHECK(one["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["index"] == 7);
}

TEST_CASE("fold: invocations follow, taxonomies are united", "[sarif]") {
  json left = run({"A"}, {result("A", 0, "x.c", -1)});
  left["invocations"] = {{{"executionSuccessful", true}}};
  left["results"][0]["provenance"] = {{"invocationIndex", 0}};
  left["taxonomies"] = {{{"name", "CWE"}, {"taxa", {{{"id", "1"}}}}}};
  json right = left;
  right["invocations"][0]["exitCode"] = 1;
  right["taxonomies"][0]["taxa"] = {{{"id", "2"}}, {{"id", "1"}}};
  const json one = fold({log_of({left}), log_of({right})}).runs()[0];
  CHECK(one["invocations"].size() == 2);
  CHECK(one["results"][1]["provenance"]["invocationIndex"] == 1);
  CHECK(one["taxonomies"] == json({{{"name", "CWE"}, {"taxa", {{{"id", "1"}}, {{"id", "2"}}}}}}));
  right["results"][0]["taxa"] = {{{"index", 0}, {"toolComponent", {{"index", 0}}}}};
  CHECK(fold({log_of({left}), log_of({right})}).summary->runs_out == 2);
}

TEST_CASE("fold: evidence that every part of a run has is written once", "[sarif]") {
  json denial = result("runtime.sandbox_denial", -1, "x.c", -1);
  denial["properties"] = {{"record_seq", 4}};
  json left = run({"A"}, {denial, result("A", 0, "a", -1)});
  left["properties"] = {{"sandbox", {{"enabled", true}}}};
  json right = run({"A"}, {denial, result("A", 0, "b", -1)});
  right["properties"] = left["properties"];
  const Folded out = fold({log_of({left}), log_of({right})});
  REQUIRE(out.summary);
  CHECK(out.summary->repeated == 1);
  CHECK(out.runs()[0]["results"].size() == 3);
  CHECK(out.runs()[0]["properties"]["sandbox"] == left["properties"]["sandbox"]);
}

std::multiset<std::string> digests(const std::string& text) {
  MemorySource source(text);
  const auto digest = digest_log(source);
  REQUIRE(digest);
  return {digest->results.begin(), digest->results.end()};
}

std::array<std::size_t, 4> levels(const std::string& text) {
  std::array<std::size_t, 4> out{};
  const auto runs = summarize_log([&] {
    return base::Result<std::unique_ptr<ByteSource>>(std::make_unique<MemorySource>(text));
  });
  REQUIRE(runs);
  for (const RunSummary& one : *runs) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += one.by_level[i];
  }
  return out;
}

TEST_CASE("fold: every file of the corpus with itself and with all others", "[sarif][golden]") {
  const auto shared = support::shared_sarif_dir();
  if (!shared) {
    WARN("skipped: shared data not present");
    return;
  }
  std::vector<std::string> logs;
  std::multiset<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(*shared / "corpus")) {
    const std::string text = support::read_all(entry.path());
    CAPTURE(entry.path().filename().string());
    const Folded twice = fold({text, text}, FoldBy::tool);
    if (!twice.summary) continue;
    auto wanted = digests(text);
    all.insert(wanted.begin(), wanted.end());
    wanted.merge(digests(text));
    CHECK(digests(twice.text) == wanted);
    const auto once = levels(text);
    for (std::size_t i = 0; i < 4; ++i) CHECK(levels(twice.text)[i] == once[i] * 2);
    logs.push_back(text);
  }
  CHECK(logs.size() >= 57);
  const Folded whole = fold(logs, FoldBy::tool);
  REQUIRE(whole.summary);
  CHECK(digests(whole.text) == all);
  CHECK(whole.summary->runs_out < whole.summary->runs_in);
  CHECK(fold(logs, FoldBy::tool).text == whole.text);
}

TEST_CASE("command: merge --fold", "[sarif]") {
  const support::TempTree tree;
  tree.write("a", log_of({run({"A"}, {result("A", 0, "x", -1)})}));
  std::ostringstream out;
  std::ostringstream err;
  CHECK(::ethos::sarif::run(
            {"merge", "--fold", "category", tree.file("a"), tree.file("a"), "-o", "-"}, out, err) ==
        0);
  CHECK(json::parse(out.str())["runs"].size() == 1);
  CHECK(err.str() == "ethos-sarif: 1 runs of 2, with 2 results\n");
  CHECK(::ethos::sarif::run({"merge", "--fold", "x", tree.file("a"), "-o", "-"}, out, err) == 2);
}

}  // namespace
}  // namespace ethos::sarif
