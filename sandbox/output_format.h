// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// The formats of findings that `ethos-sarif` of this version reads. A test holds the table and what
// `ethos-sarif formats` prints together.
namespace ethos::sandbox {

// `auto` is one: the format is guessed.
[[nodiscard]] bool is_known_format(std::string_view format);
// All of them, with commas.
[[nodiscard]] std::string known_formats();

// Which of the two streams the findings of a format come on.
[[nodiscard]] bool is_on_standard_error(std::string_view format);

}  // namespace ethos::sandbox
