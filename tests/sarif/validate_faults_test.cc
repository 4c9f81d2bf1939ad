// SPDX-License-Identifier: Apache-2.0
// tests/data/sarif/validate: one file that nobody objects to, and one fault a file.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "sarif/validate/check.h"
#include "sarif/validate/validate.h"
#include "tests/sarif/support.h"

namespace ethos::sarif::validation {
namespace {

namespace fs = std::filesystem;
const fs::path kFaults = fs::path(ETHOS_TEST_DATA) / "sarif" / "validate";

Report check(const std::string& text, Profile profile, std::size_t findings_per_rule = 0) {
  MemorySource source(text);
  Options options;
  options.profile = profile;
  options.findings_per_rule = findings_per_rule;
  return validate(source, options);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<fs::path> fault_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kFaults)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() == ".sarif" && name != "good.sarif") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("validate: no profile objects to the good file", "[sarif][validate]") {
  const std::string text = support::read_all(kFaults / "good.sarif");
  for (const Profile profile : {Profile::spec, Profile::github, Profile::gitlab, Profile::sonar}) {
    CAPTURE(profile_name(profile));
    const Report report = check(text, profile);
    for (const Finding& finding : report.findings) {
      CAPTURE(finding.pointer, finding.message);
      CHECK(finding.rule == nullptr);
    }
    CHECK(report.is_clean());
    CHECK(report.is_schema_valid);
    CHECK(report.errors + report.warnings + report.notes == 0);
    CHECK(report.runs == 1);
    CHECK(report.results == 2);
    CHECK(report.bytes == text.size());
  }
}

TEST_CASE("validate: each faulty file is told by its own rule, at its place", "[sarif][validate]") {
  const auto files = fault_files();
  CHECK(files.size() >= 120);
  for (const fs::path& path : files) {
    CAPTURE(path.filename());
    const auto parts = split(path.filename(), '.');
    REQUIRE(parts.size() == 4);
    const std::string text = support::read_all(path);
    const Report report = check(text, *profile_from_name(parts[0]));
    const auto wanted = split(parts[1], '+');
    std::set<std::string> found;
    std::string first;
    for (const Finding& finding : report.findings) {
      if (finding.rule->id == wanted[0] && found.count(wanted[0]) == 0) first = finding.pointer;
      found.emplace(finding.rule->id);
      CHECK_FALSE(finding.message.empty());
      CHECK_FALSE(finding.fix.empty());
      CHECK(finding.severity == finding.rule->in(*profile_from_name(parts[0])));
    }
    CHECK(found == std::set<std::string>(wanted.begin(), wanted.end()));
    CHECK(report.is_readable() == (wanted[0] != "ETH1001"));
    if (!report.is_readable() || wanted[0] == "ETH1003") continue;
    const auto log = nlohmann::json::parse(text);
    CHECK(first == log["properties"]["expect"]);
  }
}

TEST_CASE("validate: every rule that can be shown in a small file has one", "[sarif][validate]") {
  std::set<std::string> shown;
  for (const fs::path& path : fault_files()) {
    for (const std::string& id : split(split(path.filename(), '.')[1], '+')) shown.insert(id);
  }
  // Too large for a file in the tree, or in need of sources: other tests show these.
  const std::set<std::string> elsewhere = {"ETH1007", "ETH1501", "ETH1502", "ETH1503", "ETH1504",
                                           "ETH1505", "ETH1506", "ETH2002", "ETH2003", "ETH2004",
                                           "ETH2006", "ETH2008", "ETH2014"};
  for (const Rule& rule : rules()) {
    const std::string id(rule.id);
    CAPTURE(id);
    CHECK((shown.count(id) + elsewhere.count(id)) == 1);
  }
}

TEST_CASE("validate: rules are in order, named apart and used by their own name",
          "[sarif][validate]") {
  std::set<std::string> names;
  std::string last;
  for (const Rule& rule : rules()) {
    CAPTURE(rule.id);
    CHECK(last < rule.id);
    last = rule.id;
    CHECK(names.emplace(rule.name).second);
    CHECK(rule.summary.back() == '.');
    CHECK(rule.help.back() == '.');
    CHECK(std::any_of(rule.severity.begin(), rule.severity.end(),
                      [](Severity severity) { return severity != Severity::off; }));
  }
  CHECK(static_cast<std::size_t>(Check::rule_level_absent) + 1 == rules().size());
  CHECK(rule_of(Check::unreadable).name == "Unreadable");
  CHECK(rule_of(Check::needs_one_of).name == "NeedsOneOf");
  CHECK(rule_of(Check::region_reversed).name == "RegionReversed");
  CHECK(rule_of(Check::fix_beyond_end).name == "FixBeyondEnd");
  CHECK(rule_of(Check::category_twice).name == "CategoryTwice");
  CHECK(rule_of(Check::rule_level_absent).name == "RuleLevelAbsent");
}

TEST_CASE("validate: findings over the limit are counted and not kept", "[sarif][validate]") {
  auto log = nlohmann::json::parse(support::read_all(kFaults / "good.sarif"));
  auto& results = log["runs"][0]["results"];
  for (int i = 0; i < 98; ++i) results.push_back(results[0]);
  for (auto& result : results) result["level"] = "high";
  const Report some = check(log.dump(), Profile::spec, 7);
  CHECK(some.findings.size() == 7);
  CHECK(some.errors == 100);
  CHECK(some.not_kept == 93);
  CHECK(check(log.dump(), Profile::spec).findings.size() == 100);
}

TEST_CASE("validate: limits of services on large runs", "[sarif][validate]") {
  auto log = nlohmann::json::parse(support::read_all(kFaults / "good.sarif"));
  auto& run = log["runs"][0];
  const auto has = [&log](Profile profile, const std::string& rule) {
    const Report report = check(log.dump(), profile, 3);
    return std::any_of(report.findings.begin(), report.findings.end(),
                       [&rule](const Finding& finding) { return finding.rule->id == rule; });
  };
  const nlohmann::json result = {{"ruleId", "R1"}, {"message", {{"text", "Here."}}}};
  const auto location = run["results"][0]["locations"][0];
  run["results"] = nlohmann::json::array_t(5000, result);
  CHECK_FALSE(has(Profile::github, "ETH2003"));
  run["results"].push_back(result);
  CHECK(has(Profile::github, "ETH2003"));
  CHECK(has(Profile::gitlab, "ETH2003"));
  CHECK_FALSE(has(Profile::spec, "ETH2003"));
  run["results"] = nlohmann::json::array_t(25001, result);
  CHECK(has(Profile::github, "ETH2002"));
  CHECK_FALSE(has(Profile::github, "ETH2003"));
  run["results"] = nlohmann::json::array({result});
  run["results"][0]["locations"] = nlohmann::json::array_t(1001, location);
  CHECK(has(Profile::github, "ETH2008"));
  run["results"] = nlohmann::json::array({result});
  const nlohmann::json step = {{"location", {{"message", {{"text", "Here."}}}}}};
  const nlohmann::json flow = {{"locations", nlohmann::json::array_t(10001, step)}};
  run["results"][0]["codeFlows"] =
      nlohmann::json::array({{{"threadFlows", nlohmann::json::array({flow})}}});
  CHECK(has(Profile::github, "ETH2006"));
  run["results"] = nlohmann::json::array({result});
  auto rules = nlohmann::json::array_t(25001);
  for (std::size_t i = 0; i < rules.size(); ++i) rules[i] = {{"id", "X" + std::to_string(i)}};
  run["tool"]["driver"]["rules"] = rules;
  CHECK(has(Profile::github, "ETH2004"));
  CHECK(has(Profile::gitlab, "ETH2004"));
}

// Letters in no order, so that gzip saves little: about six bits a letter.
std::string noise(std::size_t length) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  std::uint64_t state = 1;
  while (out.size() < length) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    out += kLetters[state >> 58U];
  }
  return out;
}

TEST_CASE("validate: the size of the file as the service counts it", "[sarif][validate]") {
  auto log = nlohmann::json::parse(support::read_all(kFaults / "good.sarif"));
  const auto is_too_large = [&log](Profile profile) {
    const Report report = check(log.dump(), profile);
    return std::any_of(report.findings.begin(), report.findings.end(),
                       [](const Finding& finding) { return finding.rule->id == "ETH2014"; });
  };
  log["properties"] = {{"text", std::string(14'000'000, 'x')}};
  CHECK_FALSE(is_too_large(Profile::github));
  CHECK(is_too_large(Profile::gitlab));
  CHECK_FALSE(is_too_large(Profile::sonar));
  log["properties"] = {{"text", noise(12'000'000)}};
  CHECK_FALSE(is_too_large(Profile::github));
  log["properties"] = {{"text", noise(14'000'000)}};
  CHECK(is_too_large(Profile::github));
}

TEST_CASE("validate: what is too large to look at is said, not passed over", "[sarif][validate]") {
  auto log = nlohmann::json::parse(support::read_all(kFaults / "good.sarif"));
  log["runs"][0]["results"][0]["locations"] = "MANY";
  std::string many = "{\"message\":{\"text\":\"a\"}}";
  for (int i = 0; i < 400000; ++i) many += ",{\"message\":{\"text\":\"a\"}}";
  std::string text = log.dump();
  text.replace(text.find("\"MANY\""), 6, "[" + many + "]");
  const Report report = check(text, Profile::spec, 5);
  REQUIRE(report.errors == 1);
  CHECK(report.findings[0].rule->id == "ETH1007");
  CHECK(report.findings[0].pointer == "/runs/0/results/0");
  CHECK(report.results == 2);
}

TEST_CASE("validate: hostile shapes end in a finding", "[sarif][validate]") {
  const std::string deep(5000, '[');
  CHECK(check(deep, Profile::spec).fault.code == JsonFaultCode::too_deep);
  for (const char* text : {"[]", "null", "1", "\"x\"", "{}", "{\"version\":\"2.1.0\"}",
                           "{\"version\":\"2.1.0\",\"runs\":{}}",
                           "{\"version\":\"2.1.0\",\"runs\":[[],1,null,{\"results\":[1,{}]}]}",
                           "{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":[]}}]}",
                           "{\"version\":[],\"runs\":[]}"}) {
    CAPTURE(text);
    const Report report = check(text, Profile::github);
    CHECK(report.is_readable());
    CHECK_FALSE(report.is_schema_valid);
    CHECK_FALSE(report.is_clean());
  }
}

}  // namespace
}  // namespace ethos::sarif::validation
