// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ethos::sarif {

// "none", "note", "warning" or "error" for what tools write instead ("info", "Critical", "WARN");
// nothing for one of the four themselves and for words that say nothing of how bad it is.
[[nodiscard]] std::optional<std::string> level_for(std::string_view word);

// What to do with a security-severity.
struct MendedSeverity {
  std::string text;  // a number over 0.0 and up to 10.0; empty: leave the property out
  std::string_view reason;
};
// `text` is a string's text; nothing when it is right already, or means nothing known.
[[nodiscard]] std::optional<MendedSeverity> severity_for(std::string_view text);

}  // namespace ethos::sarif
