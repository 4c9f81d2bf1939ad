// SPDX-License-Identifier: Apache-2.0
#include "verify/tree.h"

#include <bit>
#include <cstddef>

#include "verify/hash_many.h"

namespace ethos::verify {

void SubtreeHashes::build(std::uint64_t first, std::span<const Digest> leaves, Sha256& hash) {
  std::uint64_t begin = first;
  std::span<const Digest> below = leaves;
  for (used_ = 0;; ++used_) {
    // Only pairs that begin at an even index are a node.
    if ((begin & 1U) != 0 && !below.empty()) {
      below = below.subspan(1);
      ++begin;
    }
    const std::size_t pairs = below.size() / 2;
    if (pairs == 0) return;
    if (levels_.size() == used_) levels_.emplace_back();
    Level& level = levels_[used_];
    level.first = begin / 2;
    level.nodes.resize(pairs);
    hash_nodes(below.first(2 * pairs), level.nodes, hash);
    begin = level.first;
    below = level.nodes;
  }
}

const Digest* SubtreeHashes::find(unsigned level, std::uint64_t index) const {
  if (level == 0 || level > used_) return nullptr;
  const Level& at = levels_[level - 1];
  const std::uint64_t offset = index - at.first;
  return index >= at.first && offset < at.nodes.size() ? &at.nodes[static_cast<std::size_t>(offset)] : nullptr;
}

void StreamingTree::append(const Digest& leaf_hash, Sha256& hash, const SubtreeHashes* known) {
  Digest carry = leaf_hash;
  // Each trailing 1 bit of the size is a perfect tree that the new leaf completes.
  unsigned level = 0;
  for (std::uint64_t bits = size_; (bits & 1U) != 0; bits >>= 1U) {
    ++level;
    const Digest* ready = known == nullptr ? nullptr : known->find(level, size_ >> level);
    carry = ready != nullptr ? *ready : hash_node(peaks_.back(), carry, hash);
    peaks_.pop_back();
  }
  peaks_.push_back(carry);
  ++size_;
}

Digest StreamingTree::root(Sha256& hash) const {
  if (peaks_.empty()) return hash.of({});
  Digest acc = peaks_.back();
  for (std::size_t i = peaks_.size() - 1; i > 0; --i) acc = hash_node(peaks_[i - 1], acc, hash);
  return acc;
}

bool verify_inclusion(std::uint64_t index, std::uint64_t size, const Digest& leaf_hash,
                      std::span<const Digest> proof, const Digest& root, Sha256& hash) {
  if (index >= size) return false;
  std::uint64_t fn = index;
  std::uint64_t sn = size - 1;
  Digest r = leaf_hash;
  for (const Digest& p : proof) {
    if (sn == 0) return false;
    if ((fn & 1U) != 0 || fn == sn) {
      r = hash.node(p, r);
      while ((fn & 1U) == 0 && fn != 0) {
        fn >>= 1U;
        sn >>= 1U;
      }
    } else {
      r = hash.node(r, p);
    }
    fn >>= 1U;
    sn >>= 1U;
  }
  return sn == 0 && r == root;
}

bool verify_consistency(std::uint64_t old_size, std::uint64_t new_size, const Digest& old_root,
                        const Digest& new_root, std::span<const Digest> proof, Sha256& hash) {
  if (old_size == 0 || old_size > new_size) return false;
  if (old_size == new_size) return proof.empty() && old_root == new_root;
  // An old size that is a power of two is itself a node of the new tree: the proof leaves it out.
  std::size_t next = 0;
  Digest first = old_root;
  if (!std::has_single_bit(old_size)) {
    if (proof.empty()) return false;
    first = proof[next++];
  }
  std::uint64_t fn = old_size - 1;
  std::uint64_t sn = new_size - 1;
  while ((fn & 1U) != 0) {
    fn >>= 1U;
    sn >>= 1U;
  }
  Digest fr = first;
  Digest sr = first;
  for (; next < proof.size(); ++next) {
    if (sn == 0) return false;
    const Digest& c = proof[next];
    if ((fn & 1U) != 0 || fn == sn) {
      fr = hash.node(c, fr);
      sr = hash.node(c, sr);
      while ((fn & 1U) == 0 && fn != 0) {
        fn >>= 1U;
        sn >>= 1U;
      }
    } else {
      sr = hash.node(sr, c);
    }
    fn >>= 1U;
    sn >>= 1U;
  }
  return sn == 0 && fr == old_root && sr == new_root;
}

}  // namespace ethos::verify
