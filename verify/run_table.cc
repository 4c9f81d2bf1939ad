// SPDX-License-Identifier: Apache-2.0
#include "verify/run_table.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr unsigned kFlagBits = 8;

// Both halves of the product: whoever does not know the keys cannot choose two inputs that meet.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace

RunTable::RunTable() : keys_{} {
  std::random_device random;
  for (std::uint64_t& key : keys_) key = std::uint64_t{random()} << 32U | random();
}

std::optional<RunTable::Id> RunTable::pack(std::string_view id) {
  if (!is_id128(id)) return std::nullopt;
  const auto bytes = decode_base32(id);
  Id out{};
  if (!bytes || bytes->size() != sizeof out) return std::nullopt;
  std::memcpy(out.data(), bytes->data(), sizeof out);
  return out;
}

std::uint64_t RunTable::hash_of(const Id& id) const {
  return mix(mix(id[0] ^ keys_[0], id[1] ^ keys_[1]), keys_[2] | 1U);
}

std::uint64_t RunTable::tag_of(const Digest& digest) const {
  std::array<std::uint64_t, 4> words{};
  static_assert(sizeof words == sizeof digest.bytes);
  std::memcpy(words.data(), digest.bytes.data(), sizeof words);
  const std::uint64_t low = mix(words[0] ^ keys_[2], words[1] ^ keys_[3]);
  return (low ^ mix(words[2] ^ keys_[4], words[3] ^ keys_[5])) >> kFlagBits;
}

// Its own, or the free one where it belongs; there is always a free one.
std::size_t RunTable::place_of(const Shard& shard, const Id& id, std::uint64_t hash) {
  const std::size_t n = shard.slots.size();
  std::size_t at = static_cast<std::size_t>((hash >> 32U) * n >> 32U);
  while (shard.slots[at].run_seq != kFree && shard.slots[at].id != id)
    at = at + 1 == n ? 0 : at + 1;
  return at;
}

std::optional<RunTable::Entry> RunTable::find(std::string_view id) const {
  const auto packed = pack(id);
  if (!packed) return std::nullopt;
  const std::uint64_t hash = hash_of(*packed);
  // The low bits choose the shard, the high ones the slot in it.
  const Shard& shard = shards_[hash % kShards];
  if (shard.slots.empty()) return std::nullopt;
  const Slot& slot = shard.slots[place_of(shard, *packed, hash)];
  if (slot.run_seq == kFree) return std::nullopt;
  return Entry{slot.tag_and_bits >> kFlagBits, slot.run_seq, slot.reported,
               static_cast<std::uint8_t>(slot.tag_and_bits & 0xffU)};
}

void RunTable::grow(Shard& shard) const {
  Shard larger;
  larger.used = shard.used;
  larger.slots.resize(std::max<std::size_t>(16, shard.slots.size() * 5 / 4));
  for (const Slot& slot : shard.slots) {
    if (slot.run_seq != kFree) larger.slots[place_of(larger, slot.id, hash_of(slot.id))] = slot;
  }
  shard = std::move(larger);
}

bool RunTable::put(std::string_view id, const Entry& entry) {
  const auto packed = pack(id);
  if (!packed || entry.run_seq > kMost) return false;
  const std::uint64_t hash = hash_of(*packed);
  Shard& shard = shards_[hash % kShards];
  if ((shard.used + 1) * 10 > shard.slots.size() * 9) grow(shard);
  Slot& slot = shard.slots[place_of(shard, *packed, hash)];
  if (slot.run_seq == kFree) {
    ++shard.used;
    ++size_;
  }
  slot = {*packed, entry.tag << kFlagBits | entry.bits, entry.run_seq, entry.reported};
  return true;
}

std::size_t RunTable::bytes() const {
  std::size_t out = 0;
  for (const Shard& shard : shards_) out += shard.slots.capacity() * sizeof(Slot);
  return out;
}

void RunTable::add_ids(std::vector<std::string>& out) const {
  for (const Shard& shard : shards_) {
    for (const Slot& slot : shard.slots) {
      if (slot.run_seq == kFree) continue;
      std::string bytes(sizeof slot.id, '\0');
      std::memcpy(bytes.data(), slot.id.data(), bytes.size());
      out.push_back(encode_base32(bytes));
    }
  }
}

}  // namespace ethos::verify
