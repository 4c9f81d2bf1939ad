// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ethos::sarif::validation {

// Who is going to read the file. `spec` is SARIF 2.1.0 with errata 01 itself; the others add what
// that service rejects, cuts or ignores, and rate the rest by what it means there.
enum class Profile : std::uint8_t { spec, github, gitlab, sonar };
inline constexpr std::size_t kProfileCount = 4;

// "github"; nothing for an unknown name.
[[nodiscard]] std::optional<Profile> profile_from_name(std::string_view name);
[[nodiscard]] std::string_view profile_name(Profile profile);

// How bad a finding is. `off`: the rule does not run in this profile.
enum class Severity : std::uint8_t { off, note, warning, error };

[[nodiscard]] std::optional<Severity> severity_from_name(std::string_view name);
[[nodiscard]] std::string_view severity_name(Severity severity);

// One thing that is looked for. Ids are stable: once published, an id keeps its meaning.
struct Rule {
  std::string_view id;                           // "ETH1203"
  std::string_view name;                         // "RuleIndexDisagrees"
  std::string_view summary;                      // one sentence: what is wrong
  std::string_view help;                         // one sentence: what to do about it
  std::array<Severity, kProfileCount> severity;  // by Profile

  [[nodiscard]] Severity in(Profile profile) const {
    return severity[static_cast<std::size_t>(profile)];
  }
};

// Every rule, ordered by id.
[[nodiscard]] std::span<const Rule> rules();

}  // namespace ethos::sarif::validation
