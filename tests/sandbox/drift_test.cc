// SPDX-License-Identifier: Apache-2.0
#include "sandbox/drift.h"

#include <catch2/catch.hpp>

using namespace ethos::sandbox;

namespace {

std::vector<Drift> between(const std::string& older, const std::string& newer) {
  const auto wrap = [](const std::string& members) {
    return parse_declaration("{\"version\":1,\"tools\":{\"t\":{\"command\":[\"true\"]" + members +
                             "}}}");
  };
  const auto a = wrap(older);
  const auto b = wrap(newer);
  REQUIRE(a);
  REQUIRE(b);
  const auto drifts = compare_declarations(*a, *b);
  REQUIRE(drifts);
  return *drifts;
}

// "widened key from -> to" of the only difference.
std::string only(const std::string& older, const std::string& newer) {
  const auto drifts = between(older, newer);
  REQUIRE(drifts.size() == 1);
  return std::string(drift_kind_name(drifts[0].kind)) + " " + drifts[0].key + " " + drifts[0].from +
         " -> " + drifts[0].to;
}

}  // namespace

TEST_CASE("drift: a default that is written out is no change", "[sandbox]") {
  CHECK(between("",
                ",\"read\":[\"./\"],\"network\":\"none\",\"limits\":{\"wall\":\"5m\"},\"hide\":[]")
            .empty());
  CHECK(between(",\"hide\":[\".env\"]", ",\"hide\":[\"**/.env\"]").empty());
}

TEST_CASE("drift: each key widens and narrows as it should", "[sandbox]") {
  const std::pair<std::string, std::string> wider[] = {
      {",\"read\":[\"src\"]", ",\"read\":[\"src\",\"doc\"]"},
      {"", ",\"read\":[\".\",\"/opt/x\"]"},
      {"", ",\"write\":[\"out\"]"},
      {",\"write\":[\"out\"]", ",\"write\":[{\"path\":\"out\",\"delete\":true}]"},
      {"", ",\"exec\":[\"@memory\"]"},
      {",\"hide\":[\".env\"]", ""},
      {"", ",\"network\":\"loopback\""},
      {"", ",\"git\":\"read\""},
      {"", ",\"env\":[\"EDITOR\"]"},
      {"", ",\"limits\":{\"memory\":\"3GiB\"}"},
      {",\"limits\":{\"swap\":0}", ""},
      {"", ",\"observe\":\"off\""},
      {",\"args\":\"fixed\"", ",\"args\":\"paths\""},
      {"", ",\"on_output_limit\":\"truncate\""},
      {",\"enforce\":{\"memory\":\"cgroup\"}", ""},
      {",\"enforce\":{\"memory\":\"rlimit\"}", ",\"enforce\":{\"memory\":[\"rlimit\",\"cgroup\"]}"},
  };
  for (const auto& [a, b] : wider) {
    CAPTURE(a, b);
    CHECK(only(a, b).starts_with("widened "));
    // The enforce lists are only partly ordered: the other way round may be wider too, never
    // unsaid.
    if (a.find("swap") == std::string::npos) CHECK(only(b, a).starts_with("narrowed "));
  }
  CHECK(only(",\"env\":[\"A=1\"]", ",\"env\":[\"A=2\"]") == "changed env A=1 -> A=2");
  CHECK(only(",\"profile\":\"lint-offline\"", ",\"profile\":\"no-proc\"")
            .starts_with("widened profile"));
  CHECK(only(",\"read\":[\".\"]", ",\"read\":[\"src\"]") == "narrowed read . -> src");
  CHECK(only(",\"read\":[\".\"]", ",\"read\":[]") == "narrowed read . -> ");
  CHECK(only(",\"env\":[\"A=1\"]", ",\"env\":[\"A\"]") == "widened env A=1 -> A");
  CHECK(only(",\"env\":[\"A\"]", ",\"env\":[\"A=1\"]") == "narrowed env A -> A=1");
  CHECK(only(",\"class\":\"microvm\"", "") == "widened class microvm -> namespace");
  CHECK(only(",\"limits\":{\"wall\":\"1s\"}", ",\"limits\":{\"wall\":\"2s\"}") ==
        "widened limits wall_ms 1000 -> wall_ms 2000");
}

TEST_CASE("drift: tools that come and go, and the three forms of output", "[sandbox]") {
  const auto a = parse_declaration(
      R"({"version":1,"tools":{"gone":{"command":["x"]},"same":{"command":["x"]}}})");
  const auto b = parse_declaration(R"({"version":1,"tools":{"new|`":{"command":["x"]}}})");
  CHECK_FALSE(b);
  const auto c = parse_declaration(
      R"({"version":1,"tools":{"new":{"command":["x"]},"same":{"command":["x","|\u001b[31m`"]}}})");
  REQUIRE(a);
  REQUIRE(c);
  const auto drifts = compare_declarations(*a, *c);
  REQUIRE(drifts);
  CHECK(drift_text(*drifts) ==
        "narrowed  gone tool: gone -> (nothing)\nwidened   new tool: (nothing) -> new\nchanged   "
        "same command: x -> x |\\x1b[31m`\n");
  CHECK(
      drift_json(*drifts).find(R"({"from":"gone","key":"tool","kind":"narrowed","tool":"gone"})") !=
      std::string::npos);
  CHECK(drift_json(*drifts).find("\"needs_review\":true") != std::string::npos);
  CHECK(drift_markdown(*drifts).find(
            "| **changed** | `same` | command | `x` | `x \\|\\x1b[31m'` |") != std::string::npos);
  CHECK(drift_text({}) == "nothing widened, nothing narrowed\n");
}
