// SPDX-License-Identifier: Apache-2.0
#include "sarif/fingerprint.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

#include "sarif/json/utf8.h"

namespace ethos::sarif {
namespace {

constexpr std::uint64_t kBase = 37;
constexpr std::size_t kWindow = 100;
constexpr char16_t kEndMark = 0xFFFF;

constexpr std::uint64_t power_of_base(std::size_t exponent) {
  std::uint64_t value = 1;
  for (std::size_t i = 0; i < exponent; ++i) value *= kBase;
  return value;
}

// The units that are hashed, and where among them each line begins.
struct KeptUnits {
  std::u16string units;
  std::vector<std::size_t> line_starts{0};
};

// Drops blanks and tabs and makes every line end one LF. A CR ends a line at once; an LF right
// after it is its second half, but not when a blank stood between.
class Normalizer {
 public:
  explicit Normalizer(KeptUnits& kept) : kept_(kept) {}

  void put(char16_t unit) {
    if (unit == u' ' || unit == u'\t' || (unit == u'\n' && previous_was_cr_)) {
      previous_was_cr_ = false;
      return;
    }
    previous_was_cr_ = unit == u'\r';
    const char16_t kept = previous_was_cr_ ? u'\n' : unit;
    kept_.units.push_back(kept);
    if (kept == u'\n') kept_.line_starts.push_back(kept_.units.size());
  }

 private:
  KeptUnits& kept_;
  bool previous_was_cr_ = false;
};

KeptUnits normalize(std::string_view text) {
  KeptUnits kept;
  kept.units.reserve(text.size() + 1);
  Normalizer normalizer(kept);
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    const char32_t point = decode_utf8(text, length);
    text.remove_prefix(length);
    if (point < 0x10000) {
      normalizer.put(static_cast<char16_t>(point));
    } else {
      normalizer.put(static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10U)));
      normalizer.put(static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FFU)));
    }
  }
  kept.units.push_back(kEndMark);
  return kept;
}

// Hash of the window at each line start, by one rolling pass from the end of the text.
std::vector<std::uint64_t> window_hashes(const KeptUnits& kept) {
  constexpr std::uint64_t kOldest = power_of_base(kWindow);
  std::vector<std::uint64_t> hashes(kept.line_starts.size());
  std::uint64_t hash = 0;
  std::size_t next_line = 0;
  const std::size_t count = kept.units.size();
  // After step i, `hash` covers the units [i - 99, i]; positions past the end count as 0.
  for (std::size_t i = 0; i < count + kWindow && next_line < hashes.size(); ++i) {
    const std::uint64_t newest = i < count ? kept.units[i] : 0;
    const std::uint64_t leaving = i >= kWindow && i - kWindow < count ? kept.units[i - kWindow] : 0;
    hash = hash * kBase + newest - kOldest * leaving;
    if (i + 1 >= kWindow && kept.line_starts[next_line] == i + 1 - kWindow) {
      hashes[next_line++] = hash;
    }
  }
  return hashes;
}

}  // namespace

std::string LineHash::text() const {
  std::array<char, 40> digits{};
  const auto done = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return std::string(digits.data(), done.ptr) + ":" + std::to_string(occurrence);
}

std::vector<LineHash> line_hashes(std::string_view source) {
  const KeptUnits kept =
      is_valid_utf8(source) ? normalize(source) : normalize(replace_invalid_utf8(source));
  std::vector<LineHash> lines;
  std::unordered_map<std::uint64_t, std::size_t> seen;
  for (const std::uint64_t hash : window_hashes(kept)) {
    lines.push_back({hash, ++seen[hash]});
  }
  return lines;
}

}  // namespace ethos::sarif
