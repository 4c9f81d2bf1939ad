// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::sarif {

// What a tool, a path or an address says, as the text of a SARIF message that is shown as it
// stands:
//   [a](b)   no link: where "](" is in the text, `\`, `[` and `]` have a `\` before them (3.11.6)
//   {0}      no placeholder: where there is one, `{` and `}` are doubled (3.11.5)
//   U+202E   visible, as <U+202E>: control characters but tab and newline (and a carriage return
//            before one), line and paragraph separators, and what turns the direction of writing
// Any other text is left as it is. Bytes that are no UTF-8 are left to the JSON writer.
[[nodiscard]] std::string plain_message(std::string_view text);

}  // namespace ethos::sarif
