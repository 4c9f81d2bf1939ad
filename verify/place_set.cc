// SPDX-License-Identifier: Apache-2.0
#include "verify/place_set.h"

#include <cassert>

namespace ethos::verify {

void PlaceSet::add(std::int64_t place) {
  const auto number = static_cast<std::uint64_t>(place);
  Block& block = blocks_.try_emplace(number / kBlock).first->second;
  block[number % kBlock / 64] |= std::uint64_t{1} << number % 64;
}

bool PlaceSet::contains(std::int64_t place) const {
  const auto number = static_cast<std::uint64_t>(place);
  const auto block = blocks_.find(number / kBlock);
  return block != blocks_.end() && (block->second[number % kBlock / 64] >> number % 64 & 1U) != 0;
}

void AscendingList::add(std::uint64_t number) {
  assert(number >= last_);
  std::uint64_t step = number - last_;
  last_ = number;
  for (; step >= 0x80; step >>= 7U) steps_.push_back(static_cast<char>(step | 0x80U));
  steps_.push_back(static_cast<char>(step));
}

std::uint64_t AscendingList::count_above(std::uint64_t limit) const {
  std::uint64_t out = 0;
  std::uint64_t number = 0;
  std::uint64_t step = 0;
  unsigned shift = 0;
  for (const char c : steps_) {
    const auto byte = static_cast<unsigned char>(c);
    step |= std::uint64_t{byte & 0x7fU} << shift;
    shift += 7;
    if ((byte & 0x80U) != 0) continue;
    number += step;
    if (number > limit) ++out;
    step = 0;
    shift = 0;
  }
  return out;
}

}  // namespace ethos::verify
