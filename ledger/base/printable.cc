// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/printable.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ethos::base {
namespace {

struct Range {
  char32_t from;
  char32_t to;
};

// Unicode: Cc, Cf and Default_Ignorable_Code_Point, line and paragraph separator.
constexpr std::array<Range, 18> kUnseen{{{0x00, 0x1F},
                                         {0x7F, 0x9F},
                                         {0xAD, 0xAD},
                                         {0x34F, 0x34F},
                                         {0x61C, 0x61C},
                                         {0x115F, 0x1160},
                                         {0x17B4, 0x17B5},
                                         {0x180B, 0x180F},
                                         {0x200B, 0x200F},
                                         {0x2028, 0x202E},
                                         {0x2060, 0x206F},
                                         {0x3164, 0x3164},
                                         {0xFE00, 0xFE0F},
                                         {0xFEFF, 0xFEFF},
                                         {0xFFA0, 0xFFA0},
                                         {0xFFF0, 0xFFFB},
                                         {0xFFFE, 0xFFFF},
                                         {0xE0000, 0xE0FFF}}};

struct Point {
  char32_t value = 0;
  std::size_t length = 0;  // 0: no UTF-8 begins here
};

// Shortest form only, no surrogates, nothing beyond U+10FFFF (RFC 3629).
Point point_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  char32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, length};
}

std::string hex_of(unsigned value, std::size_t least) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (; value > 0 || out.size() < least; value >>= 4U)
    out.insert(out.begin(), kDigits[value & 15U]);
  return out;
}

}  // namespace

bool is_unseen(char32_t point) {
  return std::any_of(kUnseen.begin(), kUnseen.end(), [point](const Range& range) {
    return point >= range.from && point <= range.to;
  });
}

std::string printable(std::string_view text, Ascii ascii) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Point point = point_at(text);
    const std::size_t length = std::max<std::size_t>(point.length, 1);
    const bool is_byte = point.length == 0 || (ascii == Ascii::as_byte && point.value < 0x80);
    if (point.length != 0 && !is_unseen(point.value)) {
      out += text.substr(0, length);
    } else if (is_byte) {
      (out += "\\x") += hex_of(static_cast<unsigned char>(text[0]), 2);
    } else {
      ((out += "\\u{") += hex_of(static_cast<unsigned>(point.value), 4)) += '}';
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string blanked(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Point point = point_at(text);
    const std::size_t length = std::max<std::size_t>(point.length, 1);
    if (point.length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (is_unseen(point.value)) {
      out += ' ';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

PlainOutput::PlainOutput(std::ostream& to) : std::ostream(nullptr), buffer_(to) { rdbuf(&buffer_); }

void PlainOutput::Buffer::put_line_part(std::string_view part) {
  constexpr std::size_t kMaxLine = 8192;
  if (line_ > kMaxLine) return;
  std::string text = printable(part.substr(0, kMaxLine + 1), Ascii::as_byte);
  line_ += text.size();
  if (line_ > kMaxLine) {
    text.resize(text.size() - std::min(text.size(), line_ - kMaxLine));
    // No character is cut in two.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80U) != 0) text.pop_back();
    text += "...";
  }
  *to_ << text;
}

void PlainOutput::Buffer::put(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    put_line_part(text.substr(0, end));
    if (end < text.size()) {
      *to_ << '\n';
      line_ = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void PlainOutput::Buffer::put_pending() {
  if (!pending_.empty()) put(std::exchange(pending_, {}));
}

std::streambuf::int_type PlainOutput::Buffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  pending_ += byte;
  // What is not ASCII waits for the rest of its character.
  if ((static_cast<unsigned char>(byte) & 0x80U) == 0) put_pending();
  return c;
}

std::streamsize PlainOutput::Buffer::xsputn(const char* text, std::streamsize size) {
  put_pending();
  put({text, static_cast<std::size_t>(size)});
  return size;
}

int PlainOutput::Buffer::sync() {
  put_pending();
  to_->flush();
  return to_->good() ? 0 : -1;
}

}  // namespace ethos::base
