// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ethos::verify {

// Text forms of bytes. Each decoder accepts exactly one text for given bytes (record.md R-8), so two
// texts that differ never mean the same.

// RFC 4648 section 4, with padding, zero spare bits, no line breaks.
std::optional<std::string> decode_base64(std::string_view text);
std::string encode_base64(std::string_view bytes);

// RFC 4648 section 6 in lower case without padding; spare bits are zero.
std::optional<std::string> decode_base32(std::string_view text);
std::string encode_base32(std::string_view bytes);

// Lower-case hex.
std::optional<std::string> decode_hex(std::string_view text);
std::string encode_hex(std::string_view bytes);

// Decimal without leading zero, at most `max`; nothing else.
std::optional<std::uint64_t> parse_decimal(std::string_view text, std::uint64_t max = UINT64_MAX);

// A run id or boot id: 16 bytes as 26 base32 characters.
bool is_id128(std::string_view text);

// Well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF. U+0000 is allowed here.
bool is_utf8(std::string_view bytes);

// Length in bytes of the well-formed UTF-8 sequence at `p` (which is < `end`), 0 when it is not one.
unsigned utf8_sequence(const char* p, const char* end);

// For messages: control characters, quotes and invalid UTF-8 made visible; cut at `max` bytes.
std::string printable(std::string_view bytes, std::size_t max = 120);

}  // namespace ethos::verify
