// SPDX-License-Identifier: Apache-2.0
#include "reports/text.h"

#include <array>
#include <charconv>

namespace ethos::reports {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool in(std::uint32_t code, std::uint32_t first, std::uint32_t last) {
  return code >= first && code <= last;
}

std::string with_tenth(std::uint64_t whole, std::uint64_t tenth, std::string_view unit) {
  std::string out = std::to_string(whole);
  if (tenth != 0) {
    out += '.';
    out += std::to_string(tenth);
  }
  out += ' ';
  out += unit;
  return out;
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  const CodePoint broken{first, 1, false};
  if (first < 0x80) return {first, 1, true};
  unsigned length = 0;
  std::uint32_t code = 0;
  std::uint32_t least = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2, code = first & 0x1FU, least = 0x80;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3, code = first & 0x0FU, least = 0x800;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4, code = first & 0x07U, least = 0x10000;
  } else {
    return broken;
  }
  if (at + length > text.size()) return broken;
  for (unsigned i = 1; i < length; ++i) {
    const unsigned next = byte_at(text, at + i);
    if ((next & 0xC0U) != 0x80) return broken;
    code = (code << 6U) | (next & 0x3FU);
  }
  if (code < least || code > 0x10FFFF || in(code, 0xD800, 0xDFFF)) return broken;
  return {code, length, true};
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto push = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xC0U | (code >> 6U));
    push(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    push(0xE0U | (code >> 12U));
    push(0x80U | ((code >> 6U) & 0x3FU));
    push(0x80U | (code & 0x3FU));
  } else {
    push(0xF0U | (code >> 18U));
    push(0x80U | ((code >> 12U) & 0x3FU));
    push(0x80U | ((code >> 6U) & 0x3FU));
    push(0x80U | (code & 0x3FU));
  }
}

bool is_invisible(std::uint32_t code) {
  return code < 0x20 || in(code, 0x7F, 0x9F) || code == 0xAD || code == 0x34F || code == 0x61C ||
         in(code, 0x115F, 0x1160) || in(code, 0x17B4, 0x17B5) || in(code, 0x180B, 0x180F) ||
         in(code, 0x200B, 0x200F) || in(code, 0x2028, 0x202E) || in(code, 0x2060, 0x206F) ||
         code == 0x3164 || in(code, 0xFE00, 0xFE0F) || code == 0xFEFF || code == 0xFFA0 ||
         in(code, 0xFFF0, 0xFFFB) || in(code, 0xE0000, 0xE0FFF) || (code & 0xFFFEU) == 0xFFFE;
}

std::size_t plain_run(std::string_view text, std::size_t at) {
  static constexpr auto kPlain = [] {
    std::array<bool, 256> table{};
    for (std::size_t c = 0x20; c < 0x7F; ++c) {
      table[c] = c != '"' && c != '&' && c != '\'' && c != '<' && c != '>' && c != '\\';
    }
    return table;
  }();
  std::size_t end = at;
  while (end < text.size() && kPlain[byte_at(text, end)]) ++end;
  return end - at;
}

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t plain = plain_run(text, at); plain != 0) {
      out.append(text.substr(at, plain));
      at += plain;
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    if (!point.valid) {
      out += "\\x";
      out += kHex[point.code >> 4U];
      out += kHex[point.code & 0xFU];
    } else if (is_invisible(point.code)) {
      std::array<char, 8> digits{};
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), point.code, 16);
      out += "\\u{";
      out.append(digits.data(), end.ptr);
      out += '}';
    } else {
      out.append(text.substr(at, point.length));
    }
    at += point.length;
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t at = 0;
  while (at < text.size()) {
    const unsigned length = decode_utf8(text, at).length;
    if (at + length > limit) break;
    at += length;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  const std::size_t start = number < 0 ? 1 : 0;
  std::string out = digits.substr(0, start);
  for (std::size_t i = start; i < digits.size(); ++i) {
    if (i != start && (digits.size() - i) % 3 == 0) out += "\u202f";
    out += digits[i];
  }
  return out;
}

std::optional<std::uint64_t> parse_decimal(std::string_view text) {
  std::uint64_t value = 0;
  if (text.empty() || text.front() == '+' || text.front() == '-') return std::nullopt;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string human_bytes(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB",
                                                             "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  std::size_t unit = 0;
  std::uint64_t scale = 1024;
  while (unit + 1 < kUnits.size() && bytes / scale >= 1024) {
    scale *= 1024;
    ++unit;
  }
  // Rounded to the nearest tenth; what is whole stays exact.
  std::uint64_t whole = bytes / scale;
  std::uint64_t tenth = (bytes % scale * 10 + scale / 2) / scale;
  if (tenth == 10) ++whole, tenth = 0;
  if (whole == 1024 && unit + 1 < kUnits.size()) ++unit, whole = 1;
  return with_tenth(whole, tenth, kUnits[unit]);
}

std::string human_duration(std::int64_t milliseconds) {
  if (milliseconds < 0) return "-" + human_duration(-milliseconds);
  const auto ms = static_cast<std::uint64_t>(milliseconds);
  if (ms < 1000) return std::to_string(ms) + " ms";
  // Each is rounded to the nearest last digit that is printed; limits are whole, so they stay
  // exact.
  if (const std::uint64_t tenths = (ms + 50) / 100; tenths < 600)
    return with_tenth(tenths / 10, tenths % 10, "s");
  std::uint64_t seconds = (ms + 500) / 1000;
  if (seconds < 60) return std::to_string(seconds) + " s";
  if (seconds >= 3600) seconds = (seconds + 30) / 60 * 60;
  std::string out;
  if (seconds >= 3600) out += std::to_string(seconds / 3600) + " h ";
  out += std::to_string(seconds % 3600 / 60) + " min";
  if (seconds < 3600 && seconds % 60 != 0) out += " " + std::to_string(seconds % 60) + " s";
  return out;
}

}  // namespace ethos::reports
