// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"

namespace ethos::base {

enum class LockKind { shared, exclusive };
enum class IfBusy { wait, give_up };

// flock(2) on a file of its own, held until destruction. flock and not fcntl: a fcntl lock is lost
// when *any* descriptor of the file is closed by the process.
class FileLock {
 public:
  // Takes the lock on an open file. Errc::busy with IfBusy::give_up when somebody else holds it.
  static Result<FileLock> take(UniqueFd fd, LockKind kind, IfBusy if_busy, const std::string& name);
  // Creates `path` (mode 0600, no link followed) when it is missing.
  static Result<FileLock> create(const std::string& path, LockKind kind, IfBusy if_busy);

  // For a holder that lets others in for a while; between the two nothing is locked.
  Result<void> release();
  // Exclusive, waiting as long as it takes.
  Result<void> retake(const std::string& name);

  [[nodiscard]] const UniqueFd& fd() const { return fd_; }

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace ethos::base
