// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ledger/record/merkle_tree.h"

namespace ethos::record {

// Proofs from one pass over the leaves, in memory for the proofs only: first say which proofs are
// wanted, then append every leaf, then take them. (inclusion_proof reads the leaves again for
// each.)
class NodeCollector {
 public:
  void want_inclusion(std::uint64_t index, std::uint64_t size);
  void want_consistency(std::uint64_t old_size, std::uint64_t new_size);

  void append(const LeafHash& leaf);
  [[nodiscard]] std::uint64_t size() const { return frontier_size_; }

  // Only what was wanted, once enough leaves were appended.
  [[nodiscard]] std::vector<Digest> inclusion(std::uint64_t index, std::uint64_t size) const;
  [[nodiscard]] std::vector<Digest> consistency(std::uint64_t old_size,
                                                std::uint64_t new_size) const;

 private:
  void want_range(std::uint64_t first, std::uint64_t count);
  [[nodiscard]] Digest range_root(std::uint64_t first, std::uint64_t count) const;
  void complete(unsigned level, std::uint64_t index, const Digest& node);

  std::unordered_map<std::uint64_t, Digest> wanted_;  // perfect subtrees by level and index
  std::vector<Digest> peaks_;
  std::uint64_t frontier_size_ = 0;
};

}  // namespace ethos::record
