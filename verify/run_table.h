// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/digest.h"

namespace ethos::verify {

// What has to be known of a run after its end: that its id was used, and where its chain goes on
// (sarif.written, data.erase). A ledger may have hundreds of thousands of runs, so it is 32 bytes
// each: of the last record's hash a keyed tag of 56 bits, whose key nobody knows before.
class RunTable {
 public:
  // `bits` are the caller's.
  struct Entry {
    std::uint64_t tag = 0;
    std::uint32_t run_seq = 0;
    std::uint32_t reported = 0;
    std::uint8_t bits = 0;
  };
  static constexpr std::uint64_t kMost = UINT32_MAX - 1;  // of run_seq and reported

  RunTable();
  [[nodiscard]] std::optional<Entry> find(std::string_view id) const;
  // Adds the run, or replaces what is known of it. False: no id that can stand here.
  bool put(std::string_view id, const Entry& entry);
  [[nodiscard]] std::uint64_t tag_of(const Digest& digest) const;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const;
  void add_ids(std::vector<std::string>& out) const;

 private:
  struct Slot {
    std::array<std::uint64_t, 2> id{};
    std::uint64_t tag_and_bits = 0;
    std::uint32_t run_seq = kFree;
    std::uint32_t reported = 0;
  };
  static_assert(sizeof(Slot) == 32);
  static constexpr std::uint32_t kFree = UINT32_MAX;
  static constexpr std::size_t kShards = 256;
  // Grown one by one, so that no more than one of them is there twice.
  struct Shard {
    std::vector<Slot> slots;
    std::size_t used = 0;
  };
  using Id = std::array<std::uint64_t, 2>;

  static std::optional<Id> pack(std::string_view id);
  [[nodiscard]] std::uint64_t hash_of(const Id& id) const;
  static std::size_t place_of(const Shard& shard, const Id& id, std::uint64_t hash);
  void grow(Shard& shard) const;

  std::array<Shard, kShards> shards_;
  std::array<std::uint64_t, 6> keys_;
  std::size_t size_ = 0;
};

}  // namespace ethos::verify
