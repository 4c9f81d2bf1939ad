// SPDX-License-Identifier: Apache-2.0
#include "sandbox/process_watch.h"

#include <algorithm>
#include <utility>

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kPeriodNs = 2'000'000'000;
constexpr std::uint64_t kLeastCpuMs = 500;

}  // namespace

void ProcessWatch::start_over() {
  since_ns_ = 0;
  looks_ = near_ = 0;
  was_at_limit_ = false;
}

bool ProcessWatch::is_bomb(std::uint64_t user_ms, std::uint64_t system_ms) const {
  // Tasks that were not waited for take their time with them: the sums may shrink.
  const std::uint64_t user = user_ms - std::min(user_ms, user_ms_);
  const std::uint64_t system = system_ms - std::min(system_ms, system_ms_);
  return was_at_limit_ && near_ * 4 >= looks_ * 3 && user + system >= kLeastCpuMs && system > user;
}

ProcessWatch::Finding ProcessWatch::look(std::uint64_t tasks, std::uint64_t user_ms,
                                         std::uint64_t system_ms, std::uint64_t now_ns) {
  peak_ = std::max(peak_, tasks);
  if (limit_ == 0) return Finding::nothing;
  const bool is_at_limit = tasks >= limit_;
  if (since_ns_ == 0 && is_near(tasks)) {
    since_ns_ = now_ns;
    user_ms_ = user_ms;
    system_ms_ = system_ms;
  }
  if (since_ns_ != 0) {
    ++looks_;
    if (is_near(tasks)) ++near_;
    was_at_limit_ |= is_at_limit;
    if (now_ns - since_ns_ >= kPeriodNs) {
      const bool found = is_bomb(user_ms, system_ms);
      start_over();
      if (found) return Finding::bomb;
    }
  }
  return is_at_limit && !std::exchange(has_reached_, true) ? Finding::reached : Finding::nothing;
}

}  // namespace ethos::sandbox
