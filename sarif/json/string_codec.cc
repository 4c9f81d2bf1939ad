// SPDX-License-Identifier: Apache-2.0
#include "sarif/json/string_codec.h"

#include <cassert>
#include <cstddef>
#include <optional>

#include "sarif/json/utf8.h"

namespace ethos::sarif {
namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10U;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10U;
  return std::nullopt;
}

// The value of the \uXXXX escape that starts at `at`.
std::optional<char32_t> unicode_escape(std::string_view raw, std::size_t at) {
  if (at + 6 > raw.size() || raw[at] != '\\' || raw[at + 1] != 'u') return std::nullopt;
  char32_t value = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    const auto digit = hex_digit(raw[i]);
    if (!digit) return std::nullopt;
    value = (value << 4U) | *digit;
  }
  return value;
}

bool is_high_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDBFF; }
bool is_low_surrogate(char32_t c) { return c >= 0xDC00 && c <= 0xDFFF; }

// A \u escape with its partner, when it has one.
struct Unit {
  char32_t value;
  std::size_t length;
  bool lone;
};

std::optional<Unit> read_unit(std::string_view raw, std::size_t at) {
  const auto first = unicode_escape(raw, at);
  if (!first) return std::nullopt;
  if (is_high_surrogate(*first)) {
    const auto second = unicode_escape(raw, at + 6);
    if (second && is_low_surrogate(*second)) {
      return Unit{0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00), 12, false};
    }
    return Unit{*first, 6, true};
  }
  return Unit{*first, 6, is_low_surrogate(*first)};
}

std::optional<char> simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return std::nullopt;
  }
}

void append_unit(std::string& out, const Unit& unit, LoneSurrogates policy) {
  if (!unit.lone) {
    append_utf8(out, unit.value);
    return;
  }
  assert(policy == LoneSurrogates::as_bytes);
  static_cast<void>(policy);
  if (unit.value >= 0xDC80 && unit.value <= 0xDCFF) {
    out.push_back(static_cast<char>(unit.value - 0xDC00));
  } else {
    append_utf8(out, 0xFFFD);
  }
}

}  // namespace

EscapeFault check_escapes(std::string_view raw, LoneSurrogates policy) {
  std::size_t at = raw.find('\\');
  while (at != std::string_view::npos) {
    if (at + 1 >= raw.size()) return EscapeFault::bad_escape;
    std::size_t length = 2;
    if (raw[at + 1] == 'u') {
      const auto unit = read_unit(raw, at);
      if (!unit) return EscapeFault::bad_escape;
      if (unit->lone && policy == LoneSurrogates::refuse) return EscapeFault::lone_surrogate;
      length = unit->length;
    } else if (!simple_escape(raw[at + 1])) {
      return EscapeFault::bad_escape;
    }
    at = raw.find('\\', at + length);
  }
  return EscapeFault::none;
}

void append_unescaped(std::string& out, std::string_view raw, LoneSurrogates policy) {
  std::size_t done = 0;
  std::size_t at = raw.find('\\');
  while (at != std::string_view::npos) {
    out.append(raw.substr(done, at - done));
    if (raw[at + 1] == 'u') {
      const auto unit = read_unit(raw, at);
      assert(unit);
      append_unit(out, *unit, policy);
      done = at + unit->length;
    } else {
      const auto plain = simple_escape(raw[at + 1]);
      assert(plain);
      out.push_back(*plain);
      done = at + 2;
    }
    at = raw.find('\\', done);
  }
  out.append(raw.substr(done));
}

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20U && byte != '"' && byte != '\\') continue;
    out.append(text.substr(done, i - done));
    done = i + 1;
    switch (text[i]) {
      case '"':
        out.append("\\\"");
        break;
      case '\\':
        out.append("\\\\");
        break;
      case '\b':
        out.append("\\b");
        break;
      case '\f':
        out.append("\\f");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\r':
        out.append("\\r");
        break;
      case '\t':
        out.append("\\t");
        break;
      default:
        out.append("\\u00");
        out.push_back(kHex[byte >> 4U]);
        out.push_back(kHex[byte & 0xFU]);
    }
  }
  out.append(text.substr(done));
}

}  // namespace ethos::sarif
