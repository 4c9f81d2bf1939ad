// SPDX-License-Identifier: Apache-2.0
#include "sandbox/signal_guard.h"

#include <sys/signalfd.h>
#include <time.h>

#include <cerrno>

namespace ethos::sandbox {
namespace {

sigset_t ending_signals() {
  sigset_t out;
  sigemptyset(&out);
  for (const int sig : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&out, sig);
  return out;
}

}  // namespace

SignalGuard::SignalGuard() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
  is_outermost_ = sigismember(&before_, SIGTERM) != 1;
  const sigset_t ending = ending_signals();
  fd_.reset(signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalGuard::~SignalGuard() {
  // An inner guard leaves to the outer one what it did not read.
  if (is_outermost_) {
    sigset_t late = ending_signals();
    sigaddset(&late, SIGPIPE);
    const timespec now{0, 0};
    // A signal is pending at most twice, for the process and for this thread.
    for (int i = 0; i < 16 && (sigtimedwait(&late, nullptr, &now) > 0 || errno == EINTR); ++i) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace ethos::sandbox
