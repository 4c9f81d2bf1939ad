// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace ethos::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A property of the parser does not hold for this input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace ethos::fuzz
