// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ethos::reports {

// One decoded character of a byte string. `valid` is false for a byte that is not UTF-8; then
// `code` is the byte and `length` is 1.
struct CodePoint {
  std::uint32_t code = 0;
  unsigned length = 1;
  bool valid = false;
};

// The character that starts at `text[at]`; `at` must be inside. Overlong forms, surrogates and
// values above U+10FFFF are not valid.
CodePoint decode_utf8(std::string_view text, std::size_t at);

void append_utf8(std::string& out, std::uint32_t code);

// True for what a reader cannot see or what moves other text around: C0, DEL and C1 controls, bidi
// controls and marks, zero-width characters, line and paragraph separators, tags, variation of
// none.
bool is_invisible(std::uint32_t code);

// How many bytes from `at` on are printable ASCII without meaning in HTML or JSON (all but " & ' <
// > and backslash): what writers may copy as it is. Most of most texts.
std::size_t plain_run(std::string_view text, std::size_t at);

// The text with every such character as `\u{202e}` and every byte that is not UTF-8 as `\xff`: what
// a report shows in the place of a name that somebody else chose. One line, always.
std::string visible(std::string_view text);

// Cut to at most `limit` bytes at a character border, with `…` when something was cut.
std::string shortened(std::string_view text, std::size_t limit);

// 1234567 -> "1 234 567" with U+202F (narrow no-break space), for people only.
std::string grouped(std::int64_t number);

// Decimal digits only, without sign; nullopt above 2^64-1.
std::optional<std::uint64_t> parse_decimal(std::string_view text);

// 1536 -> "1.5 KiB"; exact when below 1 KiB, else one digit after the point, rounded down.
std::string human_bytes(std::uint64_t bytes);

// 61000 -> "1 min 1 s"; below 10 s with tenths ("2.3 s"), below 1 s in ms.
std::string human_duration(std::int64_t milliseconds);

}  // namespace ethos::reports
