// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ledger/record/canonical_json.h"
#include "ledger/record/utf8.h"

namespace ethos::record::detail {

// The single pass over ethos-json/1, told to a Sink. With a sink that does nothing it is the check;
// with one that builds values it is the parser: so both accept the same bytes by construction.
// Sink: begin_object(), key(sv), end_object(), begin_array(), end_array(), boolean(b), integer(i),
// string(sv raw, bool has_escapes). `raw` is what stands between the quotes, escapes and all.
template <typename Sink>
class CanonicalScan {
 public:
  CanonicalScan(std::string_view bytes, const CanonicalLimits& limits, Sink& sink)
      : bytes_(bytes), limits_(limits), sink_(sink) {}

  base::Result<void> run() {
    if (bytes_.size() > limits_.bytes) {
      return base::fail(base::Errc::too_large,
                        "more than " + std::to_string(limits_.bytes) + " bytes");
    }
    if (bytes_.empty() || bytes_[0] != '{') return bad("does not start with an object");
    if (!value(1)) return bad(why_, code_);
    if (at_ != bytes_.size()) return bad("bytes after the object");
    return {};
  }

 private:
  [[nodiscard]] base::Unexpected bad(const char* why,
                                     base::Errc code = base::Errc::malformed) const {
    return base::fail(code, std::string(why) + " at byte " + std::to_string(at_));
  }
  bool stop(const char* why, base::Errc code = base::Errc::malformed) {
    why_ = why;
    code_ = code;
    return false;
  }
  [[nodiscard]] char peek() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= bytes_.size() || bytes_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool value(std::size_t depth) {
    switch (peek()) {
      case '{':
        return depth <= limits_.depth ? object(depth) : stop("too deep", base::Errc::too_large);
      case '[':
        return depth <= limits_.depth ? array(depth) : stop("too deep", base::Errc::too_large);
      case '"':
        return string();
      case 't':
        return literal("true", true);
      case 'f':
        return literal("false", false);
      default:
        return integer();
    }
  }

  bool object(std::size_t depth) {
    ++at_;
    sink_.begin_object();
    std::string_view previous;
    for (std::size_t count = 0; !take('}'); ++count) {
      if (count == limits_.members) return stop("too many members", base::Errc::too_large);
      if (count > 0 && !take(',')) return stop("expected , or }");
      std::string_view name;
      if (!key(name)) return false;
      if (count > 0 && name <= previous) return stop("keys are not strictly ascending");
      previous = name;
      sink_.key(name);
      if (!take(':')) return stop("expected :");
      if (!value(depth + 1)) return false;
    }
    sink_.end_object();
    return true;
  }

  bool array(std::size_t depth) {
    ++at_;
    sink_.begin_array();
    for (std::size_t count = 0; !take(']'); ++count) {
      if (count == limits_.members) return stop("too many elements", base::Errc::too_large);
      if (count > 0 && !take(',')) return stop("expected , or ]");
      if (!value(depth + 1)) return false;
    }
    sink_.end_array();
    return true;
  }

  bool key(std::string_view& name) {
    if (!take('"')) return stop("expected a key");
    const std::size_t start = at_;
    while (at_ < bytes_.size() && bytes_[at_] != '"' && at_ - start <= 32) ++at_;
    name = bytes_.substr(start, at_ - start);
    if (!is_canonical_key(name)) return stop("not a key of the profile");
    return take('"') || stop("expected \" after the key");
  }

  bool string() {
    ++at_;
    const std::size_t start = at_;
    bool has_escapes = false;
    while (at_ < bytes_.size()) {
      const auto c = static_cast<unsigned char>(bytes_[at_]);
      if (c == '"') {
        sink_.string(bytes_.substr(start, at_ - start), has_escapes);
        ++at_;
        return true;
      }
      if (c == '\\') {
        has_escapes = true;
        if (!escape()) return false;
      } else if (c < 0x20) {
        return stop("control character in a string");
      } else if (c < 0x80) {
        ++at_;
      } else {
        const std::size_t length = utf8_sequence_length(bytes_, at_);
        if (length == 0) return stop("not UTF-8");
        at_ += length;
      }
    }
    return stop("string without end");
  }

  // Exactly the forms R-4 names: a short one where it exists, else \u00 and two lower-case digits.
  bool escape() {
    ++at_;
    const char c = peek();
    if (c == '"' || c == '\\' || c == 'b' || c == 't' || c == 'n' || c == 'f' || c == 'r') {
      ++at_;
      return true;
    }
    if (bytes_.size() - at_ < 5 || bytes_.substr(at_, 3) != "u00")
      return stop("escape not allowed");
    const char high = bytes_[at_ + 3];
    const char low = bytes_[at_ + 4];
    const bool is_digit = (low >= '0' && low <= '9') || (low >= 'a' && low <= 'f');
    if ((high != '0' && high != '1') || !is_digit) return stop("escape not allowed");
    const bool has_short_form = high == '0' && (low == '0' || low == '8' || low == '9' ||
                                                low == 'a' || low == 'c' || low == 'd');
    if (has_short_form) return stop("escape not allowed");
    at_ += 5;
    return true;
  }

  bool literal(std::string_view text, bool meaning) {
    if (bytes_.substr(at_, text.size()) != text) return stop("unknown literal");
    at_ += text.size();
    sink_.boolean(meaning);
    return true;
  }

  bool integer() {
    const std::size_t start = at_;
    const bool is_negative = take('-');
    const std::size_t digits = at_;
    std::int64_t number = 0;
    while (at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9') {
      if (at_ - digits == 16) return stop("integer out of range");
      number = number * 10 + (bytes_[at_] - '0');
      ++at_;
    }
    if (at_ == digits) {
      at_ = start;
      return stop("expected a value");
    }
    if (bytes_[digits] == '0' && (at_ - digits > 1 || is_negative))
      return stop("-0 or leading zero");
    if (number > kMaxInteger) return stop("integer out of range");
    sink_.integer(is_negative ? -number : number);
    return true;
  }

  std::string_view bytes_;
  const CanonicalLimits& limits_;
  Sink& sink_;
  std::size_t at_ = 0;
  const char* why_ = "";
  base::Errc code_ = base::Errc::malformed;
};

}  // namespace ethos::record::detail
