// SPDX-License-Identifier: Apache-2.0
#include "sandbox/call_burst.h"

#include <unistd.h>

namespace ethos::sandbox {
namespace {

// Blocked for the whole process while a cage runs (SignalGuard), except here.
constexpr int kSignal = SIGALRM;
constexpr int kEnough = 64;
constexpr std::uint64_t kSoonNs = 200'000;

sigset_t only_signal() {
  sigset_t out;
  sigemptyset(&out);
  sigaddset(&out, kSignal);
  return out;
}

void interrupt(int /*signal*/) {}

bool set(timer_t timer, std::uint64_t ns) {
  // Again and again: the first may come just before the wait begins.
  const timespec each{0, static_cast<long>(ns)};
  const itimerspec when{each, each};
  return timer_settime(timer, 0, &when, nullptr) == 0;
}

}  // namespace

CallBurst::~CallBurst() {
  if (!timer_) return;
  timer_delete(*timer_);
  // One that is on its way would end the process later.
  const sigset_t late = only_signal();
  const timespec now{0, 0};
  sigtimedwait(&late, nullptr, &now);
  sigaction(kSignal, &before_, nullptr);
}

bool CallBurst::is_due(std::uint64_t now_ns) {
  in_a_row_ = now_ns - last_ns_ < kSoonNs ? in_a_row_ + 1 : 0;
  last_ns_ = now_ns;
  return in_a_row_ >= kEnough && !has_failed_;
}

bool CallBurst::open() {
  if (timer_) return true;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = kSignal;
  event._sigev_un._tid = gettid();  // glibc has no name for it yet
  timer_t timer{};
  struct sigaction ours {};
  ours.sa_handler = interrupt;  // and no SA_RESTART
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return false;
  if (sigaction(kSignal, &ours, &before_) != 0) {
    timer_delete(timer);
    return false;
  }
  timer_ = timer;
  return true;
}

bool CallBurst::begin() {
  // Twice as long, or the signal would end a burst in which calls still come.
  has_failed_ = !open() || !set(*timer_, 2 * kLongestNs);
  if (has_failed_) return false;
  const sigset_t signals = only_signal();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  return true;
}

void CallBurst::end(bool is_idle) {
  const sigset_t signals = only_signal();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  set(*timer_, 0);
  if (is_idle) in_a_row_ = 0;
}

}  // namespace ethos::sandbox
