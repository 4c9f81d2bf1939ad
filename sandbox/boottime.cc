// SPDX-License-Identifier: Apache-2.0
#include "sandbox/boottime.h"

#include <time.h>

namespace ethos::sandbox {

std::uint64_t boottime_ns() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace ethos::sandbox
