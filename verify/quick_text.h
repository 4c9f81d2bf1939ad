// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "verify/forms.h"
#include "verify/scanner.h"

namespace ethos::verify {

// A place in ethos-json/1 text and steps over what is usual there. A step can only say yes: then
// the scanner accepts the same bytes. "Not sure" leaves `at` anywhere. It names no fault and knows
// no unusual form, so that all of it can be compiled into who calls it, with both ends in
// registers: it runs over every byte of every record.
struct QuickText {
  const char* at;
  const char* end;

  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end - at); }
  [[nodiscard]] std::string_view rest() const { return {at, left()}; }
  // A value that was stepped over.
  [[nodiscard]] View since(const char* start) const {
    return View({start, static_cast<std::size_t>(at - start)});
  }

  template <std::size_t N>
  [[gnu::always_inline]] bool take(const char (&text)[N]) {
    return take_bytes<N - 1>(text);
  }
  template <std::size_t N>
  [[gnu::always_inline]] bool take(const std::array<char, N>& text) {
    return take_bytes<N>(text.data());
  }
  [[gnu::always_inline]] bool take(std::string_view text) {
    if (left() < text.size() || !same_bytes(at, text.data(), text.size())) return false;
    at += text.size();
    return true;
  }

 private:
  template <std::size_t N>
  [[gnu::always_inline]] bool take_bytes(const char* text) {
    if (left() < N || !same_bytes(at, text, N)) return false;
    at += N;
    return true;
  }
};

// What follows an opening quote, closing quote included: ASCII without escapes.
[[gnu::always_inline]] inline bool quick_rest_of_string(QuickText& text, std::string_view& out) {
  const char* const start = text.at;
  const char* const stop = skip_plain(start, text.end);
  if (stop == text.end || *stop != '"') return false;
  out = {start, static_cast<std::size_t>(stop - start)};
  text.at = stop + 1;
  return true;
}

// Up to eight digits, as a word of which the first is the lowest byte. Gives how many.
[[gnu::always_inline]] inline std::size_t quick_eight(const char* at, std::uint64_t& out) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t kHighHalves = 0xf0f0f0f0f0f0f0f0U;
  constexpr std::uint64_t kZeros = 0x3030303030303030U;
  constexpr std::uint64_t kSix = 0x0606060606060606U;
  constexpr std::uint64_t kEveryFourth = 0x000000ff000000ffU;
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  // A digit's high half is 3, and still is after adding 6. A carry changes later bytes only, and
  // the first that is none is asked for.
  const std::uint64_t strange =
      ((word & kHighHalves) ^ kZeros) | (((word + kSix) & kHighHalves) ^ kZeros);
  const auto digits = static_cast<std::size_t>(std::countr_zero(strange)) / 8;
  if (digits == 0) return 0;
  // Zeros in front make it eight.
  const std::size_t shift = 64 - 8 * digits;
  if (shift > 0) word = word << shift | kZeros >> (64 - shift);
  word -= kZeros;
  word = word * 10 + (word >> 8U);  // pairs, in every second byte
  out = ((word & kEveryFourth) * (100 + (std::uint64_t{1000000} << 32U)) +
         ((word >> 16U) & kEveryFourth) * (1 + (std::uint64_t{10000} << 32U))) >>
        32U;
  return digits;
}

// A run of digits, as a number: at least one, no leading zero, at most 16.
[[gnu::always_inline]] inline bool quick_digits(QuickText& text, std::uint64_t& out) {
  constexpr std::array<std::uint64_t, 9> kPowers{1,      10,      100,      1000,     10000,
                                                 100000, 1000000, 10000000, 100000000};
  const char* const start = text.at;
  if (text.left() < 8) return false;
  std::size_t digits = quick_eight(start, out);
  text.at += digits;
  if (digits == 8) {
    std::uint64_t more = 0;
    if (text.left() < 8) return false;
    digits = quick_eight(text.at, more);
    out = out * kPowers[digits] + more;
    text.at += digits;
    // More than that?
    if (digits == 8 && (text.left() == 0 || (*text.at >= '0' && *text.at <= '9'))) return false;
  }
  return text.at != start && (*start != '0' || text.at == start + 1);
}

// An integer that is not negative.
[[gnu::always_inline]] inline bool quick_count(QuickText& text, std::int64_t& out) {
  constexpr std::uint64_t kMost = 9007199254740991;  // 2^53 - 1
  std::uint64_t value = 0;
  if (!quick_digits(text, value) || value > kMost) return false;
  out = static_cast<std::int64_t>(value);
  // The text goes on with a comma or a brace, or the next step is not sure.
  return true;
}

// A value as the quick reader leaves it.
struct QuickValue {
  View view;
  std::int64_t number = 0;  // of an integer
  std::string_view text;    // of a string; of an object, what its reader found worth keeping
};

// One of these words, as a string.
template <Literal Word>
[[gnu::always_inline]] inline bool quick_word(QuickText& text) {
  static constexpr auto quoted = [] {
    constexpr std::string_view word = Word.view();
    std::array<char, word.size() + 2> out{};
    out.front() = out.back() = '"';
    for (std::size_t i = 0; i < word.size(); ++i) out[i + 1] = word[i];
    return out;
  }();
  return text.take(quoted);
}

// Readers of forms (quick_fields.h).
template <Literal... Words>
struct QuickWords {
  [[gnu::always_inline]] static bool read(QuickText& text, std::size_t, QuickValue& value) {
    const char* const start = text.at;
    if (!(quick_word<Words>(text) || ...)) return false;
    value.view = text.since(start);
    value.text = {start + 1, static_cast<std::size_t>(text.at - start - 2)};
    return true;
  }
};

template <std::size_t Min, std::size_t Max>
struct QuickString {
  [[gnu::always_inline]] static bool read(QuickText& text, std::size_t, QuickValue& value) {
    const char* const start = text.at;
    if (!text.take("\"") || !quick_rest_of_string(text, value.text)) return false;
    value.view = text.since(start);
    return value.text.size() >= Min && value.text.size() <= Max;
  }
};

template <std::int64_t Min>
struct QuickCount {
  static_assert(Min >= 0);
  [[gnu::always_inline]] static bool read(QuickText& text, std::size_t, QuickValue& value) {
    const char* const start = text.at;
    if (!quick_count(text, value.number)) return false;
    value.view = text.since(start);
    return value.number >= Min;
  }
};

}  // namespace ethos::verify
