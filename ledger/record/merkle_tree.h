// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/record/digest.h"

namespace ethos::record {

// RFC 6962 section 2.1: leaf = SHA-256(0x00 || record), node = SHA-256(0x01 || left || right).
using LeafHash = Digest;
using RootHash = Digest;
LeafHash leaf_hash(base::ByteSpan record);
Digest node_hash(const Digest& left, const Digest& right);
// SHA-256 of nothing.
RootHash empty_root();

// A growing tree of which only the peaks are kept (docs/formats/checkpoint.md T-3): O(log n)
// memory.
class MerkleFrontier {
 public:
  MerkleFrontier() = default;
  // Errc::malformed unless there are as many peaks as `size` has one bits.
  static base::Result<MerkleFrontier> from_peaks(std::uint64_t size, std::vector<Digest> peaks);
  void append(const LeafHash& leaf);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::vector<Digest>& peaks() const { return peaks_; }
  [[nodiscard]] RootHash root() const;

 private:
  std::uint64_t size_ = 0;
  std::vector<Digest> peaks_;  // biggest subtree first
};

// Leaf hashes by index, for building proofs.
using LeafReader = std::function<LeafHash(std::uint64_t)>;

// Root of leaves [first, first + count), wherever it comes from. count >= 1.
using RangeRoot = std::function<Digest(std::uint64_t first, std::uint64_t count)>;
// The same from the leaves.
Digest subtree_root(const LeafReader& leaves, std::uint64_t first, std::uint64_t count);
// RFC 9162 section 2.1.3.1. index < size.
std::vector<Digest> inclusion_proof(const RangeRoot& root_of, std::uint64_t index,
                                    std::uint64_t size);
std::vector<Digest> inclusion_proof(const LeafReader& leaves, std::uint64_t index,
                                    std::uint64_t size);
// RFC 9162 section 2.1.4.1. 0 < old_size <= new_size.
std::vector<Digest> consistency_proof(const RangeRoot& root_of, std::uint64_t old_size,
                                      std::uint64_t new_size);
std::vector<Digest> consistency_proof(const LeafReader& leaves, std::uint64_t old_size,
                                      std::uint64_t new_size);

// RFC 9162 section 2.1.3.2. Errc::malformed for an impossible index or proof length, Errc::mismatch
// when the proof leads to another root.
base::Result<void> verify_inclusion(const LeafHash& leaf, std::uint64_t index, std::uint64_t size,
                                    std::span<const Digest> proof, const RootHash& root);
// RFC 9162 section 2.1.4.2. A proof from size 0 is always an error.
base::Result<void> verify_consistency(std::uint64_t old_size, const RootHash& old_root,
                                      std::uint64_t new_size, const RootHash& new_root,
                                      std::span<const Digest> proof);

}  // namespace ethos::record
