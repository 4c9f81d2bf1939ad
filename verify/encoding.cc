// SPDX-License-Identifier: Apache-2.0
#include "verify/encoding.h"

#include <algorithm>

#include <array>
#include <cstddef>

namespace ethos::verify {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase32 = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kHex = "0123456789abcdef";

constexpr std::array<std::int8_t, 256> inverse(std::string_view alphabet) {
  std::array<std::int8_t, 256> table{};
  for (auto& entry : table) entry = -1;
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  }
  return table;
}

constexpr auto kFromBase64 = inverse(kBase64);
constexpr auto kFromBase32 = inverse(kBase32);
constexpr auto kFromHex = inverse(kHex);

// Packs groups of `bits` into bytes; false on a foreign character or a spare bit that is set.
bool unpack(std::string_view text, const std::array<std::int8_t, 256>& table, unsigned bits,
            std::string& out) {
  std::uint32_t held = 0;
  unsigned count = 0;
  for (const char c : text) {
    const int digit = table[static_cast<unsigned char>(c)];
    if (digit < 0) return false;
    held = (held << bits) | static_cast<std::uint32_t>(digit);
    count += bits;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>((held >> count) & 0xffU));
    }
    held &= (1U << count) - 1U;
  }
  return held == 0 && count < bits;
}

std::string pack(std::string_view bytes, std::string_view alphabet, unsigned bits) {
  std::string out;
  std::uint32_t held = 0;
  unsigned count = 0;
  const std::uint32_t mask = (1U << bits) - 1U;
  for (const char c : bytes) {
    held = (held << 8U) | static_cast<unsigned char>(c);
    count += 8;
    while (count >= bits) {
      count -= bits;
      out.push_back(alphabet[(held >> count) & mask]);
    }
    held &= (1U << count) - 1U;
  }
  if (count > 0) out.push_back(alphabet[(held << (bits - count)) & mask]);
  return out;
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  unsigned padding = 0;
  while (padding < 2 && !text.empty() && text.back() == '=') {
    text.remove_suffix(1);
    ++padding;
  }
  if (padding > 0 && text.size() % 4 != 4 - padding) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  if (!unpack(text, kFromBase64, 6, out)) return std::nullopt;
  return out;
}

std::string encode_base64(std::string_view bytes) {
  std::string out = pack(bytes, kBase64, 6);
  while (out.size() % 4 != 0) out.push_back('=');
  return out;
}

std::optional<std::string> decode_base32(std::string_view text) {
  std::string out;
  if (!unpack(text, kFromBase32, 5, out)) return std::nullopt;
  return out;
}

std::string encode_base32(std::string_view bytes) { return pack(bytes, kBase32, 5); }

std::optional<std::string> decode_hex(std::string_view text) {
  std::string out;
  if (text.size() % 2 != 0 || !unpack(text, kFromHex, 4, out)) return std::nullopt;
  return out;
}

std::string encode_hex(std::string_view bytes) { return pack(bytes, kHex, 4); }

std::optional<std::uint64_t> parse_decimal(std::string_view text, std::uint64_t max) {
  if (text.empty() || text.size() > 20 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  if (value > max) return std::nullopt;
  return value;
}

bool is_id128(std::string_view text) {
  if (text.size() != 26) return false;
  for (const char c : text) {
    if (kFromBase32[static_cast<unsigned char>(c)] < 0) return false;
  }
  // 26 characters carry 130 bits: the last two are spare and zero.
  return (kFromBase32[static_cast<unsigned char>(text.back())] & 3) == 0;
}

unsigned utf8_sequence(const char* p, const char* end) {
  const auto byte = [&](std::ptrdiff_t i) { return static_cast<unsigned char>(p[i]); };
  const auto tail = [&](std::ptrdiff_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const std::ptrdiff_t left = end - p;
  const unsigned b = byte(0);
  if (b < 0x80) return 1;
  if (b >= 0xc2 && b <= 0xdf) return left >= 2 && tail(1) ? 2 : 0;
  if (b >= 0xe0 && b <= 0xef) {
    if (left < 3 || !tail(1) || !tail(2)) return 0;
    if (b == 0xe0 && byte(1) < 0xa0) return 0;
    if (b == 0xed && byte(1) > 0x9f) return 0;  // surrogates
    return 3;
  }
  if (b >= 0xf0 && b <= 0xf4) {
    if (left < 4 || !tail(1) || !tail(2) || !tail(3)) return 0;
    if (b == 0xf0 && byte(1) < 0x90) return 0;
    if (b == 0xf4 && byte(1) > 0x8f) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
}

bool is_utf8(std::string_view bytes) {
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  while (p < end) {
    const unsigned n = utf8_sequence(p, end);
    if (n == 0) return false;
    p += n;
  }
  return true;
}

namespace {

// Of a sequence of `n` bytes: characters that no terminal shows, that turn the line around or end it, or that XML
// has no place for.
bool is_unseen(const char* p, unsigned n) {
  const auto at = [p](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(p[i])); };
  std::uint32_t c = 0;
  if (n == 2) c = (at(0) & 0x1fU) << 6U | (at(1) & 0x3fU);
  if (n == 3) c = (at(0) & 0x0fU) << 12U | (at(1) & 0x3fU) << 6U | (at(2) & 0x3fU);
  if (n == 4) c = (at(0) & 0x07U) << 18U | (at(1) & 0x3fU) << 12U | (at(2) & 0x3fU) << 6U | (at(3) & 0x3fU);
  const auto within = [c](std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; };
  return within(0x80, 0x9f) || c == 0xad || c == 0x61c || c == 0x180e || within(0x200b, 0x200f) || within(0x2028, 0x202e) ||
         within(0x2060, 0x206f) || c == 0xfeff || within(0xfff9, 0xfffb) || (c & 0xfffeU) == 0xfffe || within(0xe0000, 0xe0fff);
}

}  // namespace

std::string printable(std::string_view bytes, std::size_t max) {
  std::string out;
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  while (p < end) {
    if (out.size() >= max) return out + "...";
    const unsigned n = utf8_sequence(p, end);
    const auto c = static_cast<unsigned char>(*p);
    if (n == 0 || c < 0x20 || c == 0x7f || (n > 1 && is_unseen(p, n))) {
      for (const char* const last = p + std::max(n, 1U); p < last; ++p) {
        const auto byte = static_cast<unsigned char>(*p);
        out += "\\x";
        out += kHex[byte >> 4U];
        out += kHex[byte & 15U];
      }
    } else {
      out.append(p, n);
      p += n;
    }
  }
  return out;
}

}  // namespace ethos::verify
