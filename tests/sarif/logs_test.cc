// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "sarif/commands/run.h"
#include "sarif/json/fragment.h"
#include "sarif/log/baseline.h"
#include "sarif/log/digest.h"
#include "sarif/log/filter.h"
#include "sarif/log/merge.h"
#include "sarif/log/summary.h"
#include "tests/sarif/support.h"

namespace ethos::sarif {
namespace {

namespace fs = std::filesystem;

base::Result<std::unique_ptr<ByteSource>> memory(std::string_view text) {
  return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(text));
}

std::string merge(const std::vector<std::string>& logs, MergeSummary* summary = nullptr) {
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  const auto done = merge_logs(
      logs.size(), [&](std::size_t i) { return memory(logs[i]); }, writer);
  if (!done) return "error: " + done.error().message();
  if (summary != nullptr) *summary = *done;
  return sink.text();
}

std::vector<std::string> digests(std::string_view text) {
  MemorySource source(text);
  const auto digest = digest_log(source);
  return digest ? digest->results : std::vector<std::string>{"(unreadable)"};
}

std::string log_of(const std::string& runs) {
  return R"({"version":"2.1.0","runs":[)" + runs + "]}";
}

std::string result(const std::string& rule, const std::string& path, int line,
                   const std::string& message, const std::string& more = "") {
  return R"({"ruleId":")" + rule + R"(","message":{"text":")" + message +
         R"("},"locations":[{"physicalLocation":{"artifactLocation":{"uri":")" + path +
         R"(","index":3},"region":{"startLine":)" + std::to_string(line) + "}}}]" + more + "}";
}

std::string run_of(const std::string& tool, const std::string& results) {
  return R"({"tool":{"driver":{"name":")" + tool + R"("}},"results":[)" + results + "]}";
}

TEST_CASE("merge: every run stays whole, also clean ones", "[sarif]") {
  const std::string clean =
      R"({"tool":{"driver":{"name":"a","rules":[{"id":"unfired"}]}},"results":[],"artifacts":[{"length":1.0}]})";
  MergeSummary summary;
  const std::string out =
      merge({log_of(clean), log_of(""), log_of(run_of("b", result("r", "f", 1, "m")))}, &summary);
  CHECK(
      out ==
      R"({"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json","version":"2.1.0","runs":[)" +
          clean + "," + run_of("b", result("r", "f", 1, "m")) + "]}\n");
  CHECK(summary.runs == 2);
  CHECK(summary.results == 1);
  CHECK(summary.clashes.empty());
}

TEST_CASE("merge: references to runs follow them", "[sarif]") {
  const std::string refers =
      R"x({"message":"see sarif:/runs/0/results/1 and [x](sarif:\/runs\/12)"})x";
  const std::string out = merge({log_of("{},{}"), log_of(refers)});
  CHECK(out.find("sarif:/runs/2/results/1 and [x](sarif:/runs/14)") != std::string::npos);
  CHECK(merge({log_of(refers)}).find(refers) != std::string::npos);
}

TEST_CASE("merge: top-level members are united, none is lost", "[sarif]") {
  const std::string out = merge(
      {R"({"version":"2.1.0","runs":[],"properties":{"a":1,"b":2},"inlineExternalProperties":[1]})",
       R"({"version":"2.1.0","runs":[],"properties":{"a":1,"b":3},"inlineExternalProperties":[2]})"});
  CHECK(out.find(R"("inlineExternalProperties":[1,2],"properties":{"a":1,"b":2,"b@2":3})") !=
        std::string::npos);
  // A name that is taken already, by a log that was merged before.
  CHECK(merge({R"({"version":"2.1.0","runs":[],"properties":{"b":1,"b@2":2}})",
               R"({"version":"2.1.0","runs":[],"properties":{"b":3}})"})
            .find(R"("properties":{"b":1,"b@2":2,"b@2.2":3})") != std::string::npos);
  CHECK(merge({R"({"version":"2.1.0","runs":[],"x":1})", R"({"version":"2.1.0","runs":[],"x":2})"})
            .find("disagree on \"x\"") != std::string::npos);
}

TEST_CASE("merge: clashes and bad inputs are named", "[sarif]") {
  MergeSummary summary;
  const std::string one =
      log_of(R"({"tool":{"driver":{"name":"t","version":"1"}},"automationDetails":{"id":"c/1"}})");
  const std::string other =
      log_of(R"({"automationDetails":{"id":"c/2"},"tool":{"driver":{"version":"1","name":"t"}}})");
  merge({one, log_of(run_of("t", "")), other}, &summary);
  REQUIRE(summary.clashes.size() == 1);
  CHECK(summary.clashes[0] == "runs 0 and 2: t in category c");
  CHECK(merge({one, "{"}).find("input 2: ") != std::string::npos);
}

TEST_CASE("filter: each criterion, and what it leaves alone", "[sarif]") {
  const std::string log = log_of(
      R"({"results":[)" + result("A1", "src/a%20b.c", 1, "x", R"(,"level":"error")") + "," +
      result("A2", "test/b.c", 2, "y", R"(,"suppressions":[{"kind":"inSource"}])") + "," +
      result("B1", "src/c.c", 3, "z", R"(,"baselineState":"new","kind":"pass")") +
      R"(],"tool":{"driver":{"name":"t","rules":[{"id":"A2","defaultConfiguration":{"level":"note"}}]}}})");
  const auto kept = [&](const FilterCriteria& criteria) {
    MemorySource first(log);
    JsonReader indexer(first);
    const auto runs = index_log(indexer);
    REQUIRE(runs);
    MemorySource second(log);
    JsonReader reader(second);
    StringSink sink;
    JsonWriter writer(sink, JsonLayout::compact);
    const auto done = filter_log(reader, writer, criteria, *runs);
    REQUIRE(done);
    CHECK(done->kept + done->dropped == 3);
    CHECK(sink.text().find(R"("rules":[{"id":"A2")") != std::string::npos);
    std::string out;
    for (const char* name : {"A1", "A2", "B1"}) {
      if (sink.text().find(std::string(R"("ruleId":")") + name) != std::string::npos) out += name;
    }
    return out;
  };
  CHECK(kept({}) == "A1A2B1");
  FilterCriteria criteria;
  criteria.levels = {Level::error};
  CHECK(kept(criteria) == "A1");
  criteria.levels = {Level::note};  // the rule's default, which comes later in the file
  CHECK(kept(criteria) == "A2");
  criteria.levels = {Level::none};  // kind "pass"
  CHECK(kept(criteria) == "B1");
  criteria = {};
  criteria.rules = {"A*"};
  CHECK(kept(criteria) == "A1A2");
  criteria.without_rules = {"*2"};
  CHECK(kept(criteria) == "A1");
  criteria = {};
  criteria.paths = {"src/* b.c"};
  CHECK(kept(criteria) == "A1");
  criteria = {};
  criteria.suppressed = SuppressedResults::drop;
  CHECK(kept(criteria) == "A1B1");
  criteria.suppressed = SuppressedResults::only;
  CHECK(kept(criteria) == "A2");
  criteria = {};
  criteria.baseline_states = {"new"};
  CHECK(kept(criteria) == "B1");
}

TEST_CASE("filter: denials stay with the sandbox evidence that they belong to", "[sarif]") {
  const auto kept = [](const std::string& properties, const FilterCriteria& criteria) {
    const std::string log = log_of(
        R"({"tool":{"driver":{"name":"t"}},"results":[)" + result("A", "a.c", 1, "x") + "," +
        result("runtime.sandbox_denial", "b.c", 1, "no") + R"(],"properties":)" + properties + "}");
    MemorySource first(log);
    JsonReader indexer(first);
    const auto runs = index_log(indexer);
    REQUIRE(runs);
    MemorySource second(log);
    JsonReader reader(second);
    StringSink sink;
    JsonWriter writer(sink, JsonLayout::compact);
    const auto done = filter_log(reader, writer, criteria, *runs);
    REQUIRE(done);
    return done->kept;
  };
  FilterCriteria criteria;
  criteria.rules = {"nothing"};
  criteria.levels = {Level::note};
  CHECK(kept(R"({"sandbox":{}})", criteria) == 1);
  CHECK(kept("{}", criteria) == 0);
  criteria.without_rules = {"runtime.*"};
  CHECK(kept(R"({"sandbox":{}})", criteria) == 1);
  criteria.without_rules = {"runtime.sandbox_denial"};
  CHECK(kept(R"({"sandbox":{}})", criteria) == 0);
}

TEST_CASE("filter: patterns", "[sarif]") {
  for (const auto& [pattern, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", ""}, {"*", ""}, {"*", "x/y"}, {"a*c", "abbc"}, {"a*b*c", "aXbYbZc"}, {"**", "q"}}) {
    CAPTURE(pattern, text);
    CHECK(matches_pattern(pattern, text));
  }
  CHECK_FALSE(matches_pattern("a*c", "abd"));
  CHECK_FALSE(matches_pattern("", "x"));
  CHECK_FALSE(matches_pattern("a", ""));
  CHECK_FALSE(matches_pattern("*a*a*a*a*a*b", std::string(2000, 'a')));
}

struct Compared {
  Comparison comparison;
  std::string baseline;
};

Compared compare(const std::string& previous, const std::string& current) {
  const Reopen old_log = [&] { return memory(previous); };
  const Reopen new_log = [&] { return memory(current); };
  auto comparison = compare_logs(old_log, new_log);
  REQUIRE(comparison);
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  REQUIRE(write_baseline(old_log, new_log, *comparison, writer));
  return {std::move(*comparison), sink.text()};
}

TEST_CASE("baseline: same, moved, changed, new and gone", "[sarif]") {
  const auto print = [](const char* hash) {
    return R"(,"partialFingerprints":{"primaryLocationLineHash":")" + std::string(hash) + "\"}";
  };
  const std::string previous =
      log_of(run_of("t", result("A", "a.c", 1, "same") + "," + result("A", "a.c", 10, "moved") +
                             "," + result("A", "old.c", 5, "renamed", print("abc:1")) + "," +
                             result("A", "a.c", 20, "text one", print("def:1")) + "," +
                             result("A", "a.c", 30, "gone")));
  const std::string current =
      log_of(run_of("t", result("A", "a.c", 1, "same") + "," + result("A", "a.c", 14, "moved") +
                             "," + result("A", "new.c", 7, "renamed", print("abc:2")) + "," +
                             result("A", "a.c", 25, "text two", print("def:1")) + "," +
                             result("B", "a.c", 1, "same")));
  const Compared out = compare(previous, current);
  using enum BaselineState;
  CHECK(out.comparison.matching.current ==
        std::vector<BaselineState>{unchanged, unchanged, unchanged, updated, fresh});
  CHECK(out.comparison.absent == 1);
  CHECK(
      out.baseline.find(
          R"("baselineState":"absent","message":{"text":"gone"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.c"},"region":{"startLine":30}}}]})") !=
      std::string::npos);
  // Against itself nothing is new, and what is absent stays out of the next comparison.
  const Compared again = compare(out.baseline, current);
  CHECK(again.comparison.fresh == 0);
  CHECK(again.comparison.absent == 0);
}

TEST_CASE("baseline: equal results are paired one to one, nearest first", "[sarif]") {
  std::string old_results;
  std::string new_results;
  for (int i = 0; i < 50; ++i) {
    old_results += (i > 0 ? "," : "") + result("A", "a.c", i * 10, "equal");
    new_results += (i > 0 ? "," : "") + result("A", "a.c", i * 10 + 1, "equal");
  }
  new_results += "," + result("A", "a.c", 5000, "equal");
  const Compared out = compare(log_of(run_of("t", old_results)), log_of(run_of("t", new_results)));
  CHECK(out.comparison.unchanged == 50);
  CHECK(out.comparison.fresh == 1);
  CHECK(out.comparison.absent == 0);
}

TEST_CASE("baseline: a tool that did not run takes nothing away", "[sarif]") {
  const Compared out = compare(log_of(run_of("t", result("A", "a.c", 1, "x"))),
                               log_of(run_of("u", result("A", "a.c", 1, "x"))));
  CHECK(out.comparison.fresh == 1);
  CHECK(out.comparison.absent == 0);
  CHECK(out.comparison.tools_not_run == std::vector<std::string>{"t"});
}

TEST_CASE("summary: levels come from results, rules and kinds", "[sarif]") {
  const std::string log = log_of(
      R"({"results":[{"ruleId":"A"},{"ruleIndex":0,"level":"error"},{"ruleId":"A/sub"},{"kind":"open"},{"ruleId":"runtime.sandbox_denial","level":"error"}],
      "invocations":[{"executionSuccessful":false}],"properties":{"sandbox":{"denied":true}},
      "tool":{"driver":{"name":"t","rules":[{"id":"A","defaultConfiguration":{"level":"note"}}]}}})");
  const auto runs = summarize_log([&] { return memory(log); });
  REQUIRE(runs);
  REQUIRE(runs->size() == 1);
  const RunSummary& run = runs->front();
  CHECK(run.by_level == std::array<std::size_t, 4>{1, 2, 0, 2});
  CHECK(run.by_rule.at("A") == 2);
  CHECK(run.denials == 1);
  CHECK(run.about.has_sandbox);
  CHECK(run.about.sandbox_denied);
  CHECK(run.about.execution_failed);
}

TEST_CASE("logs: every operation keeps every result of the corpus", "[sarif][golden]") {
  const auto shared = support::shared_sarif_dir();
  if (!shared) {
    WARN("skipped: shared data not present");
    return;
  }
  std::vector<std::string> logs;
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(*shared / "corpus")) {
    const std::string text = support::read_all(entry.path());
    const auto found = digests(text);
    if (found == std::vector<std::string>{"(unreadable)"}) continue;
    CAPTURE(entry.path().filename().string());
    const Compared same = compare(text, text);
    CHECK(same.comparison.fresh == 0);
    CHECK(same.comparison.updated == 0);
    CHECK(same.comparison.absent == 0);
    logs.push_back(text);
    all.insert(all.end(), found.begin(), found.end());
  }
  CHECK(logs.size() >= 55);
  CHECK(digests(merge(logs)) == all);
  CHECK(merge(logs) == merge(logs));
}

TEST_CASE("command: merge, filter, baseline, diff and summary", "[sarif]") {
  std::string name = (fs::temp_directory_path() / "ethos-sarif-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  const fs::path dir = name;
  const auto file = [&](const char* leaf) { return (dir / leaf).string(); };
  std::ofstream(file("old")) << log_of(run_of("t", result("A", "a.c", 1, "x")));
  std::ofstream(file("new")) << log_of(
      run_of("t", result("A", "a.c", 1, "x") + "," + result("=B|", "b.c", 2, "ne\\u001bw")));
  const auto call = [](const std::vector<std::string>& args, std::string* text = nullptr) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = run(args, out, err);
    if (text != nullptr) *text = out.str();
    return code;
  };
  std::string text;
  CHECK(call({"diff", file("old"), file("new")}, &text) == 1);
  CHECK(text == "+ b.c:2: warning: ne w [=B|]\n1 new, 0 updated, 1 unchanged, 0 absent\n");
  CHECK(call({"diff", file("new"), file("new")}) == 0);
  CHECK(call({"diff", "--json", file("new"), file("old")}, &text) == 0);
  CHECK(text.find("\"absent\": 1") != std::string::npos);
  CHECK(call({"diff", file("old"), "/dev/null"}) == 3);
  CHECK(call({"baseline", "--baseline", file("old"), file("new"), "-o", file("b")}) == 0);
  CHECK(call({"filter", "--state", "new", file("b"), "-o", "-", "--compact"}, &text) == 0);
  CHECK(digests(text).size() == 1);
  CHECK(call({"filter", "--level", "bad", file("b"), "-o", "-"}) == 2);
  CHECK(call({"merge", file("old"), file("new"), "-o", "-"}, &text) == 0);
  CHECK(digests(text).size() == 3);
  CHECK(call({"merge", file("old"), file("absent"), "-o", file("m")}) == 3);
  CHECK_FALSE(fs::exists(file("m")));
  CHECK(call({"summary", "--format", "csv", file("new")}, &text) == 0);
  CHECK(text.find("\"t\",\"\",\"\",2,0,2,0,0,0,0,\"ran\"\r\n") != std::string::npos);
  CHECK(call({"summary", "--format", "markdown", file("new")}, &text) == 0);
  CHECK(text.find("=B\\|") != std::string::npos);
  CHECK(call({"summary", "--format", "json", file("new")}) == 0);
  CHECK(call({"summary", file("new")}, &text) == 0);
  CHECK(call({"summary", "--format", "x", file("new")}) == 2);
  fs::remove_all(dir);
}

}  // namespace
}  // namespace ethos::sarif
