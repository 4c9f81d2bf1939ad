// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/base64.h"

#include <array>

namespace ethos::base {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int, 256> make_values() {
  std::array<int, 256> values{};
  for (auto& v : values) v = -1;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int>(i);
  }
  return values;
}
constexpr auto kValues = make_values();

}  // namespace

std::string encode_base64(ByteSpan bytes) {
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  const auto byte = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  std::size_t at = 0;
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const unsigned group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    for (unsigned shift = 24; shift > 0;) out[at++] = kAlphabet[(group >> (shift -= 6U)) & 63U];
  }
  const std::size_t left = bytes.size() - i;
  if (left == 0) return out;
  const unsigned group = byte(i) << 16U | (left == 2 ? byte(i + 1) << 8U : 0U);
  for (std::size_t k = 0; k <= left; ++k) out[at++] = kAlphabet[(group >> (18U - 6U * k)) & 63U];
  return out;
}

Result<Bytes> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return fail(Errc::malformed, "base64: length is no multiple of four");
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  const std::size_t digits = text.size() - padding;
  Bytes out;
  out.reserve(text.size() / 4 * 3);
  unsigned bits = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const int v = kValues[static_cast<unsigned char>(text[i])];
    if (v < 0) return fail(Errc::malformed, "base64: character outside the alphabet");
    bits = (bits << 6U) | static_cast<unsigned>(v);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<std::byte>((bits >> held) & 255U));
      bits &= (1U << held) - 1U;
    }
  }
  if (bits != 0) return fail(Errc::malformed, "base64: spare bits are not zero");
  return out;
}

}  // namespace ethos::base
