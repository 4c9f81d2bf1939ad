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

Result<FileLock> FileLock::create(const std::string& path, LockKind kind, IfBusy if_busy) {
  auto fd = open_regular(path, O_RDWR | O_CREAT, 0600);
  if (!fd) return Unexpected(std::move(fd).error());
  return take(std::move(*fd), kind, if_busy, path);
}

}  // namespace ethos::base
