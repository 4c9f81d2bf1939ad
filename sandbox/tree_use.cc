// SPDX-License-Identifier: Apache-2.0
#include "sandbox/tree_use.h"

#include <algorithm>

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

std::uint64_t us(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kMillion +
         static_cast<std::uint64_t>(time.tv_usec);
}

timeval as_time(std::uint64_t us) {
  return {static_cast<time_t>(us / kMillion), static_cast<suseconds_t>(us % kMillion)};
}

}  // namespace

void raise_use(struct rusage& usage, const TreeUse& alive) {
  usage.ru_maxrss = std::max(usage.ru_maxrss, static_cast<long>(alive.max_rss_kib));
  raise_cpu(usage, alive.cpu.user_ms * 1000, alive.cpu.system_ms * 1000);
}

void raise_cpu(struct rusage& usage, std::uint64_t user_us, std::uint64_t system_us) {
  if (user_us + system_us <= us(usage.ru_utime) + us(usage.ru_stime)) return;
  usage.ru_utime = as_time(user_us);
  usage.ru_stime = as_time(system_us);
}

}  // namespace ethos::sandbox
