// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::sandbox {

// Names come from hostile places and go to a terminal: control bytes are shown as \x1b, not sent.
[[nodiscard]] std::string shown(std::string_view text);

// One refusal as a line: "CAUSE [RULE ON]; FIX". `on` alone where it begins with the rule already,
// as in "[limit:cpu_percent]".
[[nodiscard]] std::string refusal_line(std::string_view cause, std::string_view rule,
                                       std::string_view on, std::string_view fix);

}  // namespace ethos::sandbox
