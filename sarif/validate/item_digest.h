// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ethos::sarif::validation {

// 128 bits that stand for one JSON value: equal for values that JSON Schema calls equal (members in
// any order, numbers by value), and different otherwise but for a chance of 2^-128 a pair.
struct ItemDigest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const ItemDigest&, const ItemDigest&) = default;
};

// SipHash-1-3 with a key that is drawn anew for each file, so that nobody can write a file whose
// values collide or fill one slot of a table.
class ItemHasher {
 public:
  ItemHasher();

  [[nodiscard]] ItemDigest text(std::string_view text) const { return hash('s', text); }
  // By value as a double, as every reader in JavaScript sees it: 1, 1.0 and 1e0 are one number.
  [[nodiscard]] ItemDigest number(double value) const;
  [[nodiscard]] ItemDigest literal(char which) const { return hash(which, {}); }
  // What a member adds to the sum that stands for an object.
  [[nodiscard]] ItemDigest member(const ItemDigest& key, const ItemDigest& value) const;
  [[nodiscard]] ItemDigest object(const ItemDigest& sum, std::uint64_t members) const;
  // The state of an array after one more element, from the state before.
  [[nodiscard]] ItemDigest element(const ItemDigest& before, const ItemDigest& value) const;
  [[nodiscard]] ItemDigest array(const ItemDigest& state, std::uint64_t elements) const;

  static ItemDigest add(const ItemDigest& a, const ItemDigest& b);

 private:
  [[nodiscard]] ItemDigest hash(char tag, std::string_view bytes) const;
  [[nodiscard]] ItemDigest pair(char tag, const ItemDigest& a, const ItemDigest& b) const;

  std::uint64_t key0_;
  std::uint64_t key1_;
};

// Digests met so far. Sixteen bytes each, twice that at most while it grows.
class DigestSet {
 public:
  // False when it was there already.
  [[nodiscard]] bool insert(const ItemDigest& digest);
  [[nodiscard]] std::size_t size() const { return size_; }
  // Empty again; gives back room that was unusually large.
  void clear();

 private:
  void grow();
  [[nodiscard]] bool place(const ItemDigest& digest);

  static constexpr std::size_t kFew = 8;
  static constexpr std::size_t kKeptSlots = 4096;

  std::vector<ItemDigest> slots_;  // a list while there are few, then a table; zero is free
  std::size_t size_ = 0;
  bool is_table_ = false;
};

}  // namespace ethos::sarif::validation
