// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/merkle_tree.h"

#include <bit>
#include <cassert>

namespace ethos::record {
namespace {

using base::Errc;
using base::fail;
using base::Result;

constexpr std::array<std::byte, 1> kLeafPrefix{std::byte{0}};
constexpr std::array<std::byte, 1> kNodePrefix{std::byte{1}};

// The largest power of two smaller than n (n >= 2).
std::uint64_t split_point(std::uint64_t n) { return std::bit_floor(n - 1); }

// RFC 9162 2.1.4.1, SUBPROOF: `is_whole` says that the old tree is the whole of this part.
void append_subproof(const RangeRoot& root_of, std::uint64_t first, std::uint64_t old_count,
                     std::uint64_t count, bool is_whole, std::vector<Digest>& out) {
  if (old_count == count) {
    if (!is_whole) out.push_back(root_of(first, count));
    return;
  }
  const std::uint64_t k = split_point(count);
  if (old_count <= k) {
    append_subproof(root_of, first, old_count, k, is_whole, out);
    out.push_back(root_of(first + k, count - k));
  } else {
    append_subproof(root_of, first + k, old_count - k, count - k, false, out);
    out.push_back(root_of(first, k));
  }
}

}  // namespace

LeafHash leaf_hash(base::ByteSpan record) { return sha256({kLeafPrefix, record}); }

Digest node_hash(const Digest& left, const Digest& right) {
  return sha256({kNodePrefix, left.bytes(), right.bytes()});
}

RootHash empty_root() { return sha256({}); }

Result<MerkleFrontier> MerkleFrontier::from_peaks(std::uint64_t size, std::vector<Digest> peaks) {
  if (peaks.size() != static_cast<std::size_t>(std::popcount(size))) {
    return fail(Errc::malformed, "peaks: their number does not fit the size");
  }
  MerkleFrontier out;
  out.size_ = size;
  out.peaks_ = std::move(peaks);
  return out;
}

void MerkleFrontier::append(const LeafHash& leaf) {
  Digest carry = leaf;
  // Each trailing one bit of the size is a full subtree that the carry completes.
  for (std::uint64_t bits = size_; (bits & 1U) != 0; bits >>= 1U) {
    carry = node_hash(peaks_.back(), carry);
    peaks_.pop_back();
  }
  peaks_.push_back(carry);
  ++size_;
}

RootHash MerkleFrontier::root() const {
  if (peaks_.empty()) return empty_root();
  Digest acc = peaks_.back();
  for (std::size_t i = peaks_.size() - 1; i > 0; --i) acc = node_hash(peaks_[i - 1], acc);
  return acc;
}

Digest subtree_root(const LeafReader& leaves, std::uint64_t first, std::uint64_t count) {
  assert(count >= 1);
  MerkleFrontier frontier;
  for (std::uint64_t i = 0; i < count; ++i) frontier.append(leaves(first + i));
  return frontier.root();
}

std::vector<Digest> inclusion_proof(const RangeRoot& root_of, std::uint64_t index,
                                    std::uint64_t size) {
  assert(index < size);
  std::vector<Digest> top_down;
  std::uint64_t first = 0;
  std::uint64_t count = size;
  while (count > 1) {
    const std::uint64_t k = split_point(count);
    if (index - first < k) {
      top_down.push_back(root_of(first + k, count - k));
      count = k;
    } else {
      top_down.push_back(root_of(first, k));
      first += k;
      count -= k;
    }
  }
  return {top_down.rbegin(), top_down.rend()};
}

std::vector<Digest> consistency_proof(const RangeRoot& root_of, std::uint64_t old_size,
                                      std::uint64_t new_size) {
  assert(old_size > 0 && old_size <= new_size);
  std::vector<Digest> out;
  append_subproof(root_of, 0, old_size, new_size, true, out);
  return out;
}

namespace {

RangeRoot from_leaves(const LeafReader& leaves) {
  return [&leaves](std::uint64_t first, std::uint64_t count) {
    return subtree_root(leaves, first, count);
  };
}

}  // namespace

std::vector<Digest> inclusion_proof(const LeafReader& leaves, std::uint64_t index,
                                    std::uint64_t size) {
  return inclusion_proof(from_leaves(leaves), index, size);
}

std::vector<Digest> consistency_proof(const LeafReader& leaves, std::uint64_t old_size,
                                      std::uint64_t new_size) {
  return consistency_proof(from_leaves(leaves), old_size, new_size);
}

Result<void> verify_inclusion(const LeafHash& leaf, std::uint64_t index, std::uint64_t size,
                              std::span<const Digest> proof, const RootHash& root) {
  if (index >= size) return fail(Errc::malformed, "inclusion proof: index beyond the tree");
  std::uint64_t fn = index;
  std::uint64_t sn = size - 1;
  Digest acc = leaf;
  for (const Digest& sibling : proof) {
    if (sn == 0) return fail(Errc::malformed, "inclusion proof: too long");
    if ((fn & 1U) != 0 || fn == sn) {
      acc = node_hash(sibling, acc);
      while ((fn & 1U) == 0 && fn != 0) {
        fn >>= 1U;
        sn >>= 1U;
      }
    } else {
      acc = node_hash(acc, sibling);
    }
    fn >>= 1U;
    sn >>= 1U;
  }
  if (sn != 0) return fail(Errc::malformed, "inclusion proof: too short");
  if (acc != root) return fail(Errc::mismatch, "inclusion proof: leads to another root");
  return {};
}

namespace {

// Both trees' roots as the proof gives them, from the first hash on (RFC 9162 2.1.4.2, steps 3 to
// 6).
struct RootPair {
  Digest old_root;
  Digest new_root;
};

Result<RootPair> fold_consistency(std::uint64_t old_size, std::uint64_t new_size,
                                  const Digest& first, std::span<const Digest> rest) {
  std::uint64_t fn = old_size - 1;
  std::uint64_t sn = new_size - 1;
  while ((fn & 1U) != 0) {
    fn >>= 1U;
    sn >>= 1U;
  }
  RootPair roots{first, first};
  for (const Digest& sibling : rest) {
    if (sn == 0) return fail(Errc::malformed, "consistency proof: too long");
    if ((fn & 1U) != 0 || fn == sn) {
      roots.old_root = node_hash(sibling, roots.old_root);
      roots.new_root = node_hash(sibling, roots.new_root);
      while ((fn & 1U) == 0 && fn != 0) {
        fn >>= 1U;
        sn >>= 1U;
      }
    } else {
      roots.new_root = node_hash(roots.new_root, sibling);
    }
    fn >>= 1U;
    sn >>= 1U;
  }
  if (sn != 0) return fail(Errc::malformed, "consistency proof: too short");
  return roots;
}

}  // namespace

Result<void> verify_consistency(std::uint64_t old_size, const RootHash& old_root,
                                std::uint64_t new_size, const RootHash& new_root,
                                std::span<const Digest> proof) {
  if (old_size == 0 || old_size > new_size) {
    return fail(Errc::malformed, "consistency proof: impossible sizes");
  }
  if (old_size == new_size) {
    if (!proof.empty()) return fail(Errc::malformed, "consistency proof: too long");
    if (old_root == new_root) return {};
    return fail(Errc::mismatch, "consistency proof: equal size, other root");
  }
  // An old tree that is one full subtree is its own first proof element.
  const bool is_full = std::has_single_bit(old_size);
  if (!is_full && proof.empty()) return fail(Errc::malformed, "consistency proof: too short");
  const Digest first = is_full ? old_root : proof.front();
  auto roots = fold_consistency(old_size, new_size, first, proof.subspan(is_full ? 0 : 1));
  if (!roots) return base::Unexpected(std::move(roots).error());
  if (roots->old_root != old_root || roots->new_root != new_root) {
    return fail(Errc::mismatch, "consistency proof: leads to other roots");
  }
  return {};
}

}  // namespace ethos::record
