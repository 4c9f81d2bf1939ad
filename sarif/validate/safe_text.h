// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::sarif::validation {

// `text` for people, on one line: control characters (C0, DEL, C1), line and paragraph separators,
// marks that turn the direction of writing or have no width, and bytes that are no UTF-8 become
// visible as \u{1b} or \x{ff}. Nothing that a file says can then move the cursor or hide a word.
[[nodiscard]] std::string safe_text(std::string_view text);

// `text` as a JSON string with its quotes: the same characters as \u escapes, so that the value is
// kept and the file is safe to look at. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string safe_json_string(std::string_view text);

}  // namespace ethos::sarif::validation
