// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/base32.h"

namespace ethos::base {
namespace {

constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";

int value_of(char c) {
  if (c >= 'a' && c <= 'z') return c - 'a';
  if (c >= '2' && c <= '7') return c - '2' + 26;
  return -1;
}

}  // namespace

std::string encode_base32(ByteSpan bytes) {
  std::string out;
  out.reserve((bytes.size() * 8 + 4) / 5);
  unsigned bits = 0;
  unsigned held = 0;
  for (const std::byte b : bytes) {
    bits = (bits << 8U) | std::to_integer<unsigned>(b);
    held += 8;
    while (held >= 5) {
      held -= 5;
      out += kAlphabet[(bits >> held) & 31U];
    }
    bits &= (1U << held) - 1U;
  }
  if (held > 0) out += kAlphabet[(bits << (5U - held)) & 31U];
  return out;
}

Result<Bytes> decode_base32(std::string_view text) {
  Bytes out;
  out.reserve(text.size() * 5 / 8);
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const int v = value_of(c);
    if (v < 0) return fail(Errc::malformed, "base32: character outside the alphabet");
    bits = (bits << 5U) | static_cast<unsigned>(v);
    held += 5;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<std::byte>((bits >> held) & 255U));
      bits &= (1U << held) - 1U;
    }
  }
  // Five or more bits left over would be a character that carries nothing.
  if (held >= 5) return fail(Errc::malformed, "base32: impossible length");
  if (bits != 0) return fail(Errc::malformed, "base32: spare bits are not zero");
  return out;
}

}  // namespace ethos::base
