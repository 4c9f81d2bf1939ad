// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "sarif/validate/rules.h"

namespace ethos::sarif::validation {

// Severities of a rule in the order of Profile: E error, W warning, N note, O off.
consteval std::array<Severity, kProfileCount> levels(std::string_view letters) {
  std::array<Severity, kProfileCount> severities{};
  for (std::size_t i = 0; i < kProfileCount; ++i) {
    switch (letters.at(i)) {
      case 'E':
        severities[i] = Severity::error;
        break;
      case 'W':
        severities[i] = Severity::warning;
        break;
      case 'N':
        severities[i] = Severity::note;
        break;
      case 'O':
        severities[i] = Severity::off;
        break;
      default:
        throw "a severity is one of E, W, N and O";  // stops the compiler
    }
  }
  return severities;
}

// The parts of rules(): the file and its schema; what SARIF means; what services take.
[[nodiscard]] std::span<const Rule> file_rules();
[[nodiscard]] std::span<const Rule> meaning_rules();
[[nodiscard]] std::span<const Rule> service_rules();

}  // namespace ethos::sarif::validation
