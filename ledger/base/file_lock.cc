// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "ledger/base/paths.h"

namespace ethos::base {

Result<FileLock> FileLock::take(UniqueFd fd, LockKind kind, IfBusy if_busy,
                                const std::string& name) {
  const int operation =
      (kind == LockKind::shared ? LOCK_SH : LOCK_EX) | (if_busy == IfBusy::give_up ? LOCK_NB : 0);
  while (::flock(fd.get(), operation) != 0) {
    if (errno != EINTR) return fail_errno(name, errno);
  }
  return FileLock(std::move(fd));
}

Result<void> FileLock::release() {
  return ::flock(fd_.get(), LOCK_UN) == 0 ? Result<void>() : fail_errno("unlock", errno);
}

Result<void> FileLock::retake(const std::string& name) {
  while (::flock(fd_.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return fail_errno(name, errno);
  }
  return {};
}

Result<FileLock> FileLock::create(const std::string& path, LockKind kind, IfBusy if_busy) {
  auto fd = open_regular(path, O_RDWR | O_CREAT, 0600);
  if (!fd) return Unexpected(std::move(fd).error());
  return take(std::move(*fd), kind, if_busy, path);
}

}  // namespace ethos::base
