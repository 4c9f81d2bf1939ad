// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/json_document.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "ledger/record/utf8.h"

namespace ethos::record {
namespace {

using base::Errc;
using base::Result;

void append_utf8(std::string& out, unsigned point) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((point >> shift) & 0x3FU));
  };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0U | (point >> 6U));
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0U | (point >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

class DocumentParser {
 public:
  DocumentParser(std::string_view text, const DocumentOptions& options)
      : text_(text), options_(options) {}

  Result<Json> run() {
    if (text_.size() > options_.max_bytes) {
      return base::fail(Errc::too_large,
                        "document: more than " + std::to_string(options_.max_bytes) + " bytes");
    }
    Json root;
    if (!skip_space() || !value(root, 1) || !skip_space()) return error();
    if (at_ != text_.size()) {
      stop("text after the end of the document");
      return error();
    }
    return root;
  }

 private:
  [[nodiscard]] base::Unexpected error() const {
    return base::fail(code_, "line " + std::to_string(line_) + ": " + why_);
  }
  bool stop(std::string why, Errc code = Errc::malformed) {
    why_ = std::move(why);
    code_ = code;
    return false;
  }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] bool starts(std::string_view token) const {
    return text_.substr(at_, token.size()) == token;
  }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool skip_space() {
    while (!at_end()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '/') {
        if (!comment()) return false;
      } else {
        break;
      }
    }
    return true;
  }

  bool comment() {
    if (!options_.allow_comments) return stop("a comment is not allowed here");
    const bool is_line = starts("//");
    if (!is_line && !starts("/*")) return stop("expected // or /*");
    const std::size_t body = at_ + 2;
    const std::size_t end = text_.find(is_line ? "\n" : "*/", body);
    if (end == std::string_view::npos && !is_line) return stop("comment without end");
    const std::size_t stop_at = std::min(end, text_.size());
    const std::string_view inside = text_.substr(body, stop_at - body);
    if (!is_utf8(inside)) return stop("not UTF-8");
    line_ += static_cast<std::uint32_t>(std::count(inside.begin(), inside.end(), '\n'));
    at_ = is_line ? stop_at : stop_at + 2;
    return true;
  }

  bool value(Json& out, std::size_t depth) {
    if (depth > options_.max_depth) return stop("nested too deep", Errc::too_large);
    if (at_end()) return stop("unexpected end");
    const std::uint32_t line = line_;
    if (!value_of_kind(out, depth)) return false;
    out.set_line(line);
    return true;
  }

  bool value_of_kind(Json& out, std::size_t depth) {
    switch (text_[at_]) {
      case '{':
        return object(out, depth);
      case '[':
        return array(out, depth);
      case '"': {
        std::string text;
        if (!string(text)) return false;
        out = Json(std::move(text));
        return true;
      }
      case 't':
        return literal("true", Json(true), out);
      case 'f':
        return literal("false", Json(false), out);
      case 'n':
        if (!options_.allow_null) return stop("null is not allowed here");
        return literal("null", Json(), out);
      default:
        return number(out);
    }
  }

  bool literal(std::string_view token, Json meaning, Json& out) {
    if (!starts(token)) return stop("expected a value");
    at_ += token.size();
    out = std::move(meaning);
    return true;
  }

  bool object(Json& out, std::size_t depth) {
    ++at_;
    out = Json::object();
    if (!skip_space()) return false;
    if (take('}')) return true;
    for (;;) {
      if (at_end() || text_[at_] != '"') return stop("expected a key in quotes");
      JsonMember member;
      if (!string(member.key) || !skip_space()) return false;
      if (!take(':')) return stop("expected : after a key");
      if (!skip_space() || !value(member.value, depth + 1) || !skip_space()) return false;
      out.members().push_back(std::move(member));
      if (take('}')) return check_keys(out);
      if (!take(',')) return stop("expected , or }");
      if (!skip_space()) return false;
    }
  }

  bool check_keys(const Json& object) {
    std::vector<std::string_view> keys;
    for (const JsonMember& member : object.members()) keys.push_back(member.key);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice == keys.end()) return true;
    return stop("key \"" + std::string(*twice) + "\" stands twice in one object");
  }

  bool array(Json& out, std::size_t depth) {
    ++at_;
    out = Json::array();
    if (!skip_space()) return false;
    if (take(']')) return true;
    for (;;) {
      Json element;
      if (!value(element, depth + 1) || !skip_space()) return false;
      out.items().push_back(std::move(element));
      if (take(']')) return true;
      if (!take(',')) return stop("expected , or ]");
      if (!skip_space()) return false;
    }
  }

  bool string(std::string& out) {
    ++at_;
    while (!at_end()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c < 0x20) return stop("control character in a string");
      if (c == '\\') {
        if (!escape(out)) return false;
        continue;
      }
      const std::size_t length = utf8_sequence_length(text_, at_);
      if (length == 0) return stop("not UTF-8");
      out.append(text_.substr(at_, length));
      at_ += length;
    }
    return stop("string without end");
  }

  bool escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    ++at_;
    if (at_end()) return stop("string without end");
    const std::size_t which = kNames.find(text_[at_]);
    if (which != std::string_view::npos) {
      out += kMeanings[which];
      ++at_;
      return true;
    }
    if (text_[at_] != 'u') return stop("unknown escape");
    return unicode_escape(out);
  }

  bool unicode_escape(std::string& out) {
    unsigned unit = 0;
    if (!code_unit(unit)) return false;
    unsigned point = unit;
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      unsigned low = 0;
      if (!starts("\\u")) return stop("lone surrogate");
      ++at_;
      if (!code_unit(low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return stop("lone surrogate");
      point = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
    } else if (unit >= 0xDC00 && unit <= 0xDFFF) {
      return stop("lone surrogate");
    }
    if (point == 0) return stop("U+0000 is not allowed");
    append_utf8(out, point);
    return true;
  }

  // Stands on the 'u'; reads it and four hex digits.
  bool code_unit(unsigned& out) {
    const std::string_view digits = text_.substr(at_ + 1, 4);
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    if (digits.size() != 4 || ec != std::errc{} || end != digits.data() + 4) {
      return stop("expected four hex digits after \\u");
    }
    at_ += 5;
    return true;
  }

  bool digits() {
    const std::size_t start = at_;
    while (!at_end() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ > start || stop("expected a digit");
  }

  bool number(Json& out) {
    const std::size_t start = at_;
    take('-');
    if (at_end() || text_[at_] < '0' || text_[at_] > '9') return stop("expected a value");
    if (take('0')) {
      if (!at_end() && text_[at_] >= '0' && text_[at_] <= '9') {
        return stop("number with a leading zero");
      }
    } else if (!digits()) {
      return false;
    }
    bool is_real = false;
    if (take('.')) {
      is_real = true;
      if (!digits()) return false;
    }
    if (take('e') || take('E')) {
      is_real = true;
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    return convert(text_.substr(start, at_ - start), is_real, out);
  }

  bool convert(std::string_view token, bool is_real, Json& out) {
    if (is_real && !options_.allow_reals) return stop("only whole numbers are allowed here");
    const char* const end = token.data() + token.size();
    if (!is_real) {
      std::int64_t whole = 0;
      if (std::from_chars(token.data(), end, whole).ec == std::errc{}) {
        out = Json(whole);
        return true;
      }
      if (!options_.allow_reals) return stop("number out of range");
    }
    double real = 0;
    const auto [stopped, ec] = std::from_chars(token.data(), end, real);
    if (ec != std::errc{} || stopped != end || !std::isfinite(real)) {
      return stop("number out of range");
    }
    out = Json::real(real);
    return true;
  }

  std::string_view text_;
  const DocumentOptions& options_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::string why_;
  Errc code_ = Errc::malformed;
};

}  // namespace

Result<Json> parse_document(std::string_view text, const DocumentOptions& options) {
  return DocumentParser(text, options).run();
}

}  // namespace ethos::record
