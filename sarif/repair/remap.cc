// SPDX-License-Identifier: Apache-2.0
#include "sarif/repair/remap.h"

namespace ethos::sarif {

void Remap::add(const validation::ItemDigest& digest) {
  const auto index = static_cast<std::uint32_t>(original_.size());
  const auto [place, is_new] = first_.emplace(digest, index);
  original_.push_back(place->second);
  if (is_new) {
    position_.push_back(kept_++);
  } else {
    position_.push_back(position_[place->second]);
    ++merged_;
  }
}

void Remap::keep_all() {
  for (std::size_t i = 0; i < original_.size(); ++i) {
    original_[i] = position_[i] = static_cast<std::uint32_t>(i);
  }
  merged_ = 0;
}

std::optional<std::size_t> Remap::merged_with(std::size_t index) const {
  if (index >= original_.size() || original_[index] == index) return std::nullopt;
  return original_[index];
}

std::optional<std::int64_t> Remap::moved(std::int64_t index) const {
  if (index < 0 || static_cast<std::uint64_t>(index) >= position_.size()) return std::nullopt;
  const std::int64_t now = position_[static_cast<std::size_t>(index)];
  if (now == index) return std::nullopt;
  return now;
}

}  // namespace ethos::sarif
