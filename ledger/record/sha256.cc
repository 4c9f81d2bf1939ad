// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/sha256.h"

#include <immintrin.h>
#include <sodium/crypto_hash_sha256.h>
#ifdef __clang__
#define _Bool bool  // the header below is written for C
#endif
#include <sys/platform/x86.h>
#undef _Bool

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <span>

namespace ethos::record {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::array<std::uint32_t, 8> kStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
alignas(16) constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// What glibc found out at its own start: a CPUID instruction costs some 15 us in a virtual machine.
bool has_instructions() {
  return CPU_FEATURE_ACTIVE(SHA) && CPU_FEATURE_ACTIVE(SSE4_1) && CPU_FEATURE_ACTIVE(SSSE3);
}

const __m128i* as_vector(const void* at) { return static_cast<const __m128i*>(at); }

// FIPS 180-4 section 6.2.2 by the instructions that were made for it: each pair does four rounds,
// and the state travels as the words (A,B,E,F) and (C,D,G,H).
__attribute__((target("sha,sse4.1,ssse3"))) void compress(std::array<std::uint32_t, 8>& state,
                                                          const std::byte* at, std::size_t blocks) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(as_vector(&state[0])), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(as_vector(&state[4])), 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; blocks > 0; --blocks, at += kBlock) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i words[4];  // the latest sixteen words of the message schedule, in a ring
#pragma GCC unroll 16
    for (std::size_t four = 0; four < 16; ++four) {
      __m128i& now = words[four & 3];
      if (four < 4) {
        now = _mm_shuffle_epi8(_mm_loadu_si128(as_vector(at + 16 * four)), big_endian);
      } else {
        const __m128i last = words[(four - 1) & 3];
        now = _mm_sha256msg1_epu32(now, words[(four - 3) & 3]);
        now = _mm_add_epi32(now, _mm_alignr_epi8(last, words[(four - 2) & 3], 4));
        now = _mm_sha256msg2_epu32(now, last);
      }
      const __m128i sum = _mm_add_epi32(now, _mm_load_si128(as_vector(&kRound[4 * four])));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  auto* const out = reinterpret_cast<__m128i*>(state.data());
  _mm_storeu_si128(out, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(out + 1, _mm_alignr_epi8(dchg, feba, 8));
}

void store_big_endian(std::byte* to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    to[i] = static_cast<std::byte>(value >> (8 * (bytes - 1 - i)));
}

using SodiumState = crypto_hash_sha256_state;

}  // namespace

bool Sha256::is_fast() { return has_instructions(); }

Sha256::Sha256(Way way) : state_(kStart), is_fast_(way == Way::fastest && has_instructions()) {}

void Sha256::update_fast(base::ByteSpan bytes) {
  std::size_t have = bytes_ % kBlock;
  bytes_ += bytes.size();
  if (have > 0) {
    const std::size_t take = std::min(kBlock - have, bytes.size());
    std::copy_n(bytes.begin(), take, block_.begin() + static_cast<std::ptrdiff_t>(have));
    bytes = bytes.subspan(take);
    have += take;
    if (have < kBlock) return;
    compress(state_, block_.data(), 1);
  }
  if (const std::size_t blocks = bytes.size() / kBlock; blocks > 0) {
    compress(state_, bytes.data(), blocks);
    bytes = bytes.subspan(blocks * kBlock);
  }
  std::copy(bytes.begin(), bytes.end(), block_.begin());
}

void Sha256::update(base::ByteSpan bytes) {
  if (is_fast_) return update_fast(bytes);
  // libsodium's state has the same three members: its words are ours between two calls.
  SodiumState sodium;
  static_assert(sizeof sodium.state == sizeof state_ && sizeof sodium.buf == sizeof block_);
  std::memcpy(sodium.state, state_.data(), sizeof sodium.state);
  std::memcpy(sodium.buf, block_.data(), sizeof sodium.buf);
  sodium.count = bytes_ * 8;
  crypto_hash_sha256_update(&sodium, base::as_uchar(bytes), bytes.size());
  std::memcpy(state_.data(), sodium.state, sizeof sodium.state);
  std::memcpy(block_.data(), sodium.buf, sizeof sodium.buf);
  bytes_ += bytes.size();
}

Digest Sha256::finish() {
  const std::uint64_t bits = bytes_ * 8;
  // A one bit, zeros up to eight bytes before a block's end, and the length in bits.
  std::array<std::byte, 2 * kBlock> tail{};
  tail[0] = std::byte{0x80};
  const std::size_t have = bytes_ % kBlock;
  const std::size_t size = (have < kBlock - 8 ? kBlock : 2 * kBlock) - have;
  store_big_endian(tail.data() + size - 8, bits, 8);
  update(base::ByteSpan(tail).first(size));
  assert(bytes_ % kBlock == 0);
  std::array<std::byte, Digest::kSize> out{};
  for (std::size_t i = 0; i < state_.size(); ++i) store_big_endian(&out[4 * i], state_[i], 4);
  return Digest(out);
}

}  // namespace ethos::record
