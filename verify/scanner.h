// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ethos::verify {

// Caps of one use of ethos-json/1 (record.md R-6).
struct JsonLimits {
  std::size_t bytes;
  std::size_t depth;    // the outermost object is depth 1
  std::size_t members;  // of one object or array
};

inline constexpr JsonLimits kRecordLimits{16384, 8, 512};
// normal, facts, plan and mount tables (plan.md).
inline constexpr JsonLimits kDocumentLimits{std::size_t{8} << 20U, 16, std::size_t{1} << 20U};

// Walks ethos-json/1 text in one pass. It never copies, never builds a tree, and stops at the first
// byte that is not in the one allowed form; `fault` and `offset` then say which rule and where.
//
// Every step returns false on a fault. The caller drives it: `value` skips over one checked value of
// any type, the other steps take exactly what they are named after.
class Scanner {
 public:
  Scanner(std::string_view text, const JsonLimits& limits)
      : begin_(text.data()), p_(text.data()), end_(text.data() + text.size()), limits_(limits) {}

  // The text is one value followed by nothing.
  bool whole_value();

  bool value(std::size_t depth);
  bool literal(char c);                 // exactly this character
  bool key(std::string_view& out);      // "key" with its quotes; `out` is what is between
  bool string(std::string_view& raw, bool& escaped);  // `raw` is what is between the quotes
  bool integer(std::int64_t& out);
  bool at_end();                        // fault when bytes are left

  [[nodiscard]] char peek() const { return p_ < end_ ? *p_ : '\0'; }
  [[nodiscard]] std::size_t position() const { return static_cast<std::size_t>(p_ - begin_); }
  [[nodiscard]] std::string_view since(std::size_t start) const {
    return {begin_ + start, position() - start};
  }
  [[nodiscard]] const JsonLimits& limits() const { return limits_; }

  bool fail(const char* why);  // always false; keeps the first fault
  [[nodiscard]] const char* fault() const { return fault_ == nullptr ? "" : fault_; }
  [[nodiscard]] std::size_t offset() const { return offset_; }

 private:
  bool object(std::size_t depth);
  bool array(std::size_t depth);
  bool string_body(bool& escaped);
  bool escape();

  const char* begin_;
  const char* p_;
  const char* end_;
  JsonLimits limits_;
  const char* fault_ = nullptr;
  std::size_t offset_ = 0;
};

// First byte at or after `p` that is a quote, a backslash, a control or not ASCII; else `end`.
const char* skip_plain(const char* p, const char* end);

// The text that a checked string literal stands for. `raw` comes from Scanner::string.
std::string unescape(std::string_view raw);

}  // namespace ethos::verify
