// SPDX-License-Identifier: Apache-2.0
#include "sarif/json/utf8.h"

#include <cassert>

namespace ethos::sarif {
namespace {

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

bool is_continuation(unsigned byte) { return (byte & 0xC0U) == 0x80U; }

// What a lead byte asks for: sequence length and the range of the second byte.
struct Lead {
  std::size_t length;
  unsigned low;
  unsigned high;
};

Lead classify(unsigned byte) {
  if (byte < 0x80U) return {1, 0, 0};
  if (byte < 0xC2U) return {0, 0, 0};
  if (byte < 0xE0U) return {2, 0x80U, 0xBFU};
  if (byte == 0xE0U) return {3, 0xA0U, 0xBFU};
  if (byte == 0xEDU) return {3, 0x80U, 0x9FU};
  if (byte < 0xF0U) return {3, 0x80U, 0xBFU};
  if (byte == 0xF0U) return {4, 0x90U, 0xBFU};
  if (byte < 0xF4U) return {4, 0x80U, 0xBFU};
  if (byte == 0xF4U) return {4, 0x80U, 0x8FU};
  return {0, 0, 0};
}

// Bytes of `text` that form the longest prefix of a well-formed sequence; at least 1.
std::size_t maximal_ill_formed_part(std::string_view text) {
  const Lead lead = classify(byte_at(text, 0));
  if (lead.length < 2 || text.size() < 2) return 1;
  const unsigned second = byte_at(text, 1);
  if (second < lead.low || second > lead.high) return 1;
  std::size_t length = 2;
  while (length < lead.length && length < text.size() && is_continuation(byte_at(text, length))) {
    ++length;
  }
  return length;
}

}  // namespace

std::size_t utf8_sequence_length(std::string_view text) {
  if (text.empty()) return 0;
  const Lead lead = classify(byte_at(text, 0));
  if (lead.length < 2) return lead.length;
  if (text.size() < lead.length) return 0;
  const unsigned second = byte_at(text, 1);
  if (second < lead.low || second > lead.high) return 0;
  for (std::size_t i = 2; i < lead.length; ++i) {
    if (!is_continuation(byte_at(text, i))) return 0;
  }
  return lead.length;
}

char32_t decode_utf8(std::string_view text, std::size_t length) {
  assert(length >= 1 && length <= 4 && text.size() >= length);
  const unsigned first = byte_at(text, 0);
  if (length == 1) return static_cast<char32_t>(first);
  char32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) value = (value << 6U) | (byte_at(text, i) & 0x3FU);
  return value;
}

void append_utf8(std::string& out, char32_t code_point) {
  assert(code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF));
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
    put(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000) {
    put(0xE0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  } else {
    put(0xF0U | (code_point >> 18U));
    put(0x80U | ((code_point >> 12U) & 0x3FU));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  }
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = utf8_sequence_length(text);
    if (length != 0) {
      out.append(text.substr(0, length));
    } else {
      length = maximal_ill_formed_part(text);
      out.append("\xEF\xBF\xBD");
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace ethos::sarif
