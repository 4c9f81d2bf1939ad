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

std::string refusal_line(std::string_view cause, std::string_view rule, std::string_view on,
                         std::string_view fix) {
  std::string out(cause);
  out += " [";
  if (!on.starts_with(std::string(rule) + ":")) (out += rule) += ' ';
  ((out += on) += "]; ") += fix;
  return shown(out);
}

}  // namespace ethos::sandbox
