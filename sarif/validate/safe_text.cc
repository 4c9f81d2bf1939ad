// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/safe_text.h"

#include <array>
#include <charconv>

#include "sarif/json/string_codec.h"
#include "sarif/json/utf8.h"

namespace ethos::sarif::validation {
namespace {

bool is_unsafe(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0x9F)) return true;
  if (c < 0x300) return c == 0xAD;
  return c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

std::string hex(char32_t value) {
  std::array<char, 12> digits{};
  const auto done = std::to_chars(digits.data(), digits.data() + digits.size(),
                                  static_cast<std::uint32_t>(value), 16);
  return {digits.data(), done.ptr};
}

// "\u001b"; two of them for what lies outside the first plane.
void append_json_escape(std::string& out, char32_t c) {
  const auto unit = [&out](char32_t value) {
    const std::string digits = hex(value);
    out += "\\u";
    out.append(4 - digits.size(), '0');
    out += digits;
  };
  if (c < 0x10000) {
    unit(c);
  } else {
    unit(0xD800 + ((c - 0x10000) >> 10U));
    unit(0xDC00 + ((c - 0x10000) & 0x3FFU));
  }
}

}  // namespace

std::string safe_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = utf8_sequence_length(text);
    if (length == 0) {
      length = 1;
      out += "\\x{" + hex(static_cast<unsigned char>(text[0])) + "}";
    } else if (const char32_t c = decode_utf8(text, length); is_unsafe(c)) {
      out += "\\u{" + hex(c) + "}";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string safe_json_string(std::string_view text) {
  const std::string valid = replace_invalid_utf8(text);
  std::string out = "\"";
  std::string_view rest = valid;
  while (!rest.empty()) {
    const std::size_t length = utf8_sequence_length(rest);
    const char32_t c = decode_utf8(rest, length);
    if (c >= 0x7F && is_unsafe(c)) {
      append_json_escape(out, c);
    } else {
      append_escaped(out, rest.substr(0, length));
    }
    rest.remove_prefix(length);
  }
  out += '"';
  return out;
}

}  // namespace ethos::sarif::validation
