// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/hex.h"

namespace ethos::base {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

int value_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string encode_hex(ByteSpan bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::byte b : bytes) {
    const auto v = std::to_integer<unsigned>(b);
    out += kDigits[v >> 4U];
    out += kDigits[v & 15U];
  }
  return out;
}

Result<Bytes> decode_hex(std::string_view text) {
  if (text.size() % 2 != 0) return fail(Errc::malformed, "hex: odd length");
  Bytes out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = value_of(text[i]);
    const int low = value_of(text[i + 1]);
    if (high < 0 || low < 0) return fail(Errc::malformed, "hex: not a lower-case hex digit");
    out.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return out;
}

}  // namespace ethos::base
