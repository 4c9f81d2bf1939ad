// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ledger/base/result.h"
#include "ledger/record/merkle_tree.h"

namespace ethos::ledger {

// Holds the leaf hashes of some records against a root without reading those of all others: the
// peaks give the root, and each record lies below one of them (docs/formats/checkpoint.md T-3).
class RangeCheck {
 public:
  // Of [from, to), where from < to <= signed_tree.size().
  RangeCheck(const record::MerkleFrontier& signed_tree, std::uint64_t from, std::uint64_t to);
  // The leaves that must be given, in order: those of the peaks that the range lies below.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  // Errc::mismatch as soon as a peak does not come out.
  base::Result<void> append(const record::LeafHash& leaf);

 private:
  const record::MerkleFrontier& signed_tree_;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t peak_first_ = 0;  // first leaf below the peak that is being built
  std::size_t peak_ = 0;
  record::MerkleFrontier built_;
};

}  // namespace ethos::ledger
