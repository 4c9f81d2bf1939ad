// SPDX-License-Identifier: Apache-2.0
// Real files: the verdict of the official schema, and no surprise in any profile.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "sarif/validate/validate.h"
#include "tests/sarif/support.h"

namespace ethos::sarif::validation {
namespace {

namespace fs = std::filesystem;

Report check(const std::string& text, Profile profile, std::size_t step = 1U << 16U) {
  support::TricklingSource source(text, step);
  Options options;
  options.profile = profile;
  options.findings_per_rule = 0;
  return validate(source, options);
}

// The rules that stand for the keywords of the schema in another judge's words.
std::string rule_for(const std::string& keyword) {
  static const std::map<std::string, std::string> kRules = {
      {"type", "ETH1101"},     {"required", "ETH1102"}, {"additionalProperties", "ETH1103"},
      {"minimum", "ETH1104"},  {"enum", "ETH1105"},     {"uniqueItems", "ETH1106"},
      {"minItems", "ETH1107"}, {"anyOf", "ETH1113"},    {"oneOf", "ETH1113"}};
  const auto found = kRules.find(keyword);
  return found == kRules.end() ? "" : found->second;
}

TEST_CASE("validate: real files get the verdict of the official schema", "[sarif][validate]") {
  const auto shared = support::shared_sarif_dir();
  if (!shared) {
    WARN("skipped: shared data not present");
    return;
  }
  const auto verdicts = nlohmann::json::parse(support::read_all(*shared / "corpus-verdicts.json"));
  std::size_t compared = 0;
  for (const auto& [name, verdict] : verdicts.items()) {
    const fs::path path = *shared / "corpus" / name;
    if (!fs::is_regular_file(path)) continue;
    CAPTURE(name);
    const Report report = check(support::read_all(path), Profile::spec);
    REQUIRE(report.is_readable());
    CHECK(report.is_schema_valid == verdict["valid"].get<bool>());
    if (verdict["valid"] == true) {
      CHECK(report.runs == verdict["runs"]);
      CHECK(report.results == verdict["results"]);
    } else {
      const std::string first = verdict["first"];
      const std::string pointer = first.substr(0, first.rfind(' '));
      const std::string rule = rule_for(first.substr(first.rfind(' ') + 1));
      CAPTURE(first);
      bool is_found = false;
      for (const Finding& finding : report.findings) {
        const bool is_version = finding.rule->id == "ETH1004" && pointer == "/version";
        const bool is_rule =
            rule.empty() ? finding.rule->id.substr(0, 5) == "ETH11" : finding.rule->id == rule;
        const bool is_place = finding.pointer.substr(0, pointer.size()) == pointer;
        is_found = is_found || is_version || (is_rule && is_place);
      }
      CHECK(is_found);
    }
    ++compared;
  }
  CHECK(compared == 58);
}

TEST_CASE("validate: how the bytes arrive changes nothing", "[sarif][validate]") {
  const auto shared = support::shared_sarif_dir();
  if (!shared) {
    WARN("skipped: shared data not present");
    return;
  }
  for (const auto& entry : fs::directory_iterator(*shared / "corpus")) {
    if (entry.path().extension() != ".sarif" || entry.file_size() > 20000) continue;
    CAPTURE(entry.path());
    const std::string text = support::read_all(entry.path());
    for (const Profile profile : {Profile::github, Profile::gitlab, Profile::sonar}) {
      const Report whole = check(text, profile);
      const Report pieces = check(text, profile, 7);
      REQUIRE(whole.findings.size() == pieces.findings.size());
      for (std::size_t i = 0; i < whole.findings.size(); ++i) {
        CHECK(whole.findings[i].rule == pieces.findings[i].rule);
        CHECK(whole.findings[i].pointer == pieces.findings[i].pointer);
        CHECK(whole.findings[i].message == pieces.findings[i].message);
        CHECK(whole.findings[i].line == pieces.findings[i].line);
      }
    }
  }
}

}  // namespace
}  // namespace ethos::sarif::validation
