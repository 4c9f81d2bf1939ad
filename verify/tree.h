// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verify/digest.h"

namespace ethos::verify {

// The RFC 6962 tree, fed leaf by leaf. Memory is one hash a level.
class StreamingTree {
 public:
  void append(const Digest& leaf_hash, Sha256& hash);
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
