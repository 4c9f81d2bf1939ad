// SPDX-License-Identifier: Apache-2.0
#include "verify/point_lanes.h"

#if defined(__x86_64__) && defined(__AVX512IFMA__) && defined(__AVX512VL__)
#include <immintrin.h>

namespace ethos::verify {
namespace {

// Four numbers modulo p = 2^255 - 19 side by side, of five limbs. What is multiplied has limbs
// below 2^52, as the instructions look at no more; a product's and a settled sum's are below 2^51 +
// 2^14.
struct Four {
  __m256i limbs[5];
};

[[gnu::always_inline]] inline __m256i all(std::uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}

// 2p, limb by limb.
[[gnu::always_inline]] inline __m256i twice_p(int limb) {
  return all(limb == 0 ? 0xfffffffffffdaU : 0xffffffffffffeU);
}

// What of a limb is beyond 51 bits goes to the next one; of the last 19 times to the first. Limbs
// are below 2^61, so what goes on is below 2^10.
[[gnu::always_inline]] inline Four settled(const Four& a) {
  const __m256i mask = all((std::uint64_t{1} << 51U) - 1);
  Four out;
  __m256i high[5];
  for (int i = 0; i < 5; ++i) {
    high[i] = _mm256_srli_epi64(a.limbs[i], 51);
    out.limbs[i] = _mm256_and_si256(a.limbs[i], mask);
  }
  for (int i = 1; i < 5; ++i) out.limbs[i] = _mm256_add_epi64(out.limbs[i], high[i - 1]);
  out.limbs[0] = _mm256_madd52lo_epu64(out.limbs[0], high[4], all(19));
  return out;
}

// The low 52 bits of a product of two limbs stand at the sum of their places; the high ones, 52
// bits on, at twice their value one place further. All sums are below 15 * 2^52, twenty times that
// is below 2^61.
[[gnu::always_inline]] inline Four product(const Four& a, const Four& b) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i low[10];
  __m256i high[10];
  for (int i = 0; i < 10; ++i) low[i] = high[i] = zero;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      low[i + j] = _mm256_madd52lo_epu64(low[i + j], a.limbs[i], b.limbs[j]);
      high[i + j + 1] = _mm256_madd52hi_epu64(high[i + j + 1], a.limbs[i], b.limbs[j]);
    }
  }
  for (int i = 1; i < 10; ++i) {
    low[i] = _mm256_add_epi64(low[i], _mm256_add_epi64(high[i], high[i]));
  }
  // 2^255 is 19.
  Four sum;
  for (int i = 0; i < 5; ++i) {
    const __m256i above = low[i + 5];
    const __m256i nineteen = _mm256_add_epi64(
        above, _mm256_add_epi64(_mm256_slli_epi64(above, 1), _mm256_slli_epi64(above, 4)));
    sum.limbs[i] = _mm256_add_epi64(low[i], nineteen);
  }
  return settled(sum);
}

constexpr int order(int a, int b, int c, int d) { return a | b << 2 | c << 4 | d << 6; }

// y - x, y + x, 2dxy and 2; of the opposite point x is -x.
[[gnu::always_inline]] inline Four load(const Summand& summand) {
  const __mmask8 swapped = summand.is_minus ? 3 : 0;
  const __mmask8 negated = summand.is_minus ? 4 : 0;
  const __m256i two = _mm256_set_epi64x(2, 0, 0, 0);
  Four out;
  for (int i = 0; i < 5; ++i) {
    __m256i row =
        _mm256_mask_loadu_epi64(i == 0 ? two : _mm256_setzero_si256(), 7, summand.point->limbs[i]);
    row = _mm256_mask_permutex_epi64(row, swapped, row, order(1, 0, 2, 3));
    out.limbs[i] = _mm256_mask_sub_epi64(row, negated, twice_p(i), row);
  }
  return out;
}

// "add-2008-hwcd-3" of the explicit formulas for twisted Edwards curves with a = -1, and Z = 1 of
// the summand. `p` is X, Y, Z, T.
[[gnu::always_inline]] inline void add(Four& p, const Summand& summand) {
  const Four q = load(summand);
  Four left;  // Y - X, Y + X, T, Z
  for (int i = 0; i < 5; ++i) {
    const __m256i y = _mm256_permutex_epi64(p.limbs[i], order(1, 1, 3, 2));
    const __m256i x = _mm256_maskz_permutex_epi64(3, p.limbs[i], order(0, 0, 0, 0));
    left.limbs[i] = _mm256_add_epi64(y, _mm256_mask_sub_epi64(x, 1, twice_p(i), x));
  }
  const Four m = product(settled(left), q);  // A, B, C, D
  Four sums;                                 // E = B - A, G = D + C, F = D - C, H = B + A
  for (int i = 0; i < 5; ++i) {
    const __m256i from = _mm256_permutex_epi64(m.limbs[i], order(1, 3, 3, 1));
    const __m256i other = _mm256_permutex_epi64(m.limbs[i], order(0, 2, 2, 0));
    sums.limbs[i] = _mm256_add_epi64(from, _mm256_mask_sub_epi64(other, 5, twice_p(i), other));
  }
  sums = settled(sums);
  Four one;    // E, G, F, E
  Four other;  // F, H, G, H
  for (int i = 0; i < 5; ++i) {
    one.limbs[i] = _mm256_permutex_epi64(sums.limbs[i], order(0, 1, 2, 0));
    other.limbs[i] = _mm256_permutex_epi64(sums.limbs[i], order(2, 3, 1, 3));
  }
  p = product(one, other);
}

[[gnu::always_inline]] inline void store(const Four& p, SumPoint& out) {
  for (int i = 0; i < 5; ++i) {
    alignas(32) std::uint64_t lanes[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), p.limbs[i]);
    for (int k = 0; k < 4; ++k) out.coordinates[k][i] = lanes[k];
  }
}

}  // namespace

bool has_point_lanes() {
  return __builtin_cpu_supports("avx512ifma") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}

void add_in_lanes(const Summand* first, const Summand* second, std::size_t count,
                  SumPoint& first_sum, SumPoint& second_sum) {
  // The neutral point: y and z are 1.
  Four a;
  a.limbs[0] = _mm256_set_epi64x(0, 1, 1, 0);
  for (int i = 1; i < 5; ++i) a.limbs[i] = _mm256_setzero_si256();
  Four b = a;
  // Each addition waits for the one before it in its own list; the other list fills the gaps.
  for (std::size_t i = 0; i < count; ++i) {
    add(a, first[i]);
    add(b, second[i]);
  }
  store(a, first_sum);
  store(b, second_sum);
}

}  // namespace ethos::verify

#else

namespace ethos::verify {

bool has_point_lanes() { return false; }
void add_in_lanes(const Summand*, const Summand*, std::size_t, SumPoint&, SumPoint&) {
  __builtin_trap();
}

}  // namespace ethos::verify

#endif
