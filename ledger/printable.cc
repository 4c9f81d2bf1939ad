// SPDX-License-Identifier: Apache-2.0
#include "ledger/printable.h"

#include <array>
#include <cstdio>

#include "ledger/record/utf8.h"

namespace ethos::ledger {
namespace {

unsigned decode(std::string_view sequence) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(sequence[i]));
  };
  switch (sequence.size()) {
    case 1:
      return byte(0);
    case 2:
      return ((byte(0) & 0x1FU) << 6U) | (byte(1) & 0x3FU);
    case 3:
      return ((byte(0) & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU);
    default:
      return ((byte(0) & 0x07U) << 18U) | ((byte(1) & 0x3FU) << 12U) | ((byte(2) & 0x3FU) << 6U) |
             (byte(3) & 0x3FU);
  }
}

bool is_deceptive(unsigned point) {
  const auto in = [&](unsigned low, unsigned high) { return point >= low && point <= high; };
  return in(0, 0x1F) || in(0x7F, 0x9F) || point == 0xAD || point == 0x61C || in(0x200B, 0x200F) ||
         in(0x2028, 0x202E) || in(0x2060, 0x2069) || point == 0xFEFF || in(0xFFF9, 0xFFFB) ||
         in(0xE0000, 0xE007F);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  std::array<char, 24> escape{};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = record::utf8_sequence_length(text, at);
    if (length == 0) {
      std::snprintf(escape.data(), escape.size(), "\\x%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(text[at])));
      out += escape.data();
      ++at;
      continue;
    }
    const std::string_view sequence = text.substr(at, length);
    const unsigned point = decode(sequence);
    if (is_deceptive(point)) {
      std::snprintf(escape.data(), escape.size(), "\\u{%04x}", point);
      out += escape.data();
    } else {
      out += sequence;
    }
    at += length;
  }
  return out;
}

}  // namespace ethos::ledger
