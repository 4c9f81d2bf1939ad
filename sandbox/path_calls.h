// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace ethos::sandbox {

// Where a path-changing call keeps its paths.
struct PathArg {
  int dir = -1;  // index of the descriptor argument, -1: relative to the working directory
  int path = 0;  // index of the pointer argument
};

struct PathCall {
  int count = 0;
  std::array<PathArg, 2> paths{};
  int mode_arg = -1;  // file mode that may carry set-id bits
};

// Layout of an x86_64 call of class path_change; count 0 for any other.
[[nodiscard]] PathCall path_call(std::int32_t nr);

}  // namespace ethos::sandbox
