// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sarif/commands/run.h"
#include "sarif/policy/suppress_log.h"
#include "tests/sarif/support.h"
#include "tests/sarif/temp_tree.h"

namespace ethos::sarif {
namespace {

using nlohmann::json;

base::Result<SuppressPolicy> read_policy(const std::string& text) {
  MemorySource source(text);
  return SuppressPolicy::read(source);
}

json entry(const std::string& id, const json& match) {
  return {{"id", id},
          {"reason", "because"},
          {"approver", "me"},
          {"expires", "2026-06-30"},
          {"match", match}};
}

std::string policy_of(const std::vector<json>& entries) {
  return json{{"version", 1}, {"suppressions", entries}}.dump();
}

struct Applied {
  SuppressReport report;
  std::string text;
  [[nodiscard]] json results(std::size_t run = 0) const {
    return json::parse(text)["runs"][run]["results"];
  }
};

Applied suppress_by(const std::string& log, const std::string& policy_text,
                    const std::string& today = "2026-06-30") {
  const auto policy = read_policy(policy_text);
  REQUIRE(policy);
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  const Reopen open = [&] {
    return base::Result<std::unique_ptr<ByteSource>>(std::make_unique<MemorySource>(log));
  };
  auto report = suppress_log(open, *policy, *Day::from_text(today), writer);
  REQUIRE(report);
  return {std::move(*report), sink.text()};
}

json result(const std::string& rule, const std::string& uri) {
  return {{"ruleId", rule},
          {"message", {{"text", "m of " + rule}}},
          {"locations", {{{"physicalLocation", {{"artifactLocation", {{"uri", uri}}}}}}}}};
}

std::string log_of(const std::vector<json>& results, const json& second = nullptr) {
  std::vector<json> runs = {{{"tool", {{"driver", {{"name", "t"}}}}}, {"results", results}}};
  if (!second.is_null()) runs.push_back(second);
  return json{{"version", "2.1.0"}, {"runs", runs}}.dump();
}

TEST_CASE("suppress: days of the calendar", "[sarif]") {
  for (const char* good : {"1970-01-01", "2000-02-29", "2024-02-29", "2026-12-31", "9999-12-31"}) {
    const auto day = Day::from_text(good);
    REQUIRE(day);
    CHECK(day->text() == good);
  }
  for (const char* bad :
       {"", "2026-1-1", "2026-02-29", "2100-02-29", "2026-13-01", "2026-00-10", "2026-04-31",
        "2026-04-00", "1969-12-31", "2026-04-1x", "+026-04-11", "2026-04-011", "2026/04/11"}) {
    CAPTURE(bad);
    CHECK_FALSE(Day::from_text(bad));
  }
  CHECK(Day::from_unix_seconds(86399).text() == "1970-01-01");
  CHECK(Day::from_unix_seconds(1785542400).text() == "2026-08-01");
  CHECK(*Day::from_text("2025-12-31") < *Day::from_text("2026-01-01"));
}

TEST_CASE("suppress: a policy that is not exact is refused, and the entry named", "[sarif]") {
  const json good = entry("A", {{"rule", "R"}});
  CHECK(read_policy(policy_of({good})));
  const auto refusal = [](const std::string& text) {
    const auto policy = read_policy(text);
    return policy ? std::string("accepted") : policy.error().message();
  };
  const auto without = [&](const char* key) {
    json one = good;
    one.erase(key);
    return refusal(policy_of({one}));
  };
  for (const char* key : {"id", "reason", "approver", "expires", "match"}) {
    CAPTURE(key);
    CHECK(without(key).find("\"" + std::string(key) + "\" is missing") != std::string::npos);
  }
  const auto with = [&](const char* key, const json& value) {
    json one = good;
    one[key] = value;
    return refusal(policy_of({one}));
  };
  CHECK(with("expire", "2026-01-01") == "entry 1 (A): \"expire\" is not known");
  CHECK(with("expires", "tomorrow") ==
        "entry 1 (A): \"expires\" is neither a day as 2026-12-31 nor \"never\"");
  CHECK(with("expires", 20261231).find("\"expires\"") != std::string::npos);
  CHECK(with("reason", " \t").find("is empty") != std::string::npos);
  CHECK(with("reason", std::string(5000, 'x')).find("longer") != std::string::npos);
  CHECK(with("status", "rejected").find("\"status\"") != std::string::npos);
  CHECK(with("at_most", 0).find("\"at_most\"") != std::string::npos);
  CHECK(with("match", json::object()).find("needs a rule") != std::string::npos);
  CHECK(with("match", {{"tool", "t"}, {"level", "note"}}).find("needs a rule") !=
        std::string::npos);
  CHECK(with("match", {{"rules", "R"}}).find("\"match.rules\" is not known") != std::string::npos);
  CHECK(with("match", {{"rule", json::array()}}).find("\"rule\"") != std::string::npos);
  CHECK(with("match", {{"rule", {1}}}).find("\"rule\"") != std::string::npos);
  CHECK(with("match", {{"rule", "R"}, {"level", "bad"}}).find("match.level") != std::string::npos);
  CHECK(refusal(policy_of({good, good})) == "two entries have the id \"A\"");
  CHECK(refusal(R"({"version":2,"suppressions":[]})").find("version") != std::string::npos);
  CHECK(refusal(R"({"version":1})").find("suppressions") != std::string::npos);
  CHECK(refusal(R"({"version":1,"suppressions":[],"x":1})").find("\"x\"") != std::string::npos);
  CHECK(refusal(R"({"version":1,"version":1,"suppressions":[]})").find("same key twice") !=
        std::string::npos);
  CHECK(refusal("[]") == "no object");
  CHECK(refusal("{") != "accepted");
}

TEST_CASE("suppress: each key of a match, alone and together", "[sarif]") {
  json tagged = result("R3", "src/c%20d.c");
  tagged["level"] = "error";
  tagged["partialFingerprints"] = {{"k", "v:1"}};
  const std::string log = log_of({result("R1", "src/a.c"), result("R2", "test/b.c"), tagged});
  const auto suppressed = [&](const json& match) {
    std::string out;
    for (const json& one : suppress_by(log, policy_of({entry("A", match)})).results()) {
      if (one.contains("suppressions") && !one["suppressions"].empty()) {
        out += one["ruleId"].get<std::string>();
      }
    }
    return out;
  };
  CHECK(suppressed({{"rule", "R1"}}) == "R1");
  CHECK(suppressed({{"rule", {"R1", "R3"}}}) == "R1R3");
  CHECK(suppressed({{"rule", "R*"}}) == "R1R2R3");
  CHECK(suppressed({{"path", "src/*"}}) == "R1R3");
  CHECK(suppressed({{"path", "src/c d.c"}}) == "R3");
  CHECK(suppressed({{"message", "* of R2"}}) == "R2");
  CHECK(suppressed({{"rule", "R*"}, {"level", "error"}}) == "R3");
  CHECK(suppressed({{"rule", "R*"}, {"tool", "t"}}) == "R1R2R3");
  CHECK(suppressed({{"rule", "R*"}, {"tool", "other"}}).empty());
  CHECK(suppressed({{"rule", "R*"}, {"category", "x"}}).empty());
  CHECK(suppressed({{"fingerprint", "v:1"}}) == "R3");
  CHECK(suppressed({{"fingerprint", {{"k", "v:1"}}}}) == "R3");
  CHECK(suppressed({{"fingerprint", {{"other", "v:1"}}}}).empty());
  CHECK(suppressed({{"rule", "R1"}, {"path", "test/*"}}).empty());
}

TEST_CASE("suppress: what is written, and that all results of the run get a list", "[sarif]") {
  json old = result("R2", "b");
  old["suppressions"] = {{{"kind", "inSource"}}};
  const json second = {{"tool", {{"driver", {{"name", "u"}}}}}, {"results", {result("R9", "z")}}};
  const std::string policy =
      policy_of({entry("A", {{"rule", "R1"}}), entry("B", {{"rule", "*2"}})});
  const Applied out =
      suppress_by(log_of({result("R1", "a"), old, result("R3", "c")}, second), policy);
  const json results = out.results();
  CHECK(results[0]["suppressions"] == json({{{"kind", "external"},
                                             {"status", "accepted"},
                                             {"justification", "because"},
                                             {"properties",
                                              {{"ethos/suppression",
                                                {{"id", "A"},
                                                 {"approver", "me"},
                                                 {"expires", "2026-06-30"},
                                                 {"policy", read_policy(policy)->digest()}}}}}}}));
  REQUIRE(results[1]["suppressions"].size() == 2);
  CHECK(results[1]["suppressions"][0] == json{{"kind", "inSource"}});
  CHECK(results[2]["suppressions"] == json::array());
  CHECK_FALSE(out.results(1)[0].contains("suppressions"));
  CHECK(out.report.suppressed == 2);
  CHECK(out.report.results == 4);
  // Once more: nothing changes.
  CHECK(suppress_by(out.text, policy).text == out.text);
}

TEST_CASE("suppress: an entry ends with its last day, and its results open again", "[sarif]") {
  const std::string log = log_of({result("R1", "a"), result("R2", "b")});
  const std::string policy = policy_of({entry("A", {{"rule", "R1"}})});
  const Applied during = suppress_by(log, policy, "2026-06-30");
  CHECK(during.report.entries[0].state == EntryState::active);
  const Applied after = suppress_by(during.text, policy, "2026-07-01");
  CHECK(after.report.entries[0].state == EntryState::expired);
  CHECK(after.report.entries[0].matched == 1);
  CHECK(after.report.withdrawn == 1);
  // All results keep a list, now an empty one: all or none.
  for (const json& one : after.results()) CHECK(one["suppressions"] == json::array());
  // The entry has been deleted: the same.
  const Applied deleted = suppress_by(during.text, policy_of({}));
  CHECK(deleted.report.withdrawn == 1);
  CHECK(deleted.text == after.text);
  json never = entry("A", {{"rule", "R1"}});
  never["expires"] = "never";
  CHECK(suppress_by(log, policy_of({never}), "9999-12-31").report.suppressed == 1);
  never["since"] = "2026-08-01";
  CHECK(suppress_by(log, policy_of({never}), "2026-07-31").report.entries[0].state ==
        EntryState::early);
  CHECK(suppress_by(log, policy_of({never}), "2026-08-01").report.suppressed == 1);
  // An expired entry does not keep a later one from its results.
  json later = entry("B", {{"rule", "R*"}});
  later["expires"] = "never";
  CHECK(suppress_by(log, policy_of({entry("A", {{"rule", "R1"}}), later}), "2027-01-01")
            .report.suppressed == 2);
}

TEST_CASE("suppress: an entry that has grown over its limit suppresses nothing", "[sarif]") {
  json limited = entry("A", {{"rule", "R1"}});
  limited["at_most"] = 1;
  const Applied one = suppress_by(log_of({result("R1", "a")}), policy_of({limited}));
  CHECK(one.report.suppressed == 1);
  const Applied two =
      suppress_by(log_of({result("R1", "a"), result("R1", "b")}), policy_of({limited}));
  CHECK(two.report.suppressed == 0);
  CHECK(two.report.entries[0].state == EntryState::exceeded);
}

TEST_CASE("suppress: a result under review does not count as suppressed", "[sarif]") {
  json review = entry("A", {{"rule", "R1"}});
  review["status"] = "underReview";
  const Applied out = suppress_by(log_of({result("R1", "a")}), policy_of({review}));
  CHECK(out.results()[0]["suppressions"][0]["status"] == "underReview");
}

TEST_CASE("suppress: no pattern hides what a sandbox refused", "[sarif]") {
  const std::string log = log_of({result("runtime.sandbox_denial", "a")});
  CHECK(suppress_by(log, policy_of({entry("A", {{"rule", "*"}}), entry("B", {{"path", "a"}})}))
            .report.suppressed == 0);
  CHECK(suppress_by(log, policy_of({entry("A", {{"rule", "runtime.sandbox_denial"}})}))
            .report.suppressed == 1);
}

TEST_CASE("command: suppress reports stale entries", "[sarif]") {
  const support::TempTree tree;
  tree.write("in", log_of({result("R1", "a")}));
  tree.write("policy", policy_of({entry("A", {{"rule", "R1"}}), entry("B", {{"rule", "gone"}})}));
  const auto call = [&](const std::vector<std::string>& more, std::string* out_text = nullptr,
                        std::string* err_text = nullptr) {
    std::vector<std::string> args = {"suppress", "--policy", tree.file("policy"), tree.file("in"),
                                     "-o"};
    args.insert(args.end(), more.begin(), more.end());
    std::ostringstream out;
    std::ostringstream err;
    const int code = run(args, out, err);
    if (out_text != nullptr) *out_text = out.str();
    if (err_text != nullptr) *err_text = err.str();
    return code;
  };
  std::string text;
  std::string notes;
  CHECK(call({tree.file("out"), "--today", "2026-01-01", "--json"}, &text, &notes) == 0);
  CHECK(notes.find("note: B matches no result") != std::string::npos);
  const json report = json::parse(text);
  CHECK(report["entries"][0]["state"] == "active");
  CHECK(report["entries"][1]["state"] == "unused");
  CHECK(call({tree.file("out"), "--today", "2026-01-01", "--fail-on-stale"}) == 1);
  CHECK(call({tree.file("out"), "--today", "2027-01-01"}, nullptr, &notes) == 0);
  CHECK(notes.find("A expired on 2026-06-30; it matches 1 results") != std::string::npos);
  CHECK(call({tree.file("out"), "--today", "soon"}) == 2);
  CHECK(call({"-", "--json"}) == 2);
  tree.write("policy", "{}");
  CHECK(call({tree.file("none")}) == 3);
  CHECK_FALSE(std::filesystem::exists(tree.file("none")));
}

}  // namespace
}  // namespace ethos::sarif
