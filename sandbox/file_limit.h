// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sandbox/launch.h"

namespace ethos::sandbox {

// Is there, where the tool could write, a regular file of just this size? A write that goes beyond
// the limit of a file's size leaves one before SIGXFSZ comes. Looks for two seconds at most, at names
// that are still there.
[[nodiscard]] bool has_file_of_size(const Plan& plan, const Launch& launch, std::uint64_t size);

}  // namespace ethos::sandbox
