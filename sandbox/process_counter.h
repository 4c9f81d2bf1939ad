// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace ethos::sandbox {

// The process limit on a host without a pids cgroup: every fork is notified, and this says whether
// one more may be. Between exact counts it keeps an upper bound (last count + forks since), so that
// counting, which is slow, happens only near the limit and at most once a millisecond.
class ProcessCounter {
 public:
  using Count = std::function<std::uint64_t()>;  // tasks in the cage now, init and threads included

  ProcessCounter(std::uint64_t limit, Count count) : limit_(limit), count_(std::move(count)) {}

  // 0 limit: unlimited.
  bool may_fork(std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  [[nodiscard]] std::uint64_t refusals() const { return refusals_; }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }
  // Another exact count, e.g. from a timer.
  void sample();

 private:
  static constexpr std::uint64_t kRecountNs = 1'000'000;

  std::uint64_t limit_;
  Count count_;
  std::uint64_t bound_ = 2;  // init and the tool
  std::uint64_t counted_at_ns_ = 0;
  std::uint64_t refusals_ = 0;
  std::uint64_t peak_ = 1;
};

}  // namespace ethos::sandbox
