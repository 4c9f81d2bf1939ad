// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/item_digest.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "ledger/base/random.h"

namespace ethos::sarif::validation {
namespace {

struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void take(std::uint64_t word) {
    v3 ^= word;
    round();
    v0 ^= word;
  }
};

std::uint64_t load(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, count);
  return word;
}

}  // namespace

ItemHasher::ItemHasher() {
  const auto bytes = base::random_bytes<16>();
  std::memcpy(&key0_, bytes.data(), 8);
  std::memcpy(&key1_, bytes.data() + 8, 8);
}

// The 128-bit form of SipHash; `tag` takes the place of the length's upper bits in the last word,
// which parts texts, numbers and containers from each other.
ItemDigest ItemHasher::hash(char tag, std::string_view bytes) const {
  SipState state{key0_ ^ 0x736f6d6570736575U, key1_ ^ 0x646f72616e646f83U,
                 key0_ ^ 0x6c7967656e657261U, key1_ ^ 0x7465646279746573U};
  state.take(bytes.size());
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) state.take(load(at, 8));
  const std::uint64_t last = left == 0 ? 0 : load(at, left);
  state.take(last | (static_cast<std::uint64_t>(static_cast<unsigned char>(tag)) << 56U));
  state.v2 ^= 0xEE;
  for (int i = 0; i < 3; ++i) state.round();
  const std::uint64_t high = state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
  state.v1 ^= 0xDD;
  for (int i = 0; i < 3; ++i) state.round();
  return {high, state.v0 ^ state.v1 ^ state.v2 ^ state.v3};
}

ItemDigest ItemHasher::pair(char tag, const ItemDigest& a, const ItemDigest& b) const {
  const std::array<std::uint64_t, 4> words = {a.high, a.low, b.high, b.low};
  std::array<char, sizeof words> bytes{};
  std::memcpy(bytes.data(), words.data(), sizeof words);
  return hash(tag, std::string_view(bytes.data(), bytes.size()));
}

ItemDigest ItemHasher::number(double value) const {
  if (value == 0) value = 0;  // -0 equals 0
  std::array<char, sizeof value> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return hash('d', std::string_view(bytes.data(), bytes.size()));
}

ItemDigest ItemHasher::member(const ItemDigest& key, const ItemDigest& value) const {
  return pair('m', key, value);
}

ItemDigest ItemHasher::object(const ItemDigest& sum, std::uint64_t members) const {
  return pair('o', sum, {0, members});
}

ItemDigest ItemHasher::element(const ItemDigest& before, const ItemDigest& value) const {
  return pair('e', before, value);
}

ItemDigest ItemHasher::array(const ItemDigest& state, std::uint64_t elements) const {
  return pair('a', state, {0, elements});
}

ItemDigest ItemHasher::add(const ItemDigest& a, const ItemDigest& b) {
  const std::uint64_t low = a.low + b.low;
  return {a.high + b.high + (low < a.low ? 1U : 0U), low};
}

bool DigestSet::insert(const ItemDigest& digest) {
  if (!is_table_) {
    if (std::find(slots_.begin(), slots_.end(), digest) != slots_.end()) return false;
    if (size_ < kFew) {
      slots_.push_back(digest);
      ++size_;
      return true;
    }
    grow();
  } else if (2 * (size_ + 1) > slots_.size()) {
    grow();
  }
  if (!place(digest)) return false;
  ++size_;
  return true;
}

void DigestSet::grow() {
  std::vector<ItemDigest> old(is_table_ ? 2 * slots_.size() : 8 * kFew);
  old.swap(slots_);
  is_table_ = true;
  for (const ItemDigest& digest : old) {
    if (digest == ItemDigest{}) continue;
    const bool is_new = place(digest);
    assert(is_new);
    static_cast<void>(is_new);
  }
}

bool DigestSet::place(const ItemDigest& digest) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = digest.low & mask;
  while (slots_[slot] != ItemDigest{}) {
    if (slots_[slot] == digest) return false;
    slot = (slot + 1) & mask;
  }
  slots_[slot] = digest;
  return true;
}

void DigestSet::clear() {
  if (slots_.capacity() > kKeptSlots) {
    slots_ = {};
  } else {
    slots_.clear();
  }
  size_ = 0;
  is_table_ = false;
}

}  // namespace ethos::sarif::validation
