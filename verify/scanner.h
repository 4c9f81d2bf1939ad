// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

// Characters that may stand in a string as they are: ASCII without controls, quote and backslash.
inline constexpr std::array<bool, 256> kPlainInString = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x20; c < 0x80; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

// 1: may begin a key, 2: may go on in one.
inline constexpr std::array<unsigned char, 256> kKeyClass = [] {
  std::array<unsigned char, 256> table{};
  for (std::size_t c = 'a'; c <= 'z'; ++c) table[c] = 3;
  for (std::size_t c = '0'; c <= '9'; ++c) table[c] = 2;
  table['_'] = 2;
  return table;
}();

// First byte at or after `p` that is a quote, a backslash, a control or not ASCII; else `end`.
[[gnu::always_inline]] inline const char* skip_plain(const char* p, const char* end) {
#ifdef __SSE2__
  // 16 bytes at a time: signed comparison makes bytes >= 0x80 "less than space" too, so one
  // comparison finds controls and non-ASCII.
  const __m128i space = _mm_set1_epi8(0x20);
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i slash = _mm_set1_epi8('\\');
  while (end - p >= 16) {
    __m128i block;
    std::memcpy(&block, p, sizeof block);
    const __m128i stop = _mm_or_si128(_mm_cmplt_epi8(block, space),
                                      _mm_or_si128(_mm_cmpeq_epi8(block, quote),
                                                   _mm_cmpeq_epi8(block, slash)));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(stop));
    if (mask != 0) return p + __builtin_ctz(mask);
    p += 16;
  }
#endif
  while (p < end && kPlainInString[static_cast<unsigned char>(*p)]) ++p;
  return p;
}

// Two loads of a type at both ends of the text, which overlap when it is not twice as long.
template <class Word>
[[gnu::always_inline]] inline bool same_ends(const char* a, const char* b, std::size_t size) {
  const auto load = [](const char* from) {
    Word out;
    std::memcpy(&out, from, sizeof out);
    return out;
  };
  const std::size_t last = size - sizeof(Word);
  return ((load(a) ^ load(b)) | (load(a + last) ^ load(b + last))) == 0;
}

// memcmp without the call: what is compared here is short, and nearly always the same.
[[gnu::always_inline]] inline bool same_bytes(const char* a, const char* b, std::size_t size) {
#ifdef __SSE2__
  const auto sixteen = [&](std::size_t at) {
    __m128i x;
    __m128i y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    return _mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) == 0xffff;
  };
  if (size >= 16) {
    for (std::size_t at = 0; at + 16 < size; at += 16) {
      if (!sixteen(at)) return false;
    }
    return sixteen(size - 16);  // overlaps what was compared before
  }
#endif
  if (size > 16) return std::memcmp(a, b, size) == 0;
  if (size >= 8) return same_ends<std::uint64_t>(a, b, size);
  if (size >= 4) return same_ends<std::uint32_t>(a, b, size);
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

inline bool same_text(std::string_view a, std::string_view b) {
  return a.size() == b.size() && same_bytes(a.data(), b.data(), a.size());
}

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
  // exactly this character
  bool literal(char c) {
    if (p_ < end_ && *p_ == c) {
      ++p_;
      return true;
    }
    return literal_fault();
  }
  // "key" with its quotes; `out` is what is between
  bool key(std::string_view& out) {
    if (!literal('"')) return false;
    const char* const start = p_;
    if (p_ == end_ || kKeyClass[static_cast<unsigned char>(*p_)] != 3) {
      return fail("a key begins with a lower-case letter");
    }
    while (p_ < end_ && kKeyClass[static_cast<unsigned char>(*p_)] != 0) ++p_;
    out = {start, static_cast<std::size_t>(p_ - start)};
    if (out.size() > kMaxKey) return fail("a key is longer than 32 bytes");
    return literal('"');
  }
  // Steps over this text when it stands here; no fault when it does not.
  template <std::size_t N>
  bool take(const char (&text)[N]) {
    if (static_cast<std::size_t>(end_ - p_) < N - 1 || !same_bytes(p_, text, N - 1)) return false;
    p_ += N - 1;
    return true;
  }
  template <std::size_t N>
  bool take(char lead, const std::array<char, N>& text) {
    if (static_cast<std::size_t>(end_ - p_) < N + 1 || *p_ != lead || !same_bytes(p_ + 1, text.data(), N)) return false;
    p_ += N + 1;
    return true;
  }
  bool take(std::string_view text) {
    if (static_cast<std::size_t>(end_ - p_) < text.size() || !same_bytes(p_, text.data(), text.size())) return false;
    p_ += text.size();
    return true;
  }
  bool string(std::string_view& raw, bool& escaped);  // `raw` is what is between the quotes
  // What follows an opening quote, closing quote included.
  bool rest_of_string(std::string_view& raw, bool& escaped);
  bool integer(std::int64_t& out);
  bool at_end();                        // fault when bytes are left

  [[nodiscard]] char peek() const { return p_ < end_ ? *p_ : '\0'; }
  [[nodiscard]] std::size_t position() const { return static_cast<std::size_t>(p_ - begin_); }
  [[nodiscard]] std::string_view since(std::size_t start) const {
    return {begin_ + start, position() - start};
  }
  // To where this scanner was, or over bytes that the caller has looked at.
  void move_to(std::size_t position) { p_ = begin_ + position; }
  [[nodiscard]] const JsonLimits& limits() const { return limits_; }

  bool fail(const char* why);  // always false; keeps the first fault
  [[nodiscard]] const char* fault() const { return fault_ == nullptr ? "" : fault_; }
  [[nodiscard]] std::size_t offset() const { return offset_; }

 private:
  static constexpr std::size_t kMaxKey = 32;

  bool literal_fault();
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

// The text that a checked string literal stands for. `raw` comes from Scanner::string.
std::string unescape(std::string_view raw);

}  // namespace ethos::verify
