// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/verify/support/shared.h"
#include "verify/declaration.h"
#include "verify/grants.h"
#include "verify/hide_patterns.h"
#include "verify/jsonc.h"
#include "verify/plan.h"
#include "verify/policy_path.h"

using namespace ethos::verify;
namespace fs = std::filesystem;

namespace {

// A case of tests/data/policy: the inputs parsed, the expected members as the exact text they are.
struct Case {
  nlohmann::json inputs;
  std::map<std::string, std::string> exact;
};

Case load(const fs::path& path) {
  Case out;
  const std::string text = ethos::support::slurp(path);
  out.inputs = nlohmann::json::parse(text, nullptr, false);
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    for (const std::string name : {"normal", "grants", "plan", "facts"}) {
      const std::string head = "\"" + name + "\":";
      if (!line.starts_with(head)) continue;
      line.erase(0, head.size());
      if (line.ends_with(',')) line.pop_back();
      out.exact[name] = line;
    }
  }
  return out;
}

std::string stage_of(const Error& error) {
  return error.code == Errc::refused ? "normal" : "declaration";
}

struct Answer {
  std::map<std::string, std::string> exact;
  std::optional<Reason> reason;
  std::string stage;
};

Answer evaluate(const Case& test) {
  Answer out;
  NormalInput input;
  const std::string source = test.inputs.at("declaration").get<std::string>();
  input.source = source;
  input.tool = test.inputs.at("tool").get<std::string>();
  input.origin = test.inputs.at("origin").get<std::string>();
  input.workspace = test.inputs.at("workspace").get<std::string>();
  if (input.origin != "pinned" && input.origin != "revision")
    input.ceilings.push(builtin_ceiling());
  // The declaration is read first: its faults come before a ceiling's.
  const auto alone = normal_from_declaration(input);
  if (!alone && alone.error().code != Errc::refused) {
    out.stage = stage_of(alone.error());
    return out;
  }
  for (const auto& text : test.inputs.at("ceilings")) {
    auto ceiling = canonical_ceiling(text.get<std::string>());
    if (!ceiling) {
      out.stage = "ceiling";
      return out;
    }
    input.ceilings.push(*std::move(ceiling));
  }
  const auto normal = normal_from_declaration(input);
  if (!normal) {
    out.stage = stage_of(normal.error());
    return out;
  }
  out.exact["normal"] = encode_canonical(*normal);
  CHECK(check_normal(*normal).empty());
  const auto facts = parse_canonical(test.exact.at("facts"), kDocumentLimits);
  REQUIRE(facts);
  CHECK(check_facts(*facts, *normal).empty());
  GrantsResult result = compute_grants(*normal, *facts);
  if (!result.reasons.empty()) {
    out.stage = "grants";
    out.reason = result.reasons.front();
    return out;
  }
  out.exact["plan"] = encode_canonical(compute_plan(*normal, *facts, result.grants));
  out.exact["grants"] = encode_canonical(Value::array(std::move(result.grants)));
  return out;
}

}  // namespace

TEST_CASE("policy: every shared vector comes out byte for byte", "[verify][golden]") {
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(std::string(ETHOS_TEST_DATA) + "/policy")) {
    if (entry.path().extension() != ".json") continue;
    const Case test = load(entry.path());
    CAPTURE(entry.path().filename().string());
    REQUIRE(test.inputs.is_object());
    const Answer answer = evaluate(test);
    ++cases;
    for (const std::string name : {"normal", "grants", "plan"}) {
      const auto wanted = test.exact.find(name);
      const auto got = answer.exact.find(name);
      CAPTURE(name);
      CHECK((wanted == test.exact.end()) == (got == answer.exact.end()));
      if (wanted != test.exact.end() && got != answer.exact.end())
        CHECK(got->second == wanted->second);
    }
    if (!test.inputs.contains("refusal")) {
      CHECK(answer.stage.empty());
      continue;
    }
    const auto& refusal = test.inputs.at("refusal");
    CHECK(answer.stage == refusal.at("stage").get<std::string>());
    if (answer.reason) {
      CHECK(answer.reason->rule == refusal.at("rule").get<std::string>());
      CHECK(answer.reason->on == refusal.at("on").get<std::string>());
    }
  }
  CHECK(cases >= 60);
}

// What comes from a hostile ledger is judged in bounded work: lists that no declaration gives are
// refused first.
TEST_CASE("policy: lists longer than any declaration gives are refused, many hides are looked up",
          "[verify]") {
  const Case test = load(fs::path(ETHOS_TEST_DATA) / "policy" / "02-linter.json");
  const auto normal = nlohmann::json::parse(test.exact.at("normal"));
  const auto shape = [](const nlohmann::json& json) {
    const auto value = parse_canonical(json.dump(), kDocumentLimits);
    REQUIRE(value);
    return check_normal(*value);
  };
  const auto entries = [](std::size_t count, const std::string& tail) {
    auto out = nlohmann::json::array();
    for (std::size_t i = 0; i < count; ++i)
      out.push_back({{"optional", false}, {"path", "a" + std::to_string(100'000 + i) + tail}});
    return out;
  };
  REQUIRE(shape(normal).empty());
  for (const auto& [count, tail, good] : {std::tuple{1024, std::string(), true},
                                          {1025, std::string(), false},
                                          {1000, "/b/b/b/b" + std::string(), true},
                                          {1000,
                                           [] {
                                             std::string t;
                                             for (int i = 0; i < 70; ++i) t += "/b";
                                             return t;
                                           }(),
                                           false}}) {
    auto many = normal;
    many["read"] = entries(static_cast<std::size_t>(count), tail);
    CAPTURE(count, tail);
    CHECK(shape(many).empty() == good);
  }
  auto patterns = normal;
  patterns["hide"] = nlohmann::json::array();
  for (int i = 0; i < 1025; ++i) patterns["hide"].push_back("x" + std::to_string(i));
  CHECK_FALSE(shape(patterns).empty());
  auto ceilings = normal;
  ceilings["ceilings"] = nlohmann::json::array();
  for (int i = 0; i < 65; ++i) ceilings["ceilings"].push_back(nlohmann::json::object());
  CHECK_FALSE(shape(ceilings).empty());
}

// The lookup says of each place what within() says.
TEST_CASE("policy: a path is in conflict with a hide above it, however many there are",
          "[verify]") {
  const Case test = load(fs::path(ETHOS_TEST_DATA) / "policy" / "02-linter.json");
  auto normal = nlohmann::json::parse(test.exact.at("normal"));
  auto facts = nlohmann::json::parse(test.exact.at("facts"));
  for (const char* key : {"read", "write", "exec"}) normal[key] = nlohmann::json::array();
  normal["hide"] = nlohmann::json::array();
  const std::vector<std::pair<std::string, bool>> asked{
      {"a", false}, {"a/h", true}, {"a/h/b/c", true}, {"a/h2", false},
      {"b", false}, {"h", false},  {"z/d/e", true}};
  auto places = nlohmann::json::array();
  for (const std::string place : {"a/h", "z/d"})
    places.push_back(
        {{"by", "hide"}, {"path", {{"base", "workspace"}, {"path", place}}}, {"type", "dir"}});
  facts["hides"] = places;
  facts["paths"] = nlohmann::json::array();
  for (const auto& [path, in_hide] : asked) {
    normal["read"].push_back({{"optional", true}, {"path", path}});
    facts["paths"].push_back({{"asked", path}, {"cap", "read"}, {"state", "absent"}});
  }
  const auto n = parse_canonical(normal.dump(), kDocumentLimits);
  const auto f = parse_canonical(facts.dump(), kDocumentLimits);
  REQUIRE((n && f));
  const GrantsResult result = compute_grants(*n, *f);
  for (const auto& [path, in_hide] : asked) {
    const std::string on = "read:" + path;
    CAPTURE(path);
    CHECK(std::any_of(result.reasons.begin(), result.reasons.end(), [&](const Reason& r) {
            return r.rule == "conflict" && r.on == on;
          }) == in_hide);
  }
}

// Earlier versions refused beyond 512: what the rules allow, a runner may still have refused.
TEST_CASE("policy: no run hides more than 4096 places", "[verify]") {
  const Case test = load(fs::path(ETHOS_TEST_DATA) / "policy" / "02-linter.json");
  auto facts = nlohmann::json::parse(test.exact.at("facts"));
  const auto normal = parse_canonical(test.exact.at("normal"), kDocumentLimits);
  REQUIRE(normal);
  for (const int count : {512, 513, 4096, 4097}) {
    auto places = nlohmann::json::array();
    for (int i = 0; i < count; ++i)
      places.push_back({{"by", "hide"},
                        {"path", {{"base", "workspace"}, {"path", std::to_string(10000 + i)}}},
                        {"type", "file"}});
    facts["hides"] = places;
    const auto given = parse_canonical(facts.dump(), kDocumentLimits);
    REQUIRE(given);
    const GrantsResult result = compute_grants(*normal, *given);
    CAPTURE(count);
    REQUIRE(result.reasons.size() == (count > 4096 ? 1 : 0));
    if (count <= 4096) continue;
    CHECK(result.reasons[0].rule == "conflict");
    CHECK(result.reasons[0].on == "hide:4097");
  }
}

TEST_CASE("jsonc: comments and escapes are read, everything else is refused", "[verify]") {
  CHECK(parse_jsonc(
            "// a\n{ /* b */ \"a\" : [1, -2, true, null, \"\\u00e9\\ud83d\\ude00\\/\"] } // end")
            .ok());
  CHECK(parse_jsonc("{\"a\":1}\r// only a carriage return ends the line\r").ok());
  for (const std::string& bad :
       std::vector<std::string>{"",
                                "{",
                                "{\"a\":1,}",
                                "[1,]",
                                "{\"a\":1 \"b\":2}",
                                "{\"a\":1,\"a\":2}",
                                "{\"a\":1,\"\\u0061\":2}",
                                "{\"a\":01}",
                                "{\"a\":1.5}",
                                "{\"a\":1e3}",
                                "{\"a\":-0}",
                                "{\"a\":1234567890123456}",
                                "{\"a\":\"\\ud800\"}",
                                "{\"a\":\"\\udc00\"}",
                                "{\"a\":\"\\u0000\"}",
                                "{\"a\":\"\\x\"}",
                                "{\"a\":\"\n\"}",
                                "/* open",
                                "{} x",
                                "{}{}",
                                "\xef\xbb\xbf{}",
                                std::string("{}\0", 3),
                                "{\"a\":\"\xff\"}",
                                "// \xff\n{}",
                                "{'a':1}",
                                "{a:1}",
                                "nul",
                                std::string(17, '[') + std::string(17, ']')}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_jsonc(bad).ok());
  }
  CHECK(parse_jsonc(std::string(16, '[') + std::string(16, ']')).ok());
  CHECK_FALSE(parse_jsonc("[\"" + std::string(262144, 'x') + "\"]").ok());
}

TEST_CASE("paths: the one text form, and what lies within what", "[verify]") {
  CHECK(*normal_path("./a//b/./") == "a/b");
  CHECK(*normal_path(".") == ".");
  CHECK(*normal_path("./") == ".");
  CHECK(*normal_path("//usr//lib/") == "/usr/lib");
  CHECK(*normal_path("/") == "/");
  CHECK_FALSE(normal_path("a/../b").ok());
  CHECK_FALSE(normal_path("").ok());
  CHECK_FALSE(normal_path(std::string("a\0b", 3)).ok());
  CHECK_FALSE(normal_path(std::string(4097, 'a')).ok());
  CHECK(relative_to_workspace("/w/a", "/w") == "a");
  CHECK(relative_to_workspace("/w", "/w") == ".");
  CHECK(relative_to_workspace("/work", "/w") == "/work");
  CHECK(within("a/b", "a"));
  CHECK(within("a", "."));
  CHECK_FALSE(within("/a", "."));
  CHECK_FALSE(within("ab", "a"));
  CHECK(within("/usr", "/"));
  CHECK_FALSE(within("usr", "/"));
}

namespace {

bool pattern_matches(std::string_view pattern, std::string_view path, bool is_directory) {
  Value list = Value::array();
  list.push(Value::of(pattern));
  return HidePatterns(list).matches(path, is_directory);
}

// By the definition, one component and one byte after the other.
bool defined(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] != '*')
    return !text.empty() && pattern[0] == text[0] && defined(pattern.substr(1), text.substr(1));
  return defined(pattern.substr(1), text) || (!text.empty() && defined(pattern, text.substr(1)));
}

using Names = std::vector<std::string_view>;

bool defined(const Names& pattern, std::size_t p, const Names& path, std::size_t t) {
  if (p == pattern.size()) return t == path.size();
  if (pattern[p] == "**")
    return defined(pattern, p + 1, path, t) ||
           (t < path.size() && defined(pattern, p, path, t + 1));
  return t < path.size() && defined(pattern[p], path[t]) && defined(pattern, p + 1, path, t + 1);
}

}  // namespace

TEST_CASE("patterns: each matches as its definition says, in a bounded number of steps",
          "[verify]") {
  const Names parts = {"a", "b", "**", "*b", "a*b*"};
  const Names names = {"a", "b", "ab"};
  for (unsigned p = 0; p < 625; ++p) {
    const unsigned length = 1 + p % 4;
    std::string pattern;
    for (unsigned i = 0, rest = p; i < length; ++i, rest /= 5)
      pattern += "/" + std::string(parts[rest % 5]);
    for (const bool is_for_directories : {false, true}) {
      Value list = Value::array();
      list.push(Value::of(pattern + (is_for_directories ? "/" : "")));
      HidePatterns patterns(list);
      for (unsigned t = 0; t < 81; ++t) {
        std::string path;
        bool above = false;
        bool whole = false;
        const unsigned depth = 1 + t % 4;
        for (unsigned i = 0, rest = t; i < depth; ++i, rest /= 3) {
          above = above || whole;
          path += std::string(i == 0 ? "" : "/") + std::string(names[rest % 3]);
          whole = defined(components(pattern), 0, components(path), 0);
        }
        CAPTURE(pattern, path, is_for_directories);
        const std::uint64_t before = patterns.work();
        for (const bool is_directory : {false, true}) {
          const bool at = whole && (is_directory || !is_for_directories);
          REQUIRE(patterns.matches(path, is_directory) == at);
          REQUIRE(patterns.matches_at_or_above(path, is_directory) == (at || above));
        }
        REQUIRE(patterns.work() - before <= 4 * length * (depth + 1));
      }
    }
  }
}

TEST_CASE(
    "patterns: a declaration of another time may have more components and stars than one of today",
    "[verify]") {
  std::string pattern = "**/x";
  for (int i = 0; i < 100; ++i) pattern += "/**/*a*a*";
  CHECK(full_pattern(pattern));
  std::string path = "x";
  for (int i = 0; i < 100; ++i) path += "/baab";
  CHECK(pattern_matches(pattern, path, false));
  CHECK_FALSE(pattern_matches(pattern, path.substr(0, path.size() - 5), false));
}

TEST_CASE("patterns: full form and matching as the page gives them", "[verify]") {
  for (const auto& [declared, full] : std::map<std::string, std::string>{{".env", "**/.env"},
                                                                         {"/.env", "/.env"},
                                                                         {"a/b", "/a/b"},
                                                                         {"/**/x", "**/x"},
                                                                         {"tmp/", "**/tmp/"},
                                                                         {"/a/", "/a/"},
                                                                         {"**", "**"}}) {
    const auto got = full_pattern(declared);
    REQUIRE(got);
    CHECK(*got == full);
  }
  for (const char* bad : {"", "/", "a//b", "../a", "a/./b", "a//"})
    CHECK_FALSE(full_pattern(bad).ok());
  CHECK(pattern_matches("**/.env", ".env", false));
  CHECK(pattern_matches("**/.env", "a/b/.env", false));
  CHECK_FALSE(pattern_matches("/.env", "a/.env", false));
  CHECK(pattern_matches("**/*.pem", "keys/.pem", false));
  CHECK(pattern_matches("/a/**", "a", true));
  CHECK(pattern_matches("/a/**/z", "a/z", false));
  CHECK_FALSE(pattern_matches("**/tmp/", "tmp", false));
  CHECK(pattern_matches("**/tmp/", "x/tmp", true));
  CHECK_FALSE(pattern_matches("**/?", "a", false));
  CHECK(name_matches("*token*", "MY_TOKEN_X"));
  CHECK_FALSE(name_matches("AWS_*", "MY_AWS_X"));
  // A pattern that would take a careless matcher for ever.
  CHECK_FALSE(pattern_matches("/" + std::string(60, '*') + "b", std::string(4000, 'a'), false));
}

TEST_CASE("narrowing: options may only make a declaration narrower", "[verify]") {
  NormalInput input;
  input.source =
      R"({"version":1,"tools":{"t":{"command":["true"],"read":["src","doc"],"write":["out"],"git":"read",
    "env":["LANG","A=b"],"limits":{"wall":"60s"}}}})";
  input.tool = "t";
  input.origin = "workspace";
  const auto declared = normal_from_declaration(input);
  REQUIRE(declared);
  const auto with = [&](const char* key, const char* json, bool name_it = true) {
    Value changed = *declared;
    changed.set(key, *parse_canonical(json, kDocumentLimits));
    if (name_it) changed.set("narrowed", Value::array({Value::of(key)}));
    return check_narrowed(changed, *declared);
  };
  CHECK(check_narrowed(*declared, *declared).empty());
  CHECK(with("read", R"([{"optional":false,"path":"src/lib"}])").empty());
  CHECK(with("read", R"([{"optional":false,"path":"src/lib"}])", false) == "read");
  CHECK(with("read", R"([{"optional":true,"path":"src"}])") == "read");
  CHECK(with("read", R"([{"optional":false,"path":"."}])") == "read");
  CHECK(with("write", R"([])").empty());
  CHECK(with("write", R"([{"delete":true,"path":"out"}])") == "write");
  CHECK(with("git", R"("none")").empty());
  CHECK(with("network", R"("loopback")") == "network");
  CHECK(with("observe", R"("all")").empty());
  CHECK(with("observe", R"("off")") == "observe");
  CHECK(with("env", R"([{"name":"LANG"}])").empty());
  CHECK(with("env", R"([{"name":"LANG","value":"x"}])") == "env");
  CHECK(with("hide", R"(["**/x"])").empty());
  CHECK(with("profile", R"("build-offline")") == "profile");
  CHECK(with("command", R"(["false"])") == "command");
  Value idle = *declared;
  idle.set("narrowed", Value::array({Value::of("read")}));
  CHECK(check_narrowed(idle, *declared) == "narrowed");
}
