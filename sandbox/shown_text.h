// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::sandbox {

// Names come from hostile places and go to a terminal: control bytes are shown as \x1b, not sent.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace ethos::sandbox
