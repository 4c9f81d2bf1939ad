// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ethos::sandbox {

// Names come from hostile places and go to a terminal: what would steer it, or
// is not seen, is shown as \x1b or \u{202e}, not sent (ledger/base/printable.h).
[[nodiscard]] std::string shown(std::string_view text);

// The same for what a tool or a tree chose, in a line for people: no more than so many bytes, and
// "..." where something is missing. A word (a path, a name), or a message with words in it.
inline constexpr std::size_t kShownWord = 300;
inline constexpr std::size_t kShownMessage = 1200;
[[nodiscard]] std::string shown_word(std::string_view text, std::size_t most = kShownWord);

// One refusal as a line: "CAUSE [RULE ON]; FIX". `on` alone where it begins with the rule already,
// as in "[limit:cpu_percent]".
[[nodiscard]] std::string refusal_line(std::string_view cause, std::string_view rule,
                                       std::string_view on, std::string_view fix);

}  // namespace ethos::sandbox
