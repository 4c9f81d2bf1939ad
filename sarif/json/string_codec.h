// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::sarif {

// What to do with \uD800-\uDFFF that is not half of a pair. Nothing can carry it in UTF-8.
enum class LoneSurrogates {
  // The text is malformed: what a SARIF file must be.
  refuse,
  // Python's "surrogateescape": \uDC80-\uDCFF stands for one byte 0x80-0xFF of a file name that is
  // not UTF-8, and becomes that byte; every other lone surrogate becomes U+FFFD. The decoded text
  // may then be invalid UTF-8. For the JSON of linters written in Python.
  as_bytes,
};

enum class EscapeFault { none, bad_escape, lone_surrogate };

// Checks the escapes in the inside of a JSON string (RFC 8259 section 7), quotes not included.
[[nodiscard]] EscapeFault check_escapes(std::string_view raw, LoneSurrogates policy);

// Replaces the escapes of `raw`, which check_escapes() has accepted, and appends the text.
void append_unescaped(std::string& out, std::string_view raw, LoneSurrogates policy);

// Appends `text` (valid UTF-8) as the inside of a JSON string, with the shortest escapes and only
// where RFC 8259 asks for one. No U+2028 special case: this is JSON, not JavaScript.
void append_escaped(std::string& out, std::string_view text);

}  // namespace ethos::sarif
