// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/node_collector.h"

#include <bit>
#include <cassert>

namespace ethos::record {
namespace {

// A perfect subtree of 2^level leaves, the index-th of its level. Indexes stay below 2^53.
std::uint64_t key_of(unsigned level, std::uint64_t index) {
  return (static_cast<std::uint64_t>(level) << 56U) | index;
}

}  // namespace

// Splits as RFC 6962 does; what remains are perfect subtrees, which start at multiples of their
// size.
void NodeCollector::want_range(std::uint64_t first, std::uint64_t count) {
  while (!std::has_single_bit(count)) {
    const std::uint64_t k = std::bit_floor(count);
    want_range(first, k);
    first += k;
    count -= k;
  }
  const auto level = static_cast<unsigned>(std::countr_zero(count));
  wanted_.try_emplace(key_of(level, first >> level));
}

Digest NodeCollector::range_root(std::uint64_t first, std::uint64_t count) const {
  if (!std::has_single_bit(count)) {
    const std::uint64_t k = std::bit_floor(count);
    return node_hash(range_root(first, k), range_root(first + k, count - k));
  }
  const auto level = static_cast<unsigned>(std::countr_zero(count));
  const auto found = wanted_.find(key_of(level, first >> level));
  assert(found != wanted_.end() && first + count <= frontier_size_);
  return found->second;
}

void NodeCollector::want_inclusion(std::uint64_t index, std::uint64_t size) {
  inclusion_proof(
      [this](std::uint64_t first, std::uint64_t count) {
        want_range(first, count);
        return Digest();
      },
      index, size);
}

void NodeCollector::want_consistency(std::uint64_t old_size, std::uint64_t new_size) {
  consistency_proof(
      [this](std::uint64_t first, std::uint64_t count) {
        want_range(first, count);
        return Digest();
      },
      old_size, new_size);
}

void NodeCollector::complete(unsigned level, std::uint64_t index, const Digest& node) {
  const auto found = wanted_.find(key_of(level, index));
  if (found != wanted_.end()) found->second = node;
}

void NodeCollector::append(const LeafHash& leaf) {
  Digest carry = leaf;
  unsigned level = 0;
  complete(level, frontier_size_, carry);
  for (std::uint64_t bits = frontier_size_; (bits & 1U) != 0; bits >>= 1U) {
    carry = node_hash(peaks_.back(), carry);
    peaks_.pop_back();
    ++level;
    complete(level, frontier_size_ >> level, carry);
  }
  peaks_.push_back(carry);
  ++frontier_size_;
}

std::vector<Digest> NodeCollector::inclusion(std::uint64_t index, std::uint64_t size) const {
  return inclusion_proof(
      [this](std::uint64_t first, std::uint64_t count) { return range_root(first, count); }, index,
      size);
}

std::vector<Digest> NodeCollector::consistency(std::uint64_t old_size,
                                               std::uint64_t new_size) const {
  return consistency_proof(
      [this](std::uint64_t first, std::uint64_t count) { return range_root(first, count); },
      old_size, new_size);
}

}  // namespace ethos::record
