// SPDX-License-Identifier: Apache-2.0
#include "sandbox/interruption.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <utility>

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;

// While the machine sleeps nothing takes long.
std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 * kNsPerMs +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

Interruption::Interruption(int signal_fd, std::uint64_t most_ms, std::function<void()> probe)
    : signal_fd_(signal_fd),
      most_ms_(most_ms),
      deadline_ns_(monotonic_ns() + most_ms * kNsPerMs),
      probe_(std::move(probe)) {}

Interruption::Interruption(int signal_fd, std::uint64_t most_ms, Takes takes)
    : Interruption(signal_fd, most_ms) {
  takes_ = takes;
}

bool Interruption::has_signal() {
  if (takes_ == Takes::nothing) {
    pollfd waiting{signal_fd_, POLLIN, 0};
    return poll(&waiting, 1, 0) == 1 && (waiting.revents & POLLIN) != 0;
  }
  signalfd_siginfo info{};
  if (signal_fd_ < 0 || read(signal_fd_, &info, sizeof info) != sizeof info) return false;
  signal_ = static_cast<int>(info.ssi_signo);
  return true;
}

bool Interruption::is_over() {
  if (reason_ != Reason::none) return true;
  if (probe_) probe_();
  if (has_signal()) {
    reason_ = Reason::signal;
  } else if (monotonic_ns() >= deadline_ns_) {
    reason_ = Reason::time;
  }
  return reason_ != Reason::none;
}

}  // namespace ethos::sandbox
