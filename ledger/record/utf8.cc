// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/utf8.h"

namespace ethos::record {
namespace {

bool in(unsigned char c, unsigned low, unsigned high) { return c >= low && c <= high; }

// The allowed range of the second byte depends on the first.
bool is_second(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0:
      return in(second, 0xA0, 0xBF);
    case 0xED:
      return in(second, 0x80, 0x9F);
    case 0xF0:
      return in(second, 0x90, 0xBF);
    case 0xF4:
      return in(second, 0x80, 0x8F);
    default:
      return in(second, 0x80, 0xBF);
  }
}

}  // namespace

std::size_t utf8_sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  if (in(first, 0xC2, 0xDF)) length = 2;
  if (in(first, 0xE0, 0xEF)) length = 3;
  if (in(first, 0xF0, 0xF4)) length = 4;
  if (length == 0 || text.size() - at < length) return 0;
  if (!is_second(first, byte(1))) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!in(byte(i), 0x80, 0xBF)) return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

bool is_record_text(std::string_view text) {
  return text.find('\0') == std::string_view::npos && is_utf8(text);
}

}  // namespace ethos::record
