// SPDX-License-Identifier: Apache-2.0
#include "reports/json_tape.h"

#include <bit>
#include <charconv>
#include <cstring>

#include "reports/text.h"

namespace ethos::reports {

namespace {

// Where the next byte of a string is that needs a look: its end, an escape, a control character or
// one of several bytes. Eight at a time, since most strings are digests of 44 characters.
std::size_t plain_until(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kTops = 0x8080808080808080;
  const auto zero_byte = [](std::uint64_t word) { return (word - kOnes) & ~word; };
  while (text.size() - at >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    const std::uint64_t found = (word | (word - kOnes * 0x20) | zero_byte(word ^ kOnes * '"') |
                                 zero_byte(word ^ kOnes * '\\')) &
                                kTops;
    // A borrow may mark bytes after a real one, never before.
    if (found != 0) {
      if constexpr (std::endian::native == std::endian::little)
        return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
      break;
    }
    at += sizeof word;
  }
  while (at < text.size()) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c == '"' || c == '\\' || c < 0x20 || c >= 0x80) break;
    ++at;
  }
  return at;
}

}  // namespace

// One pass over the bytes, filling the tape's nodes.
class JsonScanner {
 public:
  JsonScanner(JsonTape& tape, std::string_view text) : tape_(tape), text_(text) {}

  bool document() {
    skip_space();
    if (!value({}, 0)) return false;
    skip_space();
    return at_ == text_.size();
  }

 private:
  using Kind = JsonTape::Kind;

  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
      ++at_;
    }
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }

  bool value(std::string_view key, int depth) {
    if (depth >= JsonTape::kMaxDepth || at_ >= text_.size()) return false;
    const auto index = static_cast<std::uint32_t>(tape_.nodes_.size());
    tape_.nodes_.push_back({Kind::null, 0, 0, {}, key});
    const bool good = fill(index, depth);
    tape_.nodes_[index].next = static_cast<std::uint32_t>(tape_.nodes_.size());
    return good;
  }

  // `index`, not a reference: children make the vector move.
  bool fill(std::uint32_t index, int depth) {
    switch (text_[at_]) {
      case '{':
        tape_.nodes_[index].kind = Kind::object;
        return object(depth);
      case '[':
        tape_.nodes_[index].kind = Kind::array;
        return array(depth);
      case '"':
        tape_.nodes_[index].kind = Kind::text;
        return string(tape_.nodes_[index].text);
      case 't':
        return constant(index, "true", 1);
      case 'f':
        return constant(index, "false", 0);
      case 'n':
        return word("null");
      default:
        return number(tape_.nodes_[index]);
    }
  }

  bool constant(std::uint32_t index, std::string_view name, int number) {
    tape_.nodes_[index].kind = Kind::boolean;
    tape_.nodes_[index].number = number;
    return word(name);
  }

  bool object(int depth) {
    ++at_;
    skip_space();
    if (take('}')) return true;
    for (;;) {
      std::string_view key;
      skip_space();
      if (at_ >= text_.size() || text_[at_] != '"' || !string(key)) return false;
      skip_space();
      if (!take(':')) return false;
      skip_space();
      if (!value(key, depth + 1)) return false;
      skip_space();
      if (take('}')) return true;
      if (!take(',')) return false;
    }
  }

  bool array(int depth) {
    ++at_;
    skip_space();
    if (take(']')) return true;
    for (;;) {
      skip_space();
      if (!value({}, depth + 1)) return false;
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return false;
    }
  }

  std::size_t digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ - start;
  }

  bool number(JsonTape::Node& node) {
    const std::size_t start = at_;
    static_cast<void>(take('-'));
    const bool zero = at_ < text_.size() && text_[at_] == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) return false;
    bool is_integer = true;
    if (take('.')) {
      is_integer = false;
      if (digits() == 0) return false;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      is_integer = false;
      ++at_;
      if (!take('-')) static_cast<void>(take('+'));
      if (digits() == 0) return false;
    }
    const std::string_view spelled = text_.substr(start, at_ - start);
    node.kind = Kind::other;
    if (is_integer) {
      const auto end = std::from_chars(spelled.begin(), spelled.end(), node.number);
      if (end.ec == std::errc()) node.kind = Kind::integer;
    }
    return true;
  }

  // The fast way: a string without escapes is a view into the input.
  bool string(std::string_view& out) {
    const std::size_t start = ++at_;
    while ((at_ = plain_until(text_, at_)) < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        out = text_.substr(start, at_ - start);
        ++at_;
        return true;
      }
      if (c == '\\') return escaped_string(start, out);
      if (c < 0x20) return false;
      const CodePoint point = decode_utf8(text_, at_);
      if (!point.valid) return false;
      at_ += point.length;
    }
    return false;
  }

  bool escaped_string(std::size_t start, std::string_view& out) {
    std::string text(text_.substr(start, at_ - start));
    while (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        out = tape_.unescaped_.emplace_back(std::move(text));
        return true;
      }
      if (c < 0x20) return false;
      if (c == '\\') {
        ++at_;
        if (!escape(text)) return false;
        continue;
      }
      const CodePoint point = decode_utf8(text_, at_);
      if (!point.valid) return false;
      text.append(text_.substr(at_, point.length));
      at_ += point.length;
    }
    return false;
  }

  bool escape(std::string& text) {
    if (at_ >= text_.size()) return false;
    const char c = text_[at_++];
    switch (c) {
      case '"':
      case '\\':
      case '/':
        text += c;
        return true;
      case 'b':
        text += '\b';
        return true;
      case 'f':
        text += '\f';
        return true;
      case 'n':
        text += '\n';
        return true;
      case 'r':
        text += '\r';
        return true;
      case 't':
        text += '\t';
        return true;
      case 'u':
        return unicode_escape(text);
      default:
        return false;
    }
  }

  bool four_digits(std::uint32_t& code) {
    const std::string_view spelled = text_.substr(at_, 4);
    const auto end = std::from_chars(spelled.begin(), spelled.end(), code, 16);
    if (spelled.size() != 4 || end.ec != std::errc() || end.ptr != spelled.end()) return false;
    at_ += 4;
    return true;
  }

  bool unicode_escape(std::string& text) {
    std::uint32_t code = 0;
    if (!four_digits(code)) return false;
    if (code >= 0xD800 && code <= 0xDBFF) {
      std::uint32_t low = 0;
      if (!word("\\u") || !four_digits(low) || low < 0xDC00 || low > 0xDFFF) return false;
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
      return false;
    }
    append_utf8(text, code);
    return true;
  }

  JsonTape& tape_;
  std::string_view text_;
  std::size_t at_ = 0;
};

bool JsonTape::parse(std::string_view text) {
  nodes_.clear();
  unescaped_.clear();
  if (text.size() > kMaxBytes) return false;
  const bool good = JsonScanner(*this, text).document();
  if (!good) nodes_.clear();
  return good;
}

JsonValue JsonTape::root() const { return nodes_.empty() ? JsonValue() : JsonValue(this, 0); }

bool JsonValue::is_object() const {
  return exists() && tape_->nodes_[node_].kind == JsonTape::Kind::object;
}

bool JsonValue::is_array() const {
  return exists() && tape_->nodes_[node_].kind == JsonTape::Kind::array;
}

bool JsonValue::is_text() const {
  return exists() && tape_->nodes_[node_].kind == JsonTape::Kind::text;
}

JsonValue JsonValue::operator[](std::string_view key) const {
  if (!is_object()) return {};
  const std::vector<JsonTape::Node>& nodes = tape_->nodes_;
  const std::uint32_t end = nodes[node_].next;
  for (std::uint32_t child = node_ + 1; child < end; child = nodes[child].next) {
    if (nodes[child].key == key) return {tape_, child};
  }
  return {};
}

std::optional<std::string_view> JsonValue::text() const {
  if (!is_text()) return std::nullopt;
  return tape_->nodes_[node_].text;
}

std::string_view JsonValue::text_or(std::string_view fallback) const {
  return text().value_or(fallback);
}

std::optional<std::int64_t> JsonValue::integer() const {
  if (!exists() || tape_->nodes_[node_].kind != JsonTape::Kind::integer) return std::nullopt;
  return tape_->nodes_[node_].number;
}

std::int64_t JsonValue::integer_or(std::int64_t fallback) const {
  return integer().value_or(fallback);
}

std::uint64_t JsonValue::big_or(std::uint64_t fallback) const {
  const auto spelled = text();
  return spelled ? parse_decimal(*spelled).value_or(fallback) : fallback;
}

bool JsonValue::bool_or(bool fallback) const {
  if (!exists() || tape_->nodes_[node_].kind != JsonTape::Kind::boolean) return fallback;
  return tape_->nodes_[node_].number != 0;
}

JsonValue JsonValue::first() const {
  if (!is_object() && !is_array()) return {};
  return tape_->nodes_[node_].next > node_ + 1 ? JsonValue(tape_, node_ + 1) : JsonValue();
}

JsonValue JsonValue::after(JsonValue child) const {
  const std::uint32_t next = tape_->nodes_[child.node_].next;
  return next < tape_->nodes_[node_].next ? JsonValue(tape_, next) : JsonValue();
}

std::string_view JsonValue::key() const { return exists() ? tape_->nodes_[node_].key : ""; }

std::size_t JsonValue::size() const {
  std::size_t count = 0;
  for (JsonValue child = first(); child.exists(); child = after(child)) ++count;
  return count;
}

}  // namespace ethos::reports
