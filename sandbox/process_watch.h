// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ethos::sandbox {

// The process limit on a host without a pids cgroup. The kernel refuses every task beyond it
// (RLIMIT_NPROC counts by user namespace and uid, and both are the run's own) and tells nobody, so
// the cage's tasks are counted at looks. Forks are not notified for it: a signal that comes before
// the supervisor takes the call makes it fail with EINTR, which no program expects of fork.
class ProcessWatch {
 public:
  // 0: no limit to watch.
  explicit ProcessWatch(std::uint64_t limit) : limit_(limit) {}

  enum class Finding {
    nothing,
    reached,  // for the first time as many tasks as may be
    bomb,     // stands at the limit and does little but ask the kernel for more
  };
  // `tasks` now, and CPU time of the whole cage so far. Bomb: for two seconds of looks at least
  // three of four saw the cage within an eighth of its limit, one saw it there, and of at least
  // half a second of CPU time meanwhile most was the kernel's.
  Finding look(std::uint64_t tasks, std::uint64_t user_ms, std::uint64_t system_ms,
               std::uint64_t now_ns);
  // Whether the CPU time matters at this count.
  [[nodiscard]] bool is_near(std::uint64_t tasks) const {
    return limit_ != 0 && tasks >= limit_ - limit_ / 8;
  }

  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }

 private:
  [[nodiscard]] bool is_bomb(std::uint64_t user_ms, std::uint64_t system_ms) const;
  void start_over();

  std::uint64_t limit_;
  std::uint64_t peak_ = 1;
  bool has_reached_ = false;
  // Of the period at hand, which begins with a look near the limit.
  std::uint64_t since_ns_ = 0;
  std::uint64_t user_ms_ = 0;
  std::uint64_t system_ms_ = 0;
  std::size_t looks_ = 0;
  std::size_t near_ = 0;
  bool was_at_limit_ = false;
};

}  // namespace ethos::sandbox
