// SPDX-License-Identifier: Apache-2.0
#include "verify/sha256_lanes.h"

#if defined(__x86_64__) && defined(__SHA__) && defined(__SSE4_1__)
#include <cpuid.h>
#include <immintrin.h>

namespace ethos::verify {
namespace {

alignas(16) constexpr std::uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// The instructions want the eight words as two vectors, by letters from high to low.
struct Lane {
  __m128i abef;
  __m128i cdgh;
  __m128i m0, m1, m2, m3;  // the last 16 words of the message schedule
  __m128i abef_before;
  __m128i cdgh_before;
  const char* data;
};

[[gnu::always_inline]] inline __m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
[[gnu::always_inline]] inline void store(void* to, __m128i value) { _mm_storeu_si128(static_cast<__m128i*>(to), value); }

[[gnu::always_inline]] inline Lane open_lane(const Sha256State& state, const char* data) {
  const __m128i cdab = _mm_shuffle_epi32(load(state.words), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(load(state.words + 4), 0x1b);
  Lane lane{};
  lane.abef = _mm_alignr_epi8(cdab, efgh, 8);
  lane.cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  lane.data = data;
  return lane;
}

[[gnu::always_inline]] inline void close_lane(const Lane& lane, Sha256State& state) {
  const __m128i feba = _mm_shuffle_epi32(lane.abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(lane.cdgh, 0xb1);
  store(state.words, _mm_blend_epi16(feba, dchg, 0xf0));
  store(state.words + 4, _mm_alignr_epi8(dchg, feba, 8));
}

[[gnu::always_inline]] inline void begin_block(Lane& lane) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  lane.abef_before = lane.abef;
  lane.cdgh_before = lane.cdgh;
  lane.m0 = _mm_shuffle_epi8(load(lane.data), big_endian);
  lane.m1 = _mm_shuffle_epi8(load(lane.data + 16), big_endian);
  lane.m2 = _mm_shuffle_epi8(load(lane.data + 32), big_endian);
  lane.m3 = _mm_shuffle_epi8(load(lane.data + 48), big_endian);
  lane.data += kSha256Block;
}

[[gnu::always_inline]] inline void end_block(Lane& lane) {
  lane.abef = _mm_add_epi32(lane.abef, lane.abef_before);
  lane.cdgh = _mm_add_epi32(lane.cdgh, lane.cdgh_before);
}

// Four rounds with the words in m0; then the words move up, and what falls out becomes the next four.
template <std::size_t Group>
[[gnu::always_inline]] inline void rounds(Lane& lane) {
  const __m128i sum = _mm_add_epi32(lane.m0, load(kRound + 4 * Group));
  lane.cdgh = _mm_sha256rnds2_epu32(lane.cdgh, lane.abef, sum);
  lane.abef = _mm_sha256rnds2_epu32(lane.abef, lane.cdgh, _mm_shuffle_epi32(sum, 0x0e));
  const __m128i used = lane.m0;
  const __m128i after = lane.m1;
  lane.m0 = lane.m1;
  lane.m1 = lane.m2;
  lane.m2 = lane.m3;
  if constexpr (Group < 12) {
    const __m128i partial = _mm_add_epi32(_mm_sha256msg1_epu32(used, after), _mm_alignr_epi8(lane.m3, lane.m1, 4));
    lane.m3 = _mm_sha256msg2_epu32(partial, lane.m3);
  }
}

template <std::size_t Group, class... Lanes>
[[gnu::always_inline]] inline void all_rounds(Lanes&... lanes) {
  (rounds<Group>(lanes), ...);
  if constexpr (Group < 15) all_rounds<Group + 1>(lanes...);
}

template <class... Lanes>
[[gnu::always_inline]] inline void run(std::size_t blocks, Lanes&... lanes) {
  for (; blocks > 0; --blocks) {
    (begin_block(lanes), ...);
    all_rounds<0>(lanes...);
    (end_block(lanes), ...);
  }
}

// 12 bytes as 16 numbers of six bits. Of each three bytes a, b, c the shuffle makes the two words
// b:a and c:b, from which two multiplications move each six bits to a byte of their own.
[[gnu::always_inline]] inline __m128i sixes(__m128i bytes) {
  const __m128i order = _mm_set_epi8(10, 11, 9, 10, 7, 8, 6, 7, 4, 5, 3, 4, 1, 2, 0, 1);
  const __m128i words = _mm_shuffle_epi8(bytes, order);
  const __m128i first_and_third = _mm_mulhi_epu16(_mm_and_si128(words, _mm_set1_epi32(0x0fc0fc00)),
                                                  _mm_set1_epi32(0x04000040));
  const __m128i second_and_fourth = _mm_mullo_epi16(
      _mm_and_si128(words, _mm_set1_epi32(0x003f03f0)), _mm_set1_epi32(0x01000010));
  return _mm_or_si128(first_and_third, second_and_fourth);
}

// What has to be added to a number of six bits to have its character: one value for capitals, one
// for small letters, one for digits, one for each of the two signs.
[[gnu::always_inline]] inline __m128i base64_characters(__m128i numbers) {
  const __m128i offsets =
      _mm_setr_epi8('a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                    '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0);
  // 0 for small letters, 1 to 12 beyond them, 13 for capitals.
  const __m128i beyond = _mm_subs_epu8(numbers, _mm_set1_epi8(51));
  const __m128i is_capital = _mm_cmplt_epi8(numbers, _mm_set1_epi8(26));
  const __m128i kind = _mm_or_si128(beyond, _mm_and_si128(is_capital, _mm_set1_epi8(13)));
  return _mm_add_epi8(numbers, _mm_shuffle_epi8(offsets, kind));
}

}  // namespace

void base64_of_32(const char* bytes, char* out) {
  store(out, base64_characters(sixes(load(bytes))));
  store(out + 16, base64_characters(sixes(load(bytes + 12))));
  // The last eight bytes make eleven characters.
  alignas(16) char last[16];
  store(last, base64_characters(sixes(_mm_srli_si128(load(bytes + 16), 8))));
  __builtin_memcpy(out + 32, last, 11);
  out[43] = '=';
}

bool has_sha_instructions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  if ((c & bit_SSSE3) == 0 || (c & bit_SSE4_1) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

void sha256_blocks(Sha256State& state, const char* data, std::size_t blocks) {
  Lane lane = open_lane(state, data);
  run(blocks, lane);
  close_lane(lane, state);
}

void sha256_blocks_of_two(Sha256State& first, const char* first_data, Sha256State& second, const char* second_data,
                          std::size_t blocks) {
  Lane a = open_lane(first, first_data);
  Lane b = open_lane(second, second_data);
  run(blocks, a, b);
  close_lane(a, first);
  close_lane(b, second);
}

}  // namespace ethos::verify

#else

namespace ethos::verify {

bool has_sha_instructions() { return false; }
void sha256_blocks(Sha256State&, const char*, std::size_t) { __builtin_trap(); }
void sha256_blocks_of_two(Sha256State&, const char*, Sha256State&, const char*, std::size_t) { __builtin_trap(); }
void base64_of_32(const char*, char*) { __builtin_trap(); }

}  // namespace ethos::verify

#endif
