// SPDX-License-Identifier: Apache-2.0
#include "verify/scanner.h"

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr std::int64_t kMaxInteger = 9007199254740991;  // 2^53 - 1

// Most neighbours differ in their first letter already.
bool ascends(std::string_view last, std::string_view next) {
  return last[0] != next[0] ? last[0] < next[0] : last < next;
}

}  // namespace

bool Scanner::fail(const char* why) {
  if (fault_ == nullptr) {
    fault_ = why;
    offset_ = position();
  }
  return false;
}

bool Scanner::literal_fault() {
  return fail(p_ < end_ ? "another character is required here" : "the text ends too early");
}

bool Scanner::at_end() { return p_ == end_ || fail("bytes after the end"); }

bool Scanner::escape() {
  // Exactly the escapes that RFC 8785 writes, in its form.
  ++p_;  // the backslash
  if (p_ == end_) return fail("the text ends too early");
  switch (*p_) {
    case '"': case '\\': case 'b': case 't': case 'n': case 'f': case 'r':
      ++p_;
      return true;
    case 'u': break;
    default: return fail("an escape that is not in the canonical form");
  }
  if (end_ - p_ < 5) return fail("the text ends too early");
  const std::string_view digits(p_ + 1, 4);
  if (!digits.starts_with("00") || (digits[2] != '0' && digits[2] != '1')) {
    return fail("an escape that is not in the canonical form");
  }
  const auto value = decode_hex(digits.substr(2));
  if (!value) return fail("an escape that is not in the canonical form");
  switch ((*value)[0]) {
    case '\0': return fail("U+0000 is not allowed");
    case '\b': case '\t': case '\n': case '\f': case '\r':
      return fail("an escape that is not in the canonical form");
    default: break;
  }
  p_ += 5;
  return true;
}

bool Scanner::string_body(bool& escaped) {
  escaped = false;
  while (true) {
    p_ = skip_plain(p_, end_);
    if (p_ == end_) return fail("the text ends inside a string");
    const auto c = static_cast<unsigned char>(*p_);
    if (c == '"') {
      ++p_;
      return true;
    }
    if (c == '\\') {
      escaped = true;
      if (!escape()) return false;
    } else if (c < 0x20) {
      return fail("a control character stands unescaped in a string");
    } else {
      const unsigned n = utf8_sequence(p_, end_);
      if (n == 0) return fail("a string is not valid UTF-8");
      p_ += n;
    }
  }
}

bool Scanner::string(std::string_view& raw, bool& escaped) {
  return literal('"') && rest_of_string(raw, escaped);
}

bool Scanner::rest_of_string(std::string_view& raw, bool& escaped) {
  const char* const start = p_;
  if (!string_body(escaped)) return false;
  raw = {start, static_cast<std::size_t>(p_ - start - 1)};
  return true;
}

bool Scanner::integer(std::int64_t& out) {
  const bool negative = peek() == '-';
  if (negative) ++p_;
  if (p_ == end_ || *p_ < '0' || *p_ > '9') return fail("a digit is required here");
  if (*p_ == '0') {
    ++p_;
    if (negative) return fail("-0 is not allowed");
    if (p_ < end_ && *p_ >= '0' && *p_ <= '9') return fail("a number with a leading zero");
    out = 0;
  } else {
    std::int64_t value = 0;
    while (p_ < end_ && *p_ >= '0' && *p_ <= '9') {
      value = value * 10 + (*p_ - '0');
      if (value > kMaxInteger) return fail("an integer outside +-(2^53-1)");
      ++p_;
    }
    out = negative ? -value : value;
  }
  if (p_ < end_ && (*p_ == '.' || *p_ == 'e' || *p_ == 'E')) return fail("only integers are allowed");
  return true;
}

bool Scanner::object(std::size_t depth) {
  if (depth > limits_.depth) return fail("nested too deeply");
  ++p_;
  if (peek() == '}') {
    ++p_;
    return true;
  }
  std::string_view last;
  for (std::size_t count = 1;; ++count) {
    if (count > limits_.members) return fail("too many members");
    std::string_view name;
    if (!key(name)) return false;
    if (count > 1 && !ascends(last, name)) return fail("keys are not strictly ascending");
    last = name;
    if (!literal(':') || !value(depth)) return false;
    if (peek() == ',') {
      ++p_;
      continue;
    }
    return literal('}');
  }
}

bool Scanner::array(std::size_t depth) {
  if (depth > limits_.depth) return fail("nested too deeply");
  ++p_;
  if (peek() == ']') {
    ++p_;
    return true;
  }
  for (std::size_t count = 1;; ++count) {
    if (count > limits_.members) return fail("too many elements");
    if (!value(depth)) return false;
    if (peek() == ',') {
      ++p_;
      continue;
    }
    return literal(']');
  }
}

bool Scanner::value(std::size_t depth) {
  switch (peek()) {
    case '{': return object(depth + 1);
    case '[': return array(depth + 1);
    case '"': {
      bool escaped = false;
      ++p_;
      return string_body(escaped);
    }
    case 't': case 'f': {
      const std::string_view word = *p_ == 't' ? "true" : "false";
      for (const char c : word) {
        if (!literal(c)) return false;
      }
      return true;
    }
    case 'n': return fail("null is not allowed");
    default: {
      std::int64_t ignored = 0;
      return integer(ignored);
    }
  }
}

bool Scanner::whole_value() {
  if (static_cast<std::size_t>(end_ - begin_) > limits_.bytes) return fail("longer than allowed");
  return value(0) && at_end();
}

std::string unescape(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out.push_back(raw[i]);
      continue;
    }
    switch (raw[++i]) {
      case 'b': out.push_back('\b'); break;
      case 't': out.push_back('\t'); break;
      case 'n': out.push_back('\n'); break;
      case 'f': out.push_back('\f'); break;
      case 'r': out.push_back('\r'); break;
      case 'u':
        out += *decode_hex(raw.substr(i + 3, 2));
        i += 4;
        break;
      default: out.push_back(raw[i]); break;
    }
  }
  return out;
}

}  // namespace ethos::verify
