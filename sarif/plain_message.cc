// SPDX-License-Identifier: Apache-2.0
#include "sarif/plain_message.h"

#include <array>
#include <cstdint>

#include "sarif/json/utf8.h"

namespace ethos::sarif {
namespace {

// Bytes that need a closer look; most messages have none.
constexpr std::array<bool, 256> kNotable = [] {
  std::array<bool, 256> out{};
  for (std::size_t c = 0; c < 0x20; ++c) out[c] = c != '\n' && c != '\t';
  // First bytes of U+0080 to 9F, U+061C, U+2000 to 2FFF.
  for (const std::size_t c : {0x5DU, 0x7BU, 0x7FU, 0xC2U, 0xD8U, 0xE2U}) out[c] = true;
  return out;
}();

bool is_notable(std::string_view text) {
  for (const char c : text)
    if (kNotable[static_cast<unsigned char>(c)]) return true;
  return false;
}

bool is_unseen(char32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c <= 0x9F) || c == 0x61C ||
         c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

void append_code_point(std::string& out, char32_t c) {
  out += "<U+";
  for (unsigned shift = 16; shift != 0;) {
    shift -= 4;
    out += "0123456789ABCDEF"[(static_cast<std::uint32_t>(c) >> shift) & 0xFU];
  }
  out += '>';
}

bool has_placeholder(std::string_view text) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    const std::size_t end = text.find_first_not_of("0123456789", at + 1);
    if (end != std::string_view::npos && end > at + 1 && text[end] == '}') return true;
  }
  return false;
}

}  // namespace

std::string plain_message(std::string_view text) {
  if (!is_notable(text)) return std::string(text);
  const bool has_link = text.find("](") != std::string_view::npos;
  const bool has_braces = has_placeholder(text);
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    const char c = text.front();
    if (length == 0) {
      out += c;
      text.remove_prefix(1);
      continue;
    }
    const char32_t point = decode_utf8(text, length);
    const bool ends_line = c == '\r' && text.substr(0, 2) == "\r\n";
    if (is_unseen(point) && !ends_line) {
      append_code_point(out, point);
    } else {
      if (has_link && (c == '\\' || c == '[' || c == ']')) out += '\\';
      if (has_braces && (c == '{' || c == '}')) out += c;
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace ethos::sarif
