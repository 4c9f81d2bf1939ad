// SPDX-License-Identifier: Apache-2.0
#include "ledger/range_check.h"

#include <bit>
#include <string>

namespace ethos::ledger {
namespace {

// Leaves below the peak that begins at `first` in a tree of `size`: the biggest power of two that fits.
std::uint64_t peak_width(std::uint64_t first, std::uint64_t size) {
  return std::bit_floor(size - first);
}

}  // namespace

RangeCheck::RangeCheck(const record::MerkleFrontier& signed_tree, std::uint64_t from,
                       std::uint64_t to)
    : signed_tree_(signed_tree) {
  const std::uint64_t size = signed_tree.size();
  while (first_ + peak_width(first_, size) <= from) {
    first_ += peak_width(first_, size);
    ++peak_;
  }
  for (end_ = first_; end_ < to;) end_ += peak_width(end_, size);
  peak_first_ = first_;
}

base::Result<void> RangeCheck::append(const record::LeafHash& leaf) {
  built_.append(leaf);
  const std::uint64_t width = peak_width(peak_first_, signed_tree_.size());
  if (built_.size() < width) return {};
  if (built_.root() != signed_tree_.peaks()[peak_]) {
    return base::fail(base::Errc::mismatch,
                      "records " + std::to_string(peak_first_) + " to " +
                          std::to_string(peak_first_ + width - 1) +
                          " are not those of the signed checkpoint: one of them was changed");
  }
  peak_first_ += width;
  ++peak_;
  built_ = {};
  return {};
}

}  // namespace ethos::ledger
