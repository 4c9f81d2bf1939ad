// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/declaration.h"
#include "sandbox/limits.h"

// A declaration as a file: the way back from parse_declaration.
namespace ethos::sandbox {

// "2GiB", "90s", "150%", "64": the largest unit in which the value is whole.
[[nodiscard]] std::string limit_text(const LimitSpec& spec, std::uint64_t value);

// One line of text that may stand behind "//": control characters, and bytes that are no UTF-8, as
// \xNN; cut after 240 characters.
[[nodiscard]] std::string comment_text(std::string_view text);

// A file with this one tool, each key on a line of its own; what has its default is left out, but
// `read`, which is always written. `comments` come first, one line each. All texts of the tool must
// be UTF-8. parse_declaration gives the same tool back.
[[nodiscard]] std::string declaration_text(const ToolDeclaration& tool,
                                           const std::vector<std::string>& comments);

}  // namespace ethos::sandbox
