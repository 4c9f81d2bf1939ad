// SPDX-License-Identifier: Apache-2.0
#include "sandbox/jsonc.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ethos::sandbox {
namespace {

using base::Errc;

// Length of the valid UTF-8 sequence at `at`, 0 when there is none (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view s, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U;
  };
  const auto is_tail = [&](std::size_t i, unsigned lo = 0x80, unsigned hi = 0xBF) {
    return byte(i) >= lo && byte(i) <= hi;
  };
  const unsigned c = byte(at);
  if (c < 0x80) return 1;
  if (c >= 0xC2 && c <= 0xDF) return is_tail(at + 1) ? 2 : 0;
  if (c >= 0xE0 && c <= 0xEF) {
    const unsigned lo = c == 0xE0 ? 0xA0 : 0x80;
    const unsigned hi = c == 0xED ? 0x9F : 0xBF;
    return is_tail(at + 1, lo, hi) && is_tail(at + 2) ? 3 : 0;
  }
  if (c >= 0xF0 && c <= 0xF4) {
    const unsigned lo = c == 0xF0 ? 0x90 : 0x80;
    const unsigned hi = c == 0xF4 ? 0x8F : 0xBF;
    return is_tail(at + 1, lo, hi) && is_tail(at + 2) && is_tail(at + 3) ? 4 : 0;
  }
  return 0;
}

void append_utf8(std::string& out, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | (point >> 6));
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | (point >> 12));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | (point >> 18));
    put(0x80 | ((point >> 12) & 0x3F));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

class Parser {
 public:
  Parser(std::string_view text, const JsoncLimits& limits) : text_(text), limits_(limits) {}

  base::Result<JsonNode> parse() {
    if (text_.size() > limits_.max_bytes)
      return base::fail(Errc::too_large,
                        "more than " + std::to_string(limits_.max_bytes) + " bytes");
    JsonNode root;
    if (!check_bytes() || !skip_space() || !value(root, 1) || !skip_space()) return refusal();
    if (at_ < text_.size()) {
      complain("something follows the end of the document");
      return refusal();
    }
    return root;
  }

 private:
  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return done() ? '\0' : text_[at_]; }

  bool complain(std::string_view what) {
    if (!problem_.empty()) return false;
    problem_ = "line " + std::to_string(line_) + ", column " +
               std::to_string(at_ - line_start_ + 1) + ": " + std::string(what);
    return false;
  }
  [[nodiscard]] base::Unexpected refusal() const { return base::fail(Errc::malformed, problem_); }

  bool check_bytes() {
    if (text_.starts_with("\xEF\xBB\xBF")) return complain("a byte order mark");
    std::size_t i = 0;
    while (i < text_.size()) {
      const std::size_t n = utf8_length(text_, i);
      if (n == 0 || text_[i] == '\0') {
        at_ = i;
        return complain(n == 0 ? "not UTF-8" : "a NUL byte");
      }
      note_line(i);
      i += n;
    }
    line_ = 1;
    line_start_ = 0;
    return true;
  }

  void note_line(std::size_t i) {
    if (text_[i] != '\n') return;
    ++line_;
    line_start_ = i + 1;
  }

  bool skip_space() {
    while (!done()) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        note_line(at_);
        ++at_;
      } else if (c == '/') {
        if (!skip_comment()) return false;
      } else {
        break;
      }
    }
    return true;
  }

  bool skip_comment() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//")) {
      while (!done() && peek() != '\n' && peek() != '\r') ++at_;
      return true;
    }
    if (!rest.starts_with("/*")) return complain("a lone '/'");
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) return complain("a comment without an end");
    for (; at_ < end + 2; ++at_) note_line(at_);
    return true;
  }

  bool value(JsonNode& node, std::size_t depth) {
    node.line = line_;
    node.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
    if (depth > limits_.max_depth) return complain("nested too deeply");
    switch (peek()) {
      case '{':
        return object(node, depth);
      case '[':
        return array(node, depth);
      case '"':
        node.kind = JsonNode::Kind::string;
        return string(node.text);
      case 't':
        node.flag = true;
        return word("true", node, JsonNode::Kind::boolean);
      case 'f':
        return word("false", node, JsonNode::Kind::boolean);
      case 'n':
        return word("null", node, JsonNode::Kind::null);
      default:
        return number(node);
    }
  }

  bool word(std::string_view expected, JsonNode& node, JsonNode::Kind kind) {
    if (!text_.substr(at_).starts_with(expected)) return complain("a value was expected");
    at_ += expected.size();
    node.kind = kind;
    return true;
  }

  bool number(JsonNode& node) {
    constexpr std::size_t kMaxDigits = 15;
    const std::size_t start = at_;
    const bool is_negative = peek() == '-';
    if (is_negative) ++at_;
    const std::size_t first = at_;
    while (!done() && peek() >= '0' && peek() <= '9') ++at_;
    const std::size_t digits = at_ - first;
    if (digits == 0) return complain("a value was expected");
    if (digits > 1 && text_[first] == '0') return complain("a number with a leading zero");
    if (digits > kMaxDigits) return complain("a number of more than 15 digits");
    const char next = peek();
    if (next == '.' || next == 'e' || next == 'E') return complain("a number that is no integer");
    for (std::size_t i = first; i < at_; ++i) node.number = node.number * 10 + (text_[i] - '0');
    if (is_negative && node.number == 0) return complain("minus zero");
    if (is_negative) node.number = -node.number;
    node.kind = JsonNode::Kind::integer;
    node.text = text_.substr(start, at_ - start);
    return true;
  }

  std::optional<std::uint32_t> hex4() {
    std::uint32_t unit = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = peek();
      std::uint32_t digit = 0;
      if (c >= '0' && c <= '9')
        digit = static_cast<std::uint32_t>(c - '0');
      else if (c >= 'a' && c <= 'f')
        digit = static_cast<std::uint32_t>(c - 'a' + 10);
      else if (c >= 'A' && c <= 'F')
        digit = static_cast<std::uint32_t>(c - 'A' + 10);
      else
        return std::nullopt;
      unit = unit * 16 + digit;
      ++at_;
    }
    return unit;
  }

  bool unicode_escape(std::string& out) {
    const auto first = hex4();
    if (!first) return complain("a \\u escape without four hex digits");
    std::uint32_t point = *first;
    if (point >= 0xDC00 && point <= 0xDFFF) return complain("a lone surrogate");
    if (point >= 0xD800 && point <= 0xDBFF) {
      if (!text_.substr(at_).starts_with("\\u")) return complain("a lone surrogate");
      at_ += 2;
      const auto second = hex4();
      if (!second || *second < 0xDC00 || *second > 0xDFFF) return complain("a lone surrogate");
      point = 0x10000 + ((point - 0xD800) << 10) + (*second - 0xDC00);
    }
    if (point == 0) return complain("U+0000 in a string");
    append_utf8(out, point);
    return true;
  }

  bool escape(std::string& out) {
    constexpr std::string_view kFrom = "\"\\/bfnrt";
    constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    const char c = peek();
    ++at_;
    if (c == 'u') return unicode_escape(out);
    const std::size_t i = kFrom.find(c);
    if (c == '\0' || i == std::string_view::npos) {
      --at_;
      return complain("an unknown escape");
    }
    out += kTo[i];
    return true;
  }

  bool string(std::string& out) {
    ++at_;  // the opening quote
    while (true) {
      if (done()) return complain("a string without an end");
      const char c = peek();
      if (static_cast<unsigned char>(c) < 0x20) return complain("a control character in a string");
      ++at_;
      if (c == '"') return true;
      if (c != '\\')
        out += c;
      else if (!escape(out))
        return false;
    }
  }

  bool array(JsonNode& node, std::size_t depth) {
    node.kind = JsonNode::Kind::array;
    ++at_;
    if (!skip_space()) return false;
    if (peek() == ']') {
      ++at_;
      return true;
    }
    while (true) {
      if (!value(node.items.emplace_back(), depth + 1) || !skip_space()) return false;
      const char c = peek();
      if (c != ',' && c != ']') return complain("',' or ']' was expected");
      ++at_;
      if (c == ']') return true;
      if (!skip_space()) return false;
      if (peek() == ']') return complain("a trailing comma");
    }
  }

  bool member(JsonNode& node, std::size_t depth) {
    if (peek() != '"') return complain("a key was expected");
    const std::size_t key_at = at_;
    std::string key;
    if (!string(key)) return false;
    if (std::find(node.keys.begin(), node.keys.end(), key) != node.keys.end()) {
      at_ = key_at;
      return complain("the key \"" + key + "\" stands here twice");
    }
    if (!skip_space()) return false;
    if (peek() != ':') return complain("':' was expected");
    ++at_;
    if (!skip_space()) return false;
    node.keys.push_back(std::move(key));
    return value(node.items.emplace_back(), depth + 1) && skip_space();
  }

  bool object(JsonNode& node, std::size_t depth) {
    constexpr std::size_t kMaxMembers = 1024;  // keeps the search for duplicates short
    node.kind = JsonNode::Kind::object;
    ++at_;
    if (!skip_space()) return false;
    if (peek() == '}') {
      ++at_;
      return true;
    }
    while (true) {
      if (node.keys.size() >= kMaxMembers) return complain("more than 1024 members in one object");
      if (!member(node, depth)) return false;
      const char c = peek();
      if (c != ',' && c != '}') return complain("',' or '}' was expected");
      ++at_;
      if (c == '}') return true;
      if (!skip_space()) return false;
      if (peek() == '}') return complain("a trailing comma");
    }
  }

  std::string_view text_;
  JsoncLimits limits_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
  std::string problem_;
};

}  // namespace

const JsonNode* JsonNode::find(std::string_view key) const {
  if (kind != Kind::object) return nullptr;
  const auto it = std::find(keys.begin(), keys.end(), key);
  return it == keys.end() ? nullptr : &items[static_cast<std::size_t>(it - keys.begin())];
}

base::Result<JsonNode> parse_jsonc(std::string_view text, const JsoncLimits& limits) {
  return Parser(text, limits).parse();
}

bool is_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    if (static_cast<unsigned char>(bytes[i]) < 0x80) {
      ++i;
      continue;
    }
    const std::size_t n = utf8_length(bytes, i);
    if (n == 0) return false;
    i += n;
  }
  return true;
}

base::Unexpected refuse_at(const JsonNode& node, std::string_view text) {
  return base::fail(Errc::malformed, "line " + std::to_string(node.line) + ", column " +
                                         std::to_string(node.column) + ": " + std::string(text));
}

}  // namespace ethos::sandbox
