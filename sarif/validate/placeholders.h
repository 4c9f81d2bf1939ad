// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ethos::sarif::validation {

// One more than the highest placeholder {n} in a message string: how many arguments it asks for.
// "{{" and "}}" stand for single braces. SARIF 2.1.0 section 3.11.5.
[[nodiscard]] std::int64_t arguments_wanted(std::string_view text);

// The targets of embedded links [text](target) that are numbers, section 3.11.6: ids of locations.
// Numbers that do not fit into 64 bits are left out.
[[nodiscard]] std::vector<std::int64_t> linked_ids(std::string_view text);

// Whether anything but white space is in it.
[[nodiscard]] bool has_words(std::string_view text);

// Characters of valid UTF-8.
[[nodiscard]] std::size_t character_count(std::string_view text);

}  // namespace ethos::sarif::validation
