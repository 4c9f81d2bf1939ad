// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace ethos::verify {

// Which rows of a table were met, by their row numbers: a bit each where numbers lie close
// together, as a writer makes them, and never more than a block a number.
class PlaceSet {
 public:
  void add(std::int64_t place);
  [[nodiscard]] bool contains(std::int64_t place) const;
  [[nodiscard]] std::size_t bytes() const { return blocks_.size() * (sizeof(Block) + 32); }

 private:
  static constexpr std::uint64_t kBlock = 4096;
  using Block = std::array<std::uint64_t, kBlock / 64>;
  std::unordered_map<std::uint64_t, Block> blocks_;
};

// Numbers that never fall, few bytes each.
class AscendingList {
 public:
  void add(std::uint64_t number);
  // How many are above it.
  [[nodiscard]] std::uint64_t count_above(std::uint64_t limit) const;
  void clear() { *this = {}; }

 private:
  std::string steps_;  // from one to the next, seven bits a byte, the lowest first
  std::uint64_t last_ = 0;
};

}  // namespace ethos::verify
