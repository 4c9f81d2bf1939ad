// SPDX-License-Identifier: Apache-2.0
#include "verify/edwards25519.h"

#include <bit>
#include <cstring>

namespace ethos::verify {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMask = (std::uint64_t{1} << 51U) - 1;
// 2p, limb by limb: what is subtracted from it is at most that, so that nothing goes below zero.
constexpr std::uint64_t kTwiceLowest = 0xfffffffffffdaU;
constexpr std::uint64_t kTwiceOther = 0xffffffffffffeU;

Wide times(std::uint64_t a, std::uint64_t b) { return static_cast<Wide>(a) * b; }

FieldElement carried(Wide r0, Wide r1, Wide r2, Wide r3, Wide r4) {
  const auto low = [](Wide r) { return static_cast<std::uint64_t>(r) & kMask; };
  const auto high = [](Wide r) { return static_cast<std::uint64_t>(r >> 51U); };
  r1 += high(r0);
  r2 += high(r1);
  r3 += high(r2);
  r4 += high(r3);
  FieldElement out{{low(r0), low(r1), low(r2), low(r3), low(r4)}};
  out.limbs[0] += 19 * high(r4);
  out.limbs[1] += out.limbs[0] >> 51U;
  out.limbs[0] &= kMask;
  return out;
}

std::uint64_t load(const unsigned char* bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t out = 0;
  std::memcpy(&out, bytes, sizeof out);
  return out;
}

// d of the curve's equation, 2d, and a square root of -1.
FieldElement constant(const char* hex) {
  std::array<unsigned char, 32> bytes{};
  const auto digit = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[31 - i] = static_cast<unsigned char>(digit(hex[2 * i]) << 4U | digit(hex[2 * i + 1]));
  return FieldElement::from_bytes(bytes.data());
}
const FieldElement& curve_d() {
  static const FieldElement d =
      constant("52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3");
  return d;
}
const FieldElement& twice_d() {
  static const FieldElement d = FieldElement::from_bytes((curve_d() + curve_d()).bytes().data());
  return d;
}
const FieldElement& root_of_minus_one() {
  static const FieldElement root =
      constant("2b8324804fc1df0b2b4d00993dfbd7a72f431806ad2fe478c4ee1b274a0ea0b0");
  return root;
}

// a^(2^250 - 1), on the way to several exponents.
FieldElement power_250(const FieldElement& a) {
  const FieldElement a2 = a.squared();
  const FieldElement a9 = a2.squared(2) * a;
  const FieldElement a11 = a9 * a2;
  const FieldElement a5 = a11.squared() * a9;  // 2^5 - 1
  const FieldElement a10 = a5.squared(5) * a5;
  const FieldElement a20 = a10.squared(10) * a10;
  const FieldElement a40 = a20.squared(20) * a20;
  const FieldElement a50 = a40.squared(10) * a10;
  const FieldElement a100 = a50.squared(50) * a50;
  const FieldElement a200 = a100.squared(100) * a100;
  return a200.squared(50) * a50;
}

}  // namespace

FieldElement operator*(const FieldElement& a, const FieldElement& b) {
  const auto& [a0, a1, a2, a3, a4] = a.limbs;
  const auto& [b0, b1, b2, b3, b4] = b.limbs;
  const std::uint64_t c1 = 19 * b1;
  const std::uint64_t c2 = 19 * b2;
  const std::uint64_t c3 = 19 * b3;
  const std::uint64_t c4 = 19 * b4;
  return carried(times(a0, b0) + times(a1, c4) + times(a2, c3) + times(a3, c2) + times(a4, c1),
                 times(a0, b1) + times(a1, b0) + times(a2, c4) + times(a3, c3) + times(a4, c2),
                 times(a0, b2) + times(a1, b1) + times(a2, b0) + times(a3, c4) + times(a4, c3),
                 times(a0, b3) + times(a1, b2) + times(a2, b1) + times(a3, b0) + times(a4, c4),
                 times(a0, b4) + times(a1, b3) + times(a2, b2) + times(a3, b1) + times(a4, b0));
}

FieldElement operator+(const FieldElement& a, const FieldElement& b) {
  FieldElement out;
  for (std::size_t i = 0; i < 5; ++i) out.limbs[i] = a.limbs[i] + b.limbs[i];
  return out;
}

FieldElement operator-(const FieldElement& a, const FieldElement& b) {
  FieldElement out;
  for (std::size_t i = 0; i < 5; ++i)
    out.limbs[i] = a.limbs[i] + (i == 0 ? kTwiceLowest : kTwiceOther) - b.limbs[i];
  return out;
}

FieldElement FieldElement::squared(int times_) const {
  FieldElement out = *this;
  for (int i = 0; i < times_; ++i) out = out * out;
  return out;
}

FieldElement FieldElement::inverse() const {
  // 2^255 - 21 = (2^250 - 1) 2^5 + 11
  const FieldElement a2 = squared();
  const FieldElement a11 = a2.squared(2) * *this * a2;
  return power_250(*this).squared(5) * a11;
}

FieldElement FieldElement::from_bytes(const unsigned char* bytes) {
  return {{load(bytes) & kMask, (load(bytes + 6) >> 3U) & kMask, (load(bytes + 12) >> 6U) & kMask,
           (load(bytes + 19) >> 1U) & kMask, (load(bytes + 24) >> 12U) & kMask}};
}

std::array<unsigned char, 32> FieldElement::bytes() const {
  std::array<std::uint64_t, 5> r = limbs;
  const auto carry = [&] {
    for (std::size_t i = 0; i < 4; ++i) {
      r[i + 1] += r[i] >> 51U;
      r[i] &= kMask;
    }
    r[0] += 19 * (r[4] >> 51U);
    r[4] &= kMask;
  };
  carry();
  carry();
  // Now below 2^255 + 19: is it p or more? Then adding 19 goes beyond 2^255.
  std::uint64_t q = (r[0] + 19) >> 51U;
  for (std::size_t i = 1; i < 5; ++i) q = (r[i] + q) >> 51U;
  r[0] += 19 * q;
  for (std::size_t i = 0; i < 4; ++i) {
    r[i + 1] += r[i] >> 51U;
    r[i] &= kMask;
  }
  r[4] &= kMask;
  const std::array<std::uint64_t, 4> words{r[0] | r[1] << 51U, r[1] >> 13U | r[2] << 38U,
                                           r[2] >> 26U | r[3] << 25U, r[3] >> 39U | r[4] << 12U};
  std::array<unsigned char, 32> out{};
  std::memcpy(out.data(), words.data(), out.size());
  return out;
}

bool FieldElement::is_zero() const { return bytes() == std::array<unsigned char, 32>{}; }

void invert_all(std::span<FieldElement> elements) {
  std::vector<FieldElement> before;  // product of all that stand before
  FieldElement product = FieldElement::of(1);
  for (const FieldElement& e : elements) {
    before.push_back(product);
    product = product * e;
  }
  FieldElement inverse = product.inverse();
  for (std::size_t i = elements.size(); i > 0; --i) {
    const FieldElement own = inverse * before[i - 1];
    inverse = inverse * elements[i - 1];
    elements[i - 1] = own;
  }
}

std::optional<EdwardsPoint> EdwardsPoint::from_bytes(const unsigned char* bytes) {
  const FieldElement y = FieldElement::from_bytes(bytes);
  std::array<unsigned char, 32> given{};
  std::memcpy(given.data(), bytes, given.size());
  const bool is_odd = (given[31] & 0x80U) != 0;
  given[31] &= 0x7fU;
  if (y.bytes() != given) return std::nullopt;  // not below p
  // x^2 = u/v. A candidate is u v^3 (u v^7)^((p-5)/8).
  const FieldElement y2 = y.squared();
  const FieldElement u = FieldElement::of(0) + y2 - FieldElement::of(1);
  const FieldElement v = curve_d() * y2 + FieldElement::of(1);
  const FieldElement v3 = v.squared() * v;
  const FieldElement uv7 = u * v3.squared() * v;
  FieldElement x = u * v3 * (power_250(uv7).squared(2) * uv7);
  const FieldElement check = v * x.squared();
  const FieldElement u_once = u * FieldElement::of(1);
  if (!(check - u_once).is_zero()) {
    if (!(check + u_once).is_zero()) return std::nullopt;
    x = x * root_of_minus_one();
  }
  const auto x_bytes = x.bytes();
  if (x.is_zero() && is_odd) return std::nullopt;
  if (((x_bytes[0] & 1U) != 0) != is_odd) x = (FieldElement::of(0) - x) * FieldElement::of(1);
  EdwardsPoint out;
  out.x = x;
  out.y = y;
  out.t = x * y;
  return out;
}

// "add-2008-hwcd-3" of the explicit formulas for twisted Edwards curves with a = -1.
EdwardsPoint operator+(const EdwardsPoint& p, const EdwardsPoint& q) {
  const FieldElement a = (p.y - p.x) * (q.y - q.x);
  const FieldElement b = (p.y + p.x) * (q.y + q.x);
  const FieldElement c = p.t * twice_d() * q.t;
  const FieldElement d = p.z * (q.z + q.z);
  const FieldElement e = b - a;
  const FieldElement f = d - c;
  const FieldElement g = d + c;
  const FieldElement h = b + a;
  return {e * f, g * h, f * g, e * h};
}

std::vector<std::array<unsigned char, 32>> encode_all(std::span<const EdwardsPoint> points) {
  std::vector<FieldElement> inverses;
  inverses.reserve(points.size());
  for (const EdwardsPoint& point : points) inverses.push_back(point.z);
  invert_all(inverses);
  std::vector<std::array<unsigned char, 32>> out;
  out.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto x = (points[i].x * inverses[i]).bytes();
    out.push_back((points[i].y * inverses[i]).bytes());
    out.back()[31] = static_cast<unsigned char>(out.back()[31] | (x[0] & 1U) << 7U);
  }
  return out;
}

namespace {

TablePoint table_point(const FieldElement& difference, const FieldElement& sum,
                       const FieldElement& product) {
  TablePoint out{};
  for (std::size_t i = 0; i < 5; ++i) {
    out.limbs[i][0] = difference.limbs[i];
    out.limbs[i][1] = sum.limbs[i];
    out.limbs[i][2] = product.limbs[i];
  }
  return out;
}

FieldElement part(const TablePoint& point, std::size_t which) {
  FieldElement out;
  for (std::size_t i = 0; i < 5; ++i) out.limbs[i] = point.limbs[i][which];
  return out;
}

// The same formula, with what the table has already, and Z = 1. Of -q, x is -x.
EdwardsPoint plus(const EdwardsPoint& p, const Summand& q) {
  const FieldElement a = (p.y - p.x) * part(*q.point, q.is_minus ? 1 : 0);
  const FieldElement b = (p.y + p.x) * part(*q.point, q.is_minus ? 0 : 1);
  const FieldElement c = p.t * part(*q.point, 2);
  const FieldElement d = p.z + p.z;
  const FieldElement e = b - a;
  const FieldElement f = q.is_minus ? d + c : d - c;
  const FieldElement g = q.is_minus ? d - c : d + c;
  const FieldElement h = b + a;
  return {e * f, g * h, f * g, e * h};
}

EdwardsPoint point_of(const SumPoint& sum) {
  const auto coordinate = [&](std::size_t which) {
    FieldElement out;
    for (std::size_t i = 0; i < 5; ++i) out.limbs[i] = sum.coordinates[which][i];
    return out;
  };
  return {coordinate(0), coordinate(1), coordinate(2), coordinate(3)};
}

// Of the digit 0.
constexpr TablePoint kNeutral{{{1, 1, 0}, {}, {}, {}, {}}};

}  // namespace

PointMultiples::PointMultiples(const EdwardsPoint& point) {
  entries_.reserve(kWindows * kEntries);
  EdwardsPoint base = point;
  std::vector<EdwardsPoint> multiples(kEntries);
  std::vector<FieldElement> inverses(kEntries);
  for (std::size_t window = 0; window < kWindows; ++window) {
    multiples[0] = base;
    for (std::size_t i = 1; i < kEntries; ++i) multiples[i] = multiples[i - 1] + base;
    for (std::size_t i = 0; i < kEntries; ++i) inverses[i] = multiples[i].z;
    invert_all(inverses);
    for (std::size_t i = 0; i < kEntries; ++i) {
      const FieldElement x = multiples[i].x * inverses[i];
      const FieldElement y = multiples[i].y * inverses[i];
      const FieldElement one = FieldElement::of(1);
      // Multiplied by one, they are short again.
      entries_.push_back(table_point((y - x) * one, (y + x) * one, x * y * twice_d()));
    }
    base = multiples[kEntries - 1] + multiples[kEntries - 1];
  }
}

PointMultiples::Digits PointMultiples::digits_of(const unsigned char* scalar) {
  constexpr int kBase = 1 << kBits;
  std::array<unsigned char, 32 + sizeof(std::uint32_t)> bytes{};
  std::memcpy(bytes.data(), scalar, 32);
  Digits out{};
  int carry = 0;
  for (std::size_t window = 0; window < kWindows; ++window) {
    const std::size_t at = window * kBits;
    std::uint32_t word = 0;
    std::memcpy(&word, &bytes[at / 8], sizeof word);
    out[window] = static_cast<int>(word >> at % 8 & (kBase - 1U)) + carry;
    carry = out[window] >= kBase / 2 ? 1 : 0;
    if (carry != 0) out[window] -= kBase;
  }
  return out;
}

PointMultiples::Summands PointMultiples::summands(const unsigned char* scalar,
                                                  bool is_minus) const {
  const Digits digits = digits_of(scalar);
  Summands out{};
  for (std::size_t window = 0; window < kWindows; ++window) {
    const int digit = digits[window];
    const auto size = static_cast<std::size_t>(digit < 0 ? -digit : digit);
    out[window].point = size == 0 ? &kNeutral : &entries_[window * kEntries + size - 1];
    out[window].is_minus = (digit < 0) != is_minus;
    const auto* const place = reinterpret_cast<const char*>(out[window].point);
    __builtin_prefetch(place);
    __builtin_prefetch(place + 64);
  }
  return out;
}

EdwardsPoint sum_of(const PointMultiples::Summands& first, const PointMultiples::Summands& second,
                    bool in_lanes) {
  if (in_lanes) {
    SumPoint a{};
    SumPoint b{};
    add_in_lanes(first.data(), second.data(), first.size(), a, b);
    return point_of(a) + point_of(b);
  }
  EdwardsPoint out;
  for (const auto* const list : {&first, &second}) {
    for (const Summand& q : *list) {
      if (q.point != &kNeutral) out = plus(out, q);
    }
  }
  return out;
}

}  // namespace ethos::verify
