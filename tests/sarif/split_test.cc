// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/split.h"

#include <fcntl.h>
#include <zlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "ledger/base/unique_fd.h"
#include "sarif/commands/run.h"
#include "sarif/log/digest.h"
#include "tests/sarif/support.h"
#include "tests/sarif/temp_tree.h"

namespace ethos::sarif {
namespace {

using nlohmann::json;

struct Split {
  base::Result<SplitSummary> summary = SplitSummary{};
  std::vector<std::string> texts;
  [[nodiscard]] std::vector<json> files() const {
    std::vector<json> out;
    for (const std::string& text : texts) out.push_back(json::parse(text));
    return out;
  }
};

Split split(const std::string& text, const SplitLimits& limits,
            JsonLayout layout = JsonLayout::compact) {
  const support::TempTree tree;
  tree.write("in.sarif", text);
  const base::UniqueFd fd(::open(tree.file("in.sarif").c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(fd.get() >= 0);
  Split out;
  out.summary = split_log(fd.get(), limits, layout,
                          [&](std::size_t number, const auto& write) -> base::Result<void> {
                            StringSink sink;
                            auto done = write(sink);
                            if (!done) return done;
                            REQUIRE(number == out.texts.size() + 1);
                            out.texts.push_back(sink.text());
                            return {};
                          });
  return out;
}

std::multiset<std::string> digests(const std::string& text) {
  MemorySource source(text);
  const auto digest = digest_log(source);
  REQUIRE(digest);
  return {digest->results.begin(), digest->results.end()};
}

// As an uploader compresses it, in one go.
std::size_t gzip_of(const std::string& text) {
  std::vector<Bytef> out(::compressBound(text.size()) + 64);
  z_stream stream{};
  REQUIRE(::deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  const std::size_t size = stream.total_out;
  ::deflateEnd(&stream);
  return size;
}

// Text that does not compress well.
std::string noise(unsigned seed, std::size_t length) {
  std::string out;
  for (std::uint32_t x = seed * 2654435761U + 1; out.size() < length;
       x = x * 1664525U + 1013904223U) {
    out.push_back(static_cast<char>('a' + (x >> 24U) % 26));
  }
  return out;
}

json result(const std::string& rule, int line, const std::string& level) {
  return {{"ruleId", rule},
          {"level", level},
          {"message", {{"text", rule + " at " + std::to_string(line)}}},
          {"locations",
           {{{"physicalLocation",
              {{"artifactLocation",
                {{"uri", "f" + std::to_string(line % 7) + ".c"}, {"index", line % 7}}},
               {"region", {{"startLine", line}}}}}}}}};
}

// 60 results of 10 rules in 7 artifacts, the worst ones last; rule 9 and artifact 7 have none.
json big_run() {
  json rules = json::array();
  json artifacts = json::array();
  for (int i = 0; i < 10; ++i) rules.push_back({{"id", "R" + std::to_string(i)}});
  rules[8]["properties"]["security-severity"] = "9.8";
  for (int i = 0; i < 8; ++i) {
    artifacts.push_back({{"location", {{"uri", "f" + std::to_string(i) + ".c"}, {"index", i}}}});
  }
  json results = json::array();
  for (int i = 0; i < 60; ++i) {
    const char* level = i < 20 ? "note" : i < 40 ? "warning" : "error";
    json one = result("R" + std::to_string(i % 9), i + 1, level);
    if (i % 2 == 0) one["ruleIndex"] = i % 9;
    one["properties"] = {{"n", i}};
    results.push_back(one);
  }
  return {
      {"tool", {{"driver", {{"name", "t"}, {"rules", rules}}}}},
      {"automationDetails", {{"id", "lint/7"}, {"guid", "b3f2b5f7-0b2c-4c39-8f0d-000000000001"}}},
      {"invocations", {{{"executionSuccessful", true}}}},
      {"artifacts", artifacts},
      {"results", results},
      {"properties", {{"kept", {1, 2}}}}};
}

json log_of(const std::vector<json>& runs) {
  return {{"$schema", "s"}, {"version", "2.1.0"}, {"runs", runs}};
}

void check_same_results(const std::string& whole, const Split& parts) {
  std::multiset<std::string> all;
  for (const std::string& text : parts.texts) all.merge(digests(text));
  CHECK(all == digests(whole));
}

TEST_CASE("split: the most severe results come first and none is lost", "[sarif]") {
  const std::string whole = log_of({big_run()}).dump();
  SplitLimits limits;
  limits.results = 25;
  limits.runs = 1;
  const Split parts = split(whole, limits);
  REQUIRE(parts.summary);
  const auto files = parts.files();
  REQUIRE(files.size() == 3);
  check_same_results(whole, parts);
  const auto& first = files[0]["runs"][0]["results"];
  REQUIRE(first.size() == 25);
  // Rule R8 is critical whatever its level says; then errors in file order.
  for (std::size_t i = 0; i < 6; ++i) CHECK(first[i]["ruleId"] == "R8");
  CHECK(first[0]["properties"]["n"] == 8);
  CHECK(first[6]["properties"]["n"] == 40);
  CHECK(files[2]["runs"][0]["results"].back()["level"] == "note");
  // All else is in every part; part 2 and 3 have categories of their own.
  for (const json& file : files) {
    CHECK(file["runs"][0]["tool"]["driver"]["rules"].size() == 10);
    CHECK(file["runs"][0]["properties"] == json{{"kept", {1, 2}}});
    CHECK(file["$schema"] == "s");
  }
  CHECK(files[0]["runs"][0]["automationDetails"]["id"] == "lint/7");
  CHECK(files[1]["runs"][0]["automationDetails"]["id"] == "lint/part-2/7");
  CHECK(files[2]["runs"][0]["automationDetails"]["id"] == "lint/part-3/7");
  CHECK(files[0]["runs"][0]["automationDetails"].contains("guid"));
  CHECK_FALSE(files[1]["runs"][0]["automationDetails"].contains("guid"));
}

TEST_CASE("split: each file keeps the limit of its gzip and of its bytes", "[sarif]") {
  json run = big_run();
  for (std::size_t i = 0; i < 60; ++i) {
    run["results"][i]["message"]["text"] = noise(static_cast<unsigned>(i), 1500);
  }
  const std::string whole = log_of({run, big_run()}).dump();
  for (const std::uint64_t limit : {8'000U, 20'000U, 50'000U}) {
    CAPTURE(limit);
    SplitLimits limits;
    limits.gzip_bytes = limit;
    const Split parts = split(whole, limits);
    REQUIRE(parts.summary);
    check_same_results(whole, parts);
    std::size_t total = 0;
    for (std::size_t i = 0; i < parts.texts.size(); ++i) {
      CHECK(gzip_of(parts.texts[i]) <= limit);
      CHECK_FALSE(parts.summary->files[i].is_over);
      CHECK(parts.summary->files[i].bytes == parts.texts[i].size());
      total += gzip_of(parts.texts[i]);
    }
    // As few as possible, within reason.
    CHECK(parts.texts.size() <= total * 2 / limit + 2);
    limits = {};
    limits.bytes = limit;
    const Split by_bytes = split(whole, limits, JsonLayout::indented);
    REQUIRE(by_bytes.summary);
    check_same_results(whole, by_bytes);
    for (const std::string& text : by_bytes.texts) CHECK(text.size() <= limit);
  }
}

TEST_CASE("split: a result that is too large by itself is kept and named", "[sarif]") {
  json run = big_run();
  run["results"][3]["message"]["text"] = noise(1, 60'000);
  const std::string whole = log_of({run}).dump();
  SplitLimits limits;
  limits.gzip_bytes = 10'000;
  const Split parts = split(whole, limits);
  REQUIRE(parts.summary);
  check_same_results(whole, parts);
  const auto& files = parts.summary->files;
  CHECK(std::count_if(files.begin(), files.end(),
                      [](const SplitFile& one) { return one.is_over; }) == 1);
}

TEST_CASE("split: large arrays are shared out and the indices follow", "[sarif]") {
  const json run = big_run();
  const std::string whole = log_of({run}).dump();
  SplitLimits limits;
  limits.rules = 2;
  const Split parts = split(whole, limits);
  REQUIRE(parts.summary);
  check_same_results(whole, parts);
  std::set<std::string> rules;
  std::set<std::string> artifacts;
  for (const json& file : parts.files()) {
    for (const json& part : file["runs"]) {
      const json& listed = part["tool"]["driver"]["rules"];
      CHECK(listed.size() <= 2);
      for (const json& rule : listed) rules.insert(rule["id"].get<std::string>());
      const json places = part.value("artifacts", json::array());
      for (std::size_t i = 0; i < places.size(); ++i) {
        CHECK(places[i]["location"]["index"] == i);
        artifacts.insert(places[i]["location"]["uri"].get<std::string>());
      }
      for (const json& one : part["results"]) {
        const json& place = one["locations"][0]["physicalLocation"]["artifactLocation"];
        CHECK(places.at(place["index"].get<std::size_t>())["location"]["uri"] == place["uri"]);
        if (one.contains("ruleIndex")) {
          CHECK(listed.at(one["ruleIndex"].get<std::size_t>())["id"] == one["ruleId"]);
        }
        // Named by its id only: the descriptor is there all the same.
        CHECK(std::any_of(listed.begin(), listed.end(),
                          [&](const json& rule) { return rule["id"] == one["ruleId"]; }));
      }
    }
  }
  CHECK(rules.size() == 10);
  CHECK(artifacts.size() == 8);
}

TEST_CASE("split: indices inside of shared arrays follow too", "[sarif]") {
  json run = big_run();
  run["logicalLocations"] = {
      {{"name", "top"}}, {{"name", "unused"}}, {{"name", "low"}, {"parentIndex", 0}}};
  run["threadFlowLocations"] = {
      {{"location", {{"physicalLocation", {{"artifactLocation", {{"index", 7}}}}}}}},
      {{"location", {{"logicalLocations", {{{"index", 2}}}}}}}};
  run["results"] = {result("R3", 1, "error"), result("R4", 2, "error"), result("R5", 3, "error")};
  run["results"][0]["codeFlows"] = {
      {{"threadFlows", {{{"locations", {{{"index", 1}}, {{"index", 0}}}}}}}}};
  SplitLimits limits;
  limits.rules = 1;
  const Split parts = split(log_of({run}).dump(), limits);
  REQUIRE(parts.summary);
  const json first = parts.files()[0]["runs"][0];
  const json& steps = first["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
  CHECK(steps == json{{{"index", 0}}, {{"index", 1}}});
  const json& shared = first["threadFlowLocations"];
  const json& logical = first["logicalLocations"];
  const auto low = shared[0]["location"]["logicalLocations"][0]["index"].get<std::size_t>();
  CHECK(logical.at(low)["name"] == "low");
  CHECK(logical.at(logical.at(low)["parentIndex"].get<std::size_t>())["name"] == "top");
  const auto file =
      shared[1]["location"]["physicalLocation"]["artifactLocation"]["index"].get<std::size_t>();
  CHECK(first["artifacts"].at(file)["location"]["uri"] == "f7.c");
}

TEST_CASE("split: a result with too many places becomes several, none of them lost", "[sarif]") {
  json one = result("R1", 1, "error");
  one["guid"] = "b3f2b5f7-0b2c-4c39-8f0d-000000000002";
  for (int i = 0; i < 10; ++i) one["locations"].push_back({{"id", i}});
  json steps = json::array();
  for (int i = 0; i < 17; ++i) steps.push_back({{"nestingLevel", i}});
  one["codeFlows"] = {{{"message", {{"text", "a"}}}, {"threadFlows", {{{"locations", steps}}}}},
                      {{"threadFlows", {{{"id", "x"}, {"locations", json::array({steps[0]})}}}}}};
  json run = big_run();
  run["results"] = {one, result("R2", 2, "note")};
  SplitLimits limits;
  limits.locations = 5;
  limits.steps = 6;
  const Split parts = split(log_of({run}).dump(), limits);
  REQUIRE(parts.summary);
  CHECK(parts.summary->pieces == 2);
  std::vector<int> ids;
  std::vector<int> levels;
  std::size_t guids = 0;
  std::size_t marks = 0;
  for (const json& file : parts.files()) {
    for (const json& part : file["runs"]) {
      // Pieces of one result are never in one run.
      CHECK(std::count_if(part["results"].begin(), part["results"].end(),
                          [](const json& each) { return each["ruleId"] == "R1"; }) <= 1);
      for (const json& each : part["results"]) {
        if (each["ruleId"] != "R1") continue;
        guids += each.count("guid");
        CHECK(each["properties"]["ethos/piece"]["of"] == 3);
        marks += each["properties"]["ethos/piece"]["number"].get<std::size_t>();
        CHECK(each["locations"].size() <= 5);
        CHECK(each["locations"][0] == one["locations"][0]);
        std::size_t count = 0;
        for (std::size_t i = 1; i < each["locations"].size(); ++i) {
          ids.push_back(each["locations"][i]["id"].get<int>());
        }
        for (const json& flow : each["codeFlows"]) {
          for (const json& step : flow["threadFlows"][0]["locations"]) {
            levels.push_back(step["nestingLevel"].get<int>());
            ++count;
          }
        }
        CHECK(count <= 6);
      }
    }
  }
  CHECK(guids == 1);
  CHECK(marks == 6);
  CHECK(ids == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  std::vector<int> wanted;
  for (int i = 0; i < 17; ++i) wanted.push_back(i);
  wanted.push_back(0);
  CHECK(levels == wanted);
}

TEST_CASE("split: runs that a service would mix up get categories of their own", "[sarif]") {
  json other = big_run();
  other["automationDetails"]["id"] = "lint/8";
  json third = big_run();
  third.erase("automationDetails");
  json fourth = third;
  const Split parts =
      split(log_of({big_run(), other, third, fourth}).dump(), SplitLimits::github());
  REQUIRE(parts.summary);
  const json runs = parts.files()[0]["runs"];
  REQUIRE(runs.size() == 4);
  CHECK(runs[0]["automationDetails"]["id"] == "lint/7");
  CHECK(runs[1]["automationDetails"]["id"] == "lint/run-2/8");
  CHECK_FALSE(runs[2].contains("automationDetails"));
  CHECK(runs[3]["automationDetails"]["id"] == "run-2/");
}

TEST_CASE("split: sandbox evidence goes with every file, once", "[sarif]") {
  json run = big_run();
  run["properties"]["sandbox"] = {{"enabled", true}};
  json denial = result("runtime.sandbox_denial", 1, "error");
  denial["properties"] = {{"record_seq", 9}};
  run["results"].push_back(denial);
  for (const std::uint64_t runs : {std::uint64_t{1}, std::uint64_t{2}, SplitLimits::kNone}) {
    CAPTURE(runs);
    SplitLimits limits;
    limits.results = 20;
    limits.runs = runs;
    const Split parts = split(log_of({run}).dump(), limits);
    REQUIRE(parts.summary);
    for (const json& file : parts.files()) {
      std::size_t denials = 0;
      for (const json& part : file["runs"]) {
        CHECK(part["properties"]["sandbox"] == run["properties"]["sandbox"]);
        for (const json& one : part["results"])
          denials += one["ruleId"] == denial["ruleId"] ? 1U : 0U;
      }
      CHECK(denials == 1);
      CHECK(file["runs"][0]["results"][0]["properties"]["record_seq"] == 9);
    }
    std::size_t results = 0;
    std::size_t repeated = 0;
    for (const SplitFile& file : parts.summary->files) {
      for (const SplitPart& part : file.parts) {
        results += part.results;
        repeated += part.repeated;
      }
    }
    CHECK(results == 61 + repeated);
    CHECK(repeated == parts.texts.size() - 1);
  }
}

TEST_CASE("split: runs without results, and logs without runs, stay", "[sarif]") {
  const Split none = split(log_of({}).dump(), SplitLimits::github());
  REQUIRE(none.summary);
  REQUIRE(none.texts.size() == 1);
  CHECK(none.files()[0]["runs"] == json::array());
  json clean = big_run();
  clean["results"] = json::array();
  json unknown = big_run();
  unknown["results"] = nullptr;
  unknown["automationDetails"]["id"] = "x/";
  json silent = big_run();
  silent.erase("results");
  silent["automationDetails"]["id"] = "y/";
  const Split three = split(log_of({clean, unknown, silent}).dump(), SplitLimits::github());
  REQUIRE(three.summary);
  CHECK(three.files()[0]["runs"] == json(std::vector<json>{clean, unknown, silent}));
}

TEST_CASE("command: split names its files and leaves no half of them", "[sarif]") {
  const support::TempTree tree;
  tree.write("in.sarif", log_of({big_run()}).dump());
  const auto call = [](const std::vector<std::string>& args, std::string* err_text = nullptr) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = run(args, out, err);
    if (err_text != nullptr) *err_text = err.str();
    return code;
  };
  const std::string out = tree.file("out");
  const std::vector<std::string> args = {"split", tree.file("in.sarif"), "-o",
                                         out,     "--max-results",       "20"};
  CHECK(call(args) == 0);
  CHECK(std::filesystem::exists(out + "/part-001.sarif"));
  std::string text;
  CHECK(call(args, &text) == 3);
  CHECK(text.find("--replace") != std::string::npos);
  // What an earlier split has left and this one does not write would be uploaded with the rest.
  tree.write("out/part-099.sarif", "old");
  tree.write("out/other.sarif", "mine");
  auto again = args;
  again.emplace_back("--replace");
  CHECK(call(again) == 0);
  CHECK_FALSE(std::filesystem::exists(out + "/part-099.sarif"));
  CHECK(std::filesystem::exists(out + "/other.sarif"));
  tree.write("bad.sarif", R"({"version":"2.1.0","runs":[{"results":[)");
  CHECK(call({"split", tree.file("bad.sarif"), "-o", tree.file("new")}) == 3);
  CHECK_FALSE(std::filesystem::exists(tree.file("new")));
  CHECK(call({"split", tree.file("in.sarif"), "-o", out, "--max-runs", "0"}) == 2);
  CHECK(call({"split", tree.file("in.sarif"), "-o", out, "--name", "a/b"}) == 2);
}

TEST_CASE("split: every file of the corpus keeps every result under narrow limits",
          "[sarif][golden]") {
  const auto shared = support::shared_sarif_dir();
  if (!shared) {
    WARN("skipped: shared data not present");
    return;
  }
  SplitLimits limits = SplitLimits::github();
  limits.results = 3;
  limits.rules = 2;
  limits.locations = 2;
  limits.steps = 3;
  limits.runs = 2;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*shared / "corpus")) {
    const std::string whole = support::read_all(entry.path());
    CAPTURE(entry.path().filename().string());
    const Split parts = split(whole, limits);
    if (!parts.summary) continue;
    ++files;
    std::multiset<std::string> all;
    for (const std::string& text : parts.texts) all.merge(digests(text));
    const auto before = digests(whole);
    CHECK(all.size() == before.size() + parts.summary->pieces);
    CHECK(std::includes(all.begin(), all.end(), before.begin(), before.end()));
  }
  CHECK(files >= 57);
}

}  // namespace
}  // namespace ethos::sarif
