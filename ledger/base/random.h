// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace ethos::base {

// Fills `out` from getrandom(2). Cannot fail: it waits until the kernel's pool is ready, and any
// other failure ends the process, since nothing may be signed or named without randomness.
void fill_random(std::span<std::byte> out);

template <std::size_t N>
std::array<std::byte, N> random_bytes() {
  std::array<std::byte, N> out{};
  fill_random(out);
  return out;
}

}  // namespace ethos::base
