// SPDX-License-Identifier: Apache-2.0
#include "sandbox/process_counter.h"

#include <algorithm>

namespace ethos::sandbox {

void ProcessCounter::sample() {
  const std::uint64_t now = count_();
  bound_ = now;
  peak_ = std::max(peak_, now);
}

bool ProcessCounter::may_fork(std::uint64_t now_ns) {
  if (limit_ == 0) return true;
  if (bound_ + 1 > limit_ && now_ns - counted_at_ns_ >= kRecountNs) {
    counted_at_ns_ = now_ns;
    sample();
  }
  if (bound_ + 1 > limit_) {
    ++refusals_;
    return false;
  }
  ++bound_;
  return true;
}

}  // namespace ethos::sandbox
