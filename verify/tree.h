// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verify/digest.h"

namespace ethos::verify {

// The inner nodes that lie wholly within a run of neighbouring leaves. They need nothing but these
// leaves, so they are hashed side by side, away from the tree that will use them.
class SubtreeHashes {
 public:
  // `first` is the index in the tree of the first leaf.
  void build(std::uint64_t first, std::span<const Digest> leaves, Sha256& hash);
  // The root of the 2^level leaves from index * 2^level; null when it does not lie within.
  [[nodiscard]] const Digest* find(unsigned level, std::uint64_t index) const;

 private:
  struct Level {
    std::uint64_t first = 0;
    std::vector<Digest> nodes;
  };
  std::vector<Level> levels_;  // from level 1
  std::size_t used_ = 0;       // levels of the last build; the vectors are kept for the next
};

// The RFC 6962 tree, fed leaf by leaf. Memory is one hash a level.
class StreamingTree {
 public:
  // `known`: subtrees that need not be hashed again.
  void append(const Digest& leaf_hash, Sha256& hash, const SubtreeHashes* known = nullptr);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Root of all leaves so far; of none: SHA-256 of nothing.
  [[nodiscard]] Digest root(Sha256& hash) const;
  // Roots of the perfect subtrees of the current size, biggest first (checkpoint.md T-3).
  [[nodiscard]] std::span<const Digest> peaks() const { return peaks_; }

 private:
  std::uint64_t size_ = 0;
  std::vector<Digest> peaks_;
};

// RFC 9162 section 2.1.3.2: does `proof` show that `leaf_hash` is leaf `index` of the tree of `size`
// leaves with root `root`? Any index >= size, and any proof of the wrong length, is a no.
bool verify_inclusion(std::uint64_t index, std::uint64_t size, const Digest& leaf_hash,
                      std::span<const Digest> proof, const Digest& root, Sha256& hash);

// RFC 9162 section 2.1.4.2. Size 0 on the old side is always a no; equal sizes need equal roots and
// an empty proof.
bool verify_consistency(std::uint64_t old_size, std::uint64_t new_size, const Digest& old_root,
                        const Digest& new_root, std::span<const Digest> proof, Sha256& hash);

}  // namespace ethos::verify
