// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace ethos::record {

// Length (1 to 4) of the valid UTF-8 sequence that starts at `at`, or 0: overlong forms, surrogates
// and code points above U+10FFFF are not valid (Unicode 15, table 3-7).
std::size_t utf8_sequence_length(std::string_view text, std::size_t at);

// The whole text is valid UTF-8.
bool is_utf8(std::string_view text);

// Valid UTF-8 without U+0000: what a string of a record may hold.
bool is_record_text(std::string_view text);

}  // namespace ethos::record
