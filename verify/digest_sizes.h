// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "verify/digest.h"

namespace ethos::verify {

// Digests of contents and the sizes that records gave them. Of two that share a place the later one
// stays: so it has a bound, whatever a ledger holds.
class DigestSizes {
 public:
  // False: the digest was told with another size.
  bool agrees(const Digest& digest, std::uint64_t size) {
    if (slots_.empty()) slots_.resize(kSlots);
    std::uint16_t place = 0;
    std::memcpy(&place, digest.bytes.data() + 16, sizeof place);
    Slot& slot = slots_[place % kSlots];
    Key key{};
    std::memcpy(key.data(), digest.bytes.data(), key.size());
    const bool is_known = slot.is_used && slot.key == key;
    const bool fits = !is_known || slot.size == size;
    if (!is_known) slot = {key, size, true};
    return fits;
  }

 private:
  static constexpr std::size_t kSlots = 16'384;
  using Key = std::array<unsigned char, 16>;
  struct Slot {
    Key key{};
    std::uint64_t size = 0;
    bool is_used = false;
  };
  std::vector<Slot> slots_;
};

}  // namespace ethos::verify
