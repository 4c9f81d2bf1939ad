// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ethos::sarif {

// Length in bytes of the well-formed UTF-8 sequence at the start of `text`, or 0 when there is none
// (overlong forms, surrogates, values over U+10FFFF and cut sequences are not well formed).
// Unicode 15, table 3-7.
[[nodiscard]] std::size_t utf8_sequence_length(std::string_view text);

// The code point at the start of `text`, which must begin with a well-formed sequence of `length`
// bytes.
[[nodiscard]] char32_t decode_utf8(std::string_view text, std::size_t length);

// Appends `code_point` (not a surrogate, at most U+10FFFF) as UTF-8.
void append_utf8(std::string& out, char32_t code_point);

[[nodiscard]] bool is_valid_utf8(std::string_view text);

// `text` with every maximal ill-formed part replaced by U+FFFD, as WHATWG decoders do.
[[nodiscard]] std::string replace_invalid_utf8(std::string_view text);

}  // namespace ethos::sarif
