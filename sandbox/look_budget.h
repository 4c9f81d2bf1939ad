// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>

#include "sandbox/boottime.h"

namespace ethos::sandbox {

// What one look at a cage may take, since nothing else of the run is served meanwhile: this
// thread's processor time, and wall time where single calls take long.
class LookBudget {
 public:
  constexpr LookBudget(std::uint64_t cpu_ns, std::uint64_t wall_ns)
      : most_cpu_(cpu_ns), most_wall_(wall_ns) {}
  // From now on.
  void start() {
    cpu_ = cpu_ns();
    wall_ = boottime_ns();
  }
  [[nodiscard]] bool is_spent() const {
    return cpu_ns() - cpu_ >= most_cpu_ || boottime_ns() - wall_ >= most_wall_;
  }

 private:
  static std::uint64_t cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(now.tv_nsec);
  }
  std::uint64_t most_cpu_;
  std::uint64_t most_wall_;
  std::uint64_t cpu_ = 0;
  std::uint64_t wall_ = 0;
};

}  // namespace ethos::sandbox
