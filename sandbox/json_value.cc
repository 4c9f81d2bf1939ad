// SPDX-License-Identifier: Apache-2.0
#include "sandbox/json_value.h"

#include <array>
#include <cassert>
#include <cstring>
#include <iterator>
#include <utility>

#include "sandbox/jsonc.h"

namespace ethos::sandbox {
namespace {

void append_escaped(unsigned char byte, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (byte) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
  }
}

constexpr std::array<bool, 256> make_escaped() {
  std::array<bool, 256> escaped{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) escaped[byte] = true;
  escaped['"'] = escaped['\\'] = true;
  return escaped;
}
constexpr auto kEscaped = make_escaped();

// Eight ASCII characters of which none needs an escape. A byte of `x - 0x20...` borrows, and so has
// its highest bit set, when it was smaller; the same with 1 finds the zeros that a comparison left.
bool is_plain(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x80 * kOnes;
  std::uint64_t x = 0;
  std::memcpy(&x, eight, sizeof x);
  const std::uint64_t quotes = x ^ ('"' * kOnes);
  const std::uint64_t slashes = x ^ ('\\' * kOnes);
  return ((x | (x - 0x20 * kOnes) | (quotes - kOnes) | (slashes - kOnes)) & kHigh) == 0;
}

// Record rule R-4: the one escape of each character. Nearly all text has none, so whatever lies
// between two escapes goes over in one piece.
void encode_text(std::string_view text, std::string& out) {
  out += '"';
  std::size_t done = 0;
  unsigned all = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    while (text.size() - at >= 8 && is_plain(text.data() + at)) at += 8;
    if (at == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[at]);
    all |= byte;
    if (!kEscaped[byte]) continue;
    assert(byte != 0);
    out.append(text, done, at - done);
    append_escaped(byte, out);
    done = at + 1;
  }
  assert(all < 0x80 || is_utf8(text));
  out.append(text, done);
  out += '"';
}

}  // namespace

Json::Json() : value_(Object{}) {}
Json::Json(Object object) : value_(std::move(object)) {}
Json::Json(Array array) : value_(std::move(array)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(bool flag) : value_(flag) {}
Json::Json(std::int64_t number) : value_(number) {}
Json::Json(std::uint32_t number) : value_(std::int64_t{number}) {}
Json::Json(int number) : value_(std::int64_t{number}) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

std::string Json::encode() const {
  std::string out;
  encode_to(out);
  return out;
}

void Json::encode_to(std::string& out) const {
  constexpr std::int64_t kMaxInteger = (std::int64_t{1} << 53) - 1;
  if (const auto* members = std::get_if<Object>(&value_)) {
    out += '{';
    bool is_first = true;
    for (const auto& [key, item] : *members) {
      if (!is_first) out += ',';
      is_first = false;
      encode_text(key, out);
      out += ':';
      item.encode_to(out);
    }
    out += '}';
  } else if (const auto* items = std::get_if<Array>(&value_)) {
    out += '[';
    for (std::size_t i = 0; i < items->size(); ++i) {
      if (i > 0) out += ',';
      (*items)[i].encode_to(out);
    }
    out += ']';
  } else if (const auto* text = std::get_if<std::string>(&value_)) {
    encode_text(*text, out);
  } else if (const auto* flag = std::get_if<bool>(&value_)) {
    out += *flag ? "true" : "false";
  } else {
    const std::int64_t number = std::get<std::int64_t>(value_);
    assert(number >= -kMaxInteger && number <= kMaxInteger);
    out += std::to_string(number);
  }
}

Json& Json::operator[](std::string_view key) {
  auto* members = std::get_if<Object>(&value_);
  assert(members != nullptr);
  // Documents are mostly written in the order of their keys.
  const auto at = members->empty() || std::prev(members->end())->first < key
                      ? members->end()
                      : members->lower_bound(key);
  if (at != members->end() && at->first == key) return at->second;
  return members->emplace_hint(at, key, Json())->second;
}

void Json::push_back(Json item) {
  constexpr std::size_t kFirst = 8;
  auto* items = std::get_if<Array>(&value_);
  assert(items != nullptr);
  if (items->capacity() == 0) items->reserve(kFirst);
  items->push_back(std::move(item));
}

Json big(std::uint64_t value) { return std::to_string(value); }

}  // namespace ethos::sandbox
