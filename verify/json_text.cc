// SPDX-License-Identifier: Apache-2.0
#include "verify/json_text.h"

#include <set>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxDigits = 15;

bool digit(char c) { return c >= '0' && c <= '9'; }

void put_utf8(unsigned code, std::string& out) {
  const auto put = [&](unsigned bits) { out.push_back(static_cast<char>(bits)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0U | (code >> 6U));
    put(0x80U | (code & 0x3fU));
  } else if (code < 0x10000) {
    put(0xe0U | (code >> 12U));
    put(0x80U | ((code >> 6U) & 0x3fU));
    put(0x80U | (code & 0x3fU));
  } else {
    put(0xf0U | (code >> 18U));
    put(0x80U | ((code >> 12U) & 0x3fU));
    put(0x80U | ((code >> 6U) & 0x3fU));
    put(0x80U | (code & 0x3fU));
  }
}

}  // namespace

bool JsonTextReader::fail(const char* why) {
  if (fault_ == nullptr) fault_ = why;
  return false;
}

Error JsonTextReader::error() const {
  return {too_long_ ? Errc::too_long : Errc::malformed, fault_ == nullptr ? "malformed" : fault_,
          static_cast<std::ptrdiff_t>(at_)};
}

bool JsonTextReader::begin() {
  too_long_ = text_.size() > options_.bytes;
  if (too_long_) return fail("longer than allowed");
  if (text_.starts_with("\xef\xbb\xbf")) return fail("begins with a byte order mark");
  if (text_.find('\0') != std::string_view::npos) return fail("holds a NUL byte");
  if (!is_utf8(text_)) return fail("is not valid UTF-8");
  return skip_space();
}

bool JsonTextReader::end() { return skip_space() && (at_ == text_.size() || fail("something follows the value")); }

bool JsonTextReader::take(char c) {
  if (at_ == text_.size() || text_[at_] != c) return fail("another character is required here");
  ++at_;
  return true;
}

bool JsonTextReader::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (options_.comments && text_.substr(at_, 2) == "//") {
      const auto end = text_.find_first_of("\r\n", at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    } else if (options_.comments && text_.substr(at_, 2) == "/*") {
      const auto end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) return fail("a comment does not end");
      at_ = end + 2;
    } else {
      return true;
    }
  }
  return true;
}

bool JsonTextReader::value(Value& out, std::size_t depth) {
  if (++held_ > options_.values) return fail("more values than are kept of it");
  const char c = peek();
  if (c == '{') {
    out = Value::object();
    return walk_object(depth, [&](const std::string& key) {
      Value member;
      if (!value(member, depth + 1)) return false;
      out.append(key, std::move(member));
      return true;
    });
  }
  if (c == '[') {
    out = Value::array();
    return walk_array(depth, [&] {
      Value item;
      if (!value(item, depth + 1)) return false;
      out.push(std::move(item));
      return true;
    });
  }
  if (c == '"') {
    std::string text;
    if (!string(text)) return false;
    out = Value::of(std::move(text));
    return true;
  }
  if (c == '-' || digit(c)) return number(out);
  return word(out);
}

bool JsonTextReader::skip_value(std::size_t depth) {
  const char c = peek();
  if (c == '{') return walk_object(depth, [&](const std::string&) { return skip_value(depth + 1); });
  if (c == '[') return walk_array(depth, [&] { return skip_value(depth + 1); });
  Value ignored;
  const std::size_t before = held_;
  const bool good = value(ignored, depth);
  release(before);
  return good;
}

bool JsonTextReader::walk_object(std::size_t depth, const std::function<bool(const std::string& key)>& member) {
  if (depth >= options_.depth) return fail("nested too deeply");
  std::set<std::string> seen;
  if (!take('{') || !skip_space()) return false;
  if (peek() == '}') return take('}');
  while (true) {
    std::string name;
    if (peek() != '"') return fail("a key is required here");
    if (!string(name) || !skip_space() || !take(':') || !skip_space()) return false;
    if (seen.size() == options_.members) return fail("too many members");
    if (!seen.insert(name).second) return fail("a key stands twice");
    if (!member(name) || !skip_space()) return false;
    if (peek() != ',') return take('}');
    if (!take(',') || !skip_space()) return false;
  }
}

bool JsonTextReader::walk_array(std::size_t depth, const std::function<bool()>& element) {
  if (depth >= options_.depth) return fail("nested too deeply");
  if (!take('[') || !skip_space()) return false;
  if (peek() == ']') return take(']');
  while (true) {
    if (!element() || !skip_space()) return false;
    if (peek() != ',') return take(']');
    if (!take(',') || !skip_space()) return false;
  }
}

bool JsonTextReader::word(Value& out) {
  for (const std::string_view name : {"true", "false", "null"}) {
    if (text_.substr(at_, name.size()) != name) continue;
    at_ += name.size();
    out = name == "null" ? Value() : Value::of(name == "true");
    return true;
  }
  return fail("a value is required here");
}

bool JsonTextReader::number(Value& out) {
  const std::size_t start = at_;
  const bool negative = peek() == '-';
  if (negative) ++at_;
  const std::size_t first = at_;
  while (digit(peek())) ++at_;
  const std::string_view digits = text_.substr(first, at_ - first);
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return fail("a number with a leading zero or no digit");
  bool integer = digits.size() <= kMaxDigits && !(negative && digits == "0");
  if (options_.decimals) {
    if (peek() == '.') {
      ++at_;
      integer = false;
      if (!digit(peek())) return fail("a fraction without digits");
      while (digit(peek())) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      integer = false;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digit(peek())) return fail("an exponent without digits");
      while (digit(peek())) ++at_;
    }
  } else if (peek() == '.' || peek() == 'e' || peek() == 'E') {
    return fail("a number has a fraction or an exponent");
  }
  if (integer) {
    const auto magnitude = static_cast<std::int64_t>(*parse_decimal(digits));
    out = Value::of(negative ? -magnitude : magnitude);
    return true;
  }
  if (!options_.decimals) return fail("not an integer of at most 15 digits, or -0");
  // Up to 2^53-1 a number written as an integer is one (16 digits can be too many).
  const auto magnitude = parse_decimal(text_.substr(first, at_ - first), 9007199254740991);
  if (magnitude && !(negative && *magnitude == 0)) {
    out = Value::of(negative ? -static_cast<std::int64_t>(*magnitude) : static_cast<std::int64_t>(*magnitude));
  } else {
    out = Value::decimal(std::string(text_.substr(start, at_ - start)));
  }
  return true;
}

bool JsonTextReader::string(std::string& out) {
  ++at_;  // the quote
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x20) return fail("a control character stands unescaped in a string");
    ++at_;
    if (c != '\\') {
      out.push_back(c);
    } else if (!escape(out)) {
      return false;
    }
  }
  return fail("the text ends inside a string");
}

bool JsonTextReader::escape(std::string& out) {
  const char c = peek();
  ++at_;
  switch (c) {
    case '"': case '\\': case '/': out.push_back(c); return true;
    case 'b': out.push_back('\b'); return true;
    case 'f': out.push_back('\f'); return true;
    case 'n': out.push_back('\n'); return true;
    case 'r': out.push_back('\r'); return true;
    case 't': out.push_back('\t'); return true;
    case 'u': return unicode(out);
    default: return fail("an unknown escape");
  }
}

std::optional<unsigned> JsonTextReader::hex4() {
  if (at_ > text_.size() || text_.size() - at_ < 4) return std::nullopt;
  unsigned value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const char c = text_[at_ + i];
    const unsigned d = digit(c)               ? static_cast<unsigned>(c - '0')
                       : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                       : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A') + 10
                                              : 16;
    if (d == 16) return std::nullopt;
    value = value * 16 + d;
  }
  at_ += 4;
  return value;
}

bool JsonTextReader::unicode(std::string& out) {
  auto code = hex4();
  if (!code) return fail("an escape without four hex digits");
  if (*code >= 0xd800 && *code <= 0xdbff && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    const auto low = hex4();
    if (!low || *low < 0xdc00 || *low > 0xdfff) return fail("a lone surrogate");
    code = 0x10000 + ((*code - 0xd800) << 10U) + (*low - 0xdc00);
  }
  if (*code == 0 && !options_.nul) return fail("U+0000 is not allowed");
  if (*code >= 0xd800 && *code <= 0xdfff) return fail("a lone surrogate");
  put_utf8(*code, out);
  return true;
}

}  // namespace ethos::verify
