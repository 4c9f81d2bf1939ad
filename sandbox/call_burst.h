// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <time.h>

#include <cstdint>
#include <optional>

// Waiting for a call in the listener itself, instead of beside the other descriptors, saves a tenth
// of what a call costs. That is right for as long as calls come one after the other; a timer's
// signal ends the wait when none comes, and the caller looks at the rest in between.
namespace ethos::sandbox {

class CallBurst {
 public:
  // How long the other descriptors may wait.
  static constexpr std::uint64_t kLongestNs = 2'000'000;

  CallBurst() = default;
  CallBurst(const CallBurst&) = delete;
  CallBurst& operator=(const CallBurst&) = delete;
  ~CallBurst();

  // Called for each call: whether so many came so soon after each other that a burst is due.
  [[nodiscard]] bool is_due(std::uint64_t now_ns);
  // From now on what waits is interrupted (EINTR) again and again, in this thread alone. False:
  // there is no timer, and there will be none.
  [[nodiscard]] bool begin();
  // `is_idle`: the last wait was in vain, so that the next burst has to be earned again.
  void end(bool is_idle);

 private:
  bool open();

  std::optional<timer_t> timer_;
  struct sigaction before_ {};
  bool has_failed_ = false;
  std::uint64_t last_ns_ = 0;
  int in_a_row_ = 0;
};

}  // namespace ethos::sandbox
