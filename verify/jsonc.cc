// SPDX-License-Identifier: Apache-2.0
#include "verify/jsonc.h"

#include <optional>
#include <string>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxBytes = 262144;
constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxMembers = 1024;
constexpr std::size_t kMaxDigits = 15;

class JsoncReader {
 public:
  explicit JsoncReader(std::string_view text) : text_(text) {}

  Result<Value> read() {
    Value value;
    if (skip() && any(value, 0) && skip() && (at_ == text_.size() || fail("something follows the value"))) {
      return value;
    }
    return malformed(fault_, static_cast<std::ptrdiff_t>(at_));
  }

 private:
  bool fail(const char* why) {
    if (fault_ == nullptr) fault_ = why;
    return false;
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return fail("another character is required here");
    ++at_;
    return true;
  }

  // White space and comments.
  bool skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        const auto end = text_.find_first_of("\r\n", at_);
        at_ = end == std::string_view::npos ? text_.size() : end;
      } else if (text_.substr(at_, 2) == "/*") {
        const auto end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return fail("a comment does not end");
        at_ = end + 2;
      } else {
        return true;
      }
    }
    return true;
  }

  bool any(Value& out, std::size_t depth) {
    const char c = peek();
    if (c == '{') return object(out, depth + 1);
    if (c == '[') return array(out, depth + 1);
    if (c == '"') {
      std::string text;
      if (!string(text)) return false;
      out = Value::of(std::move(text));
      return true;
    }
    if (c == '-' || (c >= '0' && c <= '9')) return number(out);
    return word(out);
  }

  bool word(Value& out) {
    for (const std::string_view name : {"true", "false", "null"}) {
      if (text_.substr(at_, name.size()) != name) continue;
      at_ += name.size();
      out = name == "null" ? Value() : Value::of(name == "true");
      return true;
    }
    return fail("a value is required here");
  }

  bool number(Value& out) {
    const bool negative = peek() == '-';
    if (negative) ++at_;
    const std::size_t start = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    const auto digits = parse_decimal(text_.substr(start, at_ - start));
    if (at_ - start > kMaxDigits || !digits || (negative && *digits == 0)) {
      return fail("not an integer of at most 15 digits without leading zero");
    }
    if (peek() == '.' || peek() == 'e' || peek() == 'E') return fail("a number has a fraction or an exponent");
    const auto value = static_cast<std::int64_t>(*digits);
    out = Value::of(negative ? -value : value);
    return true;
  }

  bool object(Value& out, std::size_t depth) {
    if (depth > kMaxDepth) return fail("nested too deeply");
    out = Value::object();
    if (!take('{') || !skip()) return false;
    if (peek() == '}') return take('}');
    while (true) {
      std::string name;
      if (peek() != '"') return fail("a key is required here");
      if (!string(name) || !skip() || !take(':') || !skip()) return false;
      if (out.has(name)) return fail("a key stands twice");
      if (out.size() == kMaxMembers) return fail("more than 1,024 members");
      Value member;
      if (!any(member, depth) || !skip()) return false;
      out.set(name, std::move(member));
      if (peek() != ',') return take('}');
      if (!take(',') || !skip()) return false;
    }
  }

  bool array(Value& out, std::size_t depth) {
    if (depth > kMaxDepth) return fail("nested too deeply");
    out = Value::array();
    if (!take('[') || !skip()) return false;
    if (peek() == ']') return take(']');
    while (true) {
      Value item;
      if (!any(item, depth) || !skip()) return false;
      out.push(std::move(item));
      if (peek() != ',') return take(']');
      if (!take(',') || !skip()) return false;
    }
  }

  bool string(std::string& out) {
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

  bool escape(std::string& out) {
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

  std::optional<unsigned> hex4() {
    if (text_.size() - at_ < 4) return std::nullopt;
    unsigned value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const char c = text_[at_ + i];
      const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                             : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                             : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A') + 10
                                                    : 16;
      if (digit == 16) return std::nullopt;
      value = value * 16 + digit;
    }
    at_ += 4;
    return value;
  }

  bool unicode(std::string& out) {
    auto code = hex4();
    if (!code) return fail("an escape without four hex digits");
    if (*code >= 0xd800 && *code <= 0xdbff && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const auto low = hex4();
      if (!low || *low < 0xdc00 || *low > 0xdfff) return fail("a lone surrogate");
      code = 0x10000 + ((*code - 0xd800) << 10U) + (*low - 0xdc00);
    }
    if (*code == 0) return fail("U+0000 is not allowed");
    if (*code >= 0xd800 && *code <= 0xdfff) return fail("a lone surrogate");
    const auto put = [&](unsigned bits) { out.push_back(static_cast<char>(bits)); };
    if (*code < 0x80) {
      put(*code);
    } else if (*code < 0x800) {
      put(0xc0U | (*code >> 6U));
      put(0x80U | (*code & 0x3fU));
    } else if (*code < 0x10000) {
      put(0xe0U | (*code >> 12U));
      put(0x80U | ((*code >> 6U) & 0x3fU));
      put(0x80U | (*code & 0x3fU));
    } else {
      put(0xf0U | (*code >> 18U));
      put(0x80U | ((*code >> 12U) & 0x3fU));
      put(0x80U | ((*code >> 6U) & 0x3fU));
      put(0x80U | (*code & 0x3fU));
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  const char* fault_ = nullptr;
};

}  // namespace

Result<Value> parse_jsonc(std::string_view text) {
  if (text.size() > kMaxBytes) return Error{Errc::too_long, "longer than 262,144 bytes"};
  if (text.starts_with("\xef\xbb\xbf")) return malformed("begins with a byte order mark", 0);
  const auto nul = text.find('\0');
  if (nul != std::string_view::npos) return malformed("holds a NUL byte", static_cast<std::ptrdiff_t>(nul));
  if (!is_utf8(text)) return malformed("is not valid UTF-8");
  return JsoncReader(text).read();
}

}  // namespace ethos::verify
