// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/rules.h"

#include <vector>

#include "sarif/validate/check.h"
#include "sarif/validate/rule_tables.h"

namespace ethos::sarif::validation {
namespace {

constexpr std::array<std::string_view, kProfileCount> kProfiles = {"spec", "github", "gitlab",
                                                                   "sonar"};
constexpr std::array<std::string_view, 4> kSeverities = {"off", "note", "warning", "error"};

}  // namespace

std::optional<Profile> profile_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kProfiles.size(); ++i) {
    if (kProfiles[i] == name) return static_cast<Profile>(i);
  }
  return std::nullopt;
}

std::string_view profile_name(Profile profile) {
  return kProfiles[static_cast<std::size_t>(profile)];
}

std::optional<Severity> severity_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kSeverities.size(); ++i) {
    if (kSeverities[i] == name) return static_cast<Severity>(i);
  }
  return std::nullopt;
}

std::string_view severity_name(Severity severity) {
  return kSeverities[static_cast<std::size_t>(severity)];
}

std::span<const Rule> rules() {
  static const std::vector<Rule> table = [] {
    std::vector<Rule> all;
    for (const auto part : {file_rules(), meaning_rules(), service_rules()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

const Rule& rule_of(Check check) { return rules()[static_cast<std::size_t>(check)]; }

}  // namespace ethos::sarif::validation
