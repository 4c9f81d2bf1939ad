// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/point_lanes.h"

namespace ethos::verify {

// Arithmetic on the curve of Ed25519 (RFC 8032 section 5.1), for checking signatures only: nothing
// in it is secret, and nothing is kept from taking longer for some values.

// A number modulo 2^255 - 19: five limbs of 51 bits, lowest first. Between operations a limb may be
// a little longer.
struct FieldElement {
  std::array<std::uint64_t, 5> limbs{};

  static FieldElement of(std::uint64_t small) { return {{small, 0, 0, 0, 0}}; }
  // Little endian, 32 bytes; the highest bit is not looked at.
  static FieldElement from_bytes(const unsigned char* bytes);
  // Reduced.
  [[nodiscard]] std::array<unsigned char, 32> bytes() const;
  [[nodiscard]] bool is_zero() const;

  // Limbs of the arguments are below 2^54, those of products below 2^51 + 2^14.
  friend FieldElement operator*(const FieldElement& a, const FieldElement& b);
  friend FieldElement operator+(const FieldElement& a, const FieldElement& b);
  // Of products and reduced numbers only.
  friend FieldElement operator-(const FieldElement& a, const FieldElement& b);
  [[nodiscard]] FieldElement squared(int times = 1) const;
  [[nodiscard]] FieldElement inverse() const;
};

// Replaces each by its inverse, with one inversion for all. None is zero.
void invert_all(std::span<FieldElement> elements);

// A point in extended coordinates: x = X/Z, y = Y/Z, T = XY/Z.
struct EdwardsPoint {
  FieldElement x;
  FieldElement y = FieldElement::of(1);
  FieldElement z = FieldElement::of(1);
  FieldElement t;

  // RFC 8032 section 5.1.3; nothing when the bytes encode no point.
  static std::optional<EdwardsPoint> from_bytes(const unsigned char* bytes);
  // The addition is complete: it holds for equal points and the neutral one too.
  friend EdwardsPoint operator+(const EdwardsPoint& a, const EdwardsPoint& b);
};

// Encodings (RFC 8032 section 5.1.2) of all of them.
std::vector<std::array<unsigned char, 32>> encode_all(std::span<const EdwardsPoint> points);

// Multiples of one point, so that any multiple of it takes 43 additions and no doubling. With more
// there would be fewer additions, and more waiting for what is no longer in the cache.
class PointMultiples {
 public:
  explicit PointMultiples(const EdwardsPoint& point);

  static constexpr std::size_t kBits = 6;
  static constexpr std::size_t kWindows = (253 + kBits) / kBits;  // a carry goes into the last
  using Summands = std::array<Summand, kWindows>;
  // What scalar * point, or less it, is the sum of. `scalar`: 32 bytes, little endian, below 2^253.
  // They lie all over the table: they are brought near while their reader does something else.
  [[nodiscard]] Summands summands(const unsigned char* scalar, bool is_minus) const;

 private:
  static constexpr std::size_t kEntries = std::size_t{1} << (kBits - 1);
  // From -kEntries to below it, so that half as many multiples do.
  using Digits = std::array<int, kWindows>;
  static Digits digits_of(const unsigned char* scalar);

  std::vector<TablePoint> entries_;
};

// The sum of two lists; `in_lanes` false: by the portable arithmetic.
EdwardsPoint sum_of(const PointMultiples::Summands& first, const PointMultiples::Summands& second,
                    bool in_lanes = has_point_lanes());

}  // namespace ethos::verify
