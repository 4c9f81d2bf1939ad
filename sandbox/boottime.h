// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ethos::sandbox {

// CLOCK_BOOTTIME, which goes on while the machine sleeps.
[[nodiscard]] std::uint64_t boottime_ns();

}  // namespace ethos::sandbox
