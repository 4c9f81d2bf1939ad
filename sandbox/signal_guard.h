// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include "ledger/base/unique_fd.h"

namespace ethos::sandbox {

// All signals blocked for the calling thread, and for threads it starts, while it lives. SIGINT,
// SIGTERM and SIGHUP can be read from fd(); what is left of them, and of a SIGPIPE of our own
// writing, is dropped at the end: a run whose last record is written is over, and what comes late
// ends nothing any more. May be nested; only the outermost one unblocks.
class SignalGuard {
 public:
  SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard();
  // signalfd(2), not blocking; -1 when the kernel gave none.
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  sigset_t before_{};
  bool is_outermost_ = true;
  base::UniqueFd fd_;
};

}  // namespace ethos::sandbox
