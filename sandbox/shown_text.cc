// SPDX-License-Identifier: Apache-2.0
#include "sandbox/shown_text.h"

namespace ethos::sandbox {

std::string shown(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 0xF];
    }
  }
  return out;
}

std::string shown_word(std::string_view text, std::size_t most) {
  std::string out = shown(text.substr(0, most + 1));
  if (out.size() <= most) return out;
  std::size_t end = most;
  // Neither a character nor an escape is cut in two.
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) --end;
  const std::size_t escape = out.rfind("\\x", end - 1);
  if (escape != std::string::npos && escape + 4 > end) end = escape;
  out.resize(end);
  return out + "...";
}

std::string refusal_line(std::string_view cause, std::string_view rule, std::string_view on,
                         std::string_view fix) {
  std::string out = shown_word(cause, kShownMessage);
  out += " [";
  if (!on.starts_with(std::string(rule) + ":")) (out += shown_word(rule)) += ' ';
  (out += shown_word(on)) += "]; ";
  return out + shown_word(fix, kShownMessage);
}

}  // namespace ethos::sandbox
