// SPDX-License-Identifier: Apache-2.0
#include "sandbox/shown_text.h"

#include <algorithm>

#include "ledger/base/printable.h"

namespace ethos::sandbox {

std::string shown(std::string_view text) { return base::printable(text, base::Ascii::as_byte); }

std::string shown_word(std::string_view text, std::size_t most) {
  std::string out = shown(text.substr(0, most + 1));
  if (out.size() <= most) return out;
  std::size_t end = most;
  // Neither a character nor an escape is cut in two.
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) --end;
  if (const std::size_t escape = out.rfind('\\', end - 1); escape != std::string::npos) {
    const char kind = escape + 1 < out.size() ? out[escape + 1] : ' ';
    const std::size_t after = kind == 'x'   ? escape + 4
                              : kind == 'u' ? std::max(out.find('}', escape), escape + 8)
                                            : escape;
    if (after > end || (kind == 'u' && after == end)) end = escape;
  }
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
