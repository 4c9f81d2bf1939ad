// SPDX-License-Identifier: Apache-2.0
#include "reports/tree_root.h"

#include <cassert>
#include <cstring>

namespace ethos::reports {
namespace {

std::string_view as_text(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

}  // namespace

Hash hash_of(std::string_view bytes) {
  assert(bytes.size() == std::tuple_size_v<Hash>);
  Hash out{};
  std::memcpy(out.data(), bytes.data(), out.size());
  return out;
}

Hash TreeRoot::add(std::string_view record) {
  const Hash leaf = hasher_.add(std::string_view("\0", 1)).add(record).finish();
  add_leaf(leaf);
  return leaf;
}

void TreeRoot::add_leaf(const Hash& leaf) {
  peaks_.push_back(leaf);
  // One merge for each trailing 1 bit of the old size.
  for (std::uint64_t bits = size_; (bits & 1U) != 0; bits >>= 1U) {
    const Hash right = peaks_.back();
    peaks_.pop_back();
    peaks_.back() = node(peaks_.back(), right);
  }
  ++size_;
}

Hash TreeRoot::root() {
  if (peaks_.empty()) return hasher_.finish();
  Hash all = peaks_.back();
  for (std::size_t i = peaks_.size() - 1; i > 0; --i) all = node(peaks_[i - 1], all);
  return all;
}

Hash TreeRoot::node(const Hash& left, const Hash& right) {
  return hasher_.add("\x01").add(as_text(left)).add(as_text(right)).finish();
}

}  // namespace ethos::reports
