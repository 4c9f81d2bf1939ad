// SPDX-License-Identifier: Apache-2.0
#include "ledger/run_lock.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "ledger/high_water.h"

namespace ethos::ledger {

using base::Errc;
using base::Result;
using base::Unexpected;

Result<RunLock> RunLock::create(const LedgerFiles& files, const record::RunId& run) {
  if (::mkdir(files.runs().c_str(), 0700) != 0 && errno != EEXIST) {
    return base::fail_errno(files.runs(), errno);
  }
  const std::string path = files.runs() + "/" + run.text();
  // Locked before it gets its name: recovery must never find an unlocked file of a live run.
  const std::string temp = path + ".new";
  auto fd = base::open_path(temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!fd) return Unexpected(std::move(fd).error());
  auto lock =
      base::FileLock::take(std::move(*fd), base::LockKind::exclusive, base::IfBusy::give_up, temp);
  if (!lock) return Unexpected(std::move(lock).error());
  const std::string text = std::to_string(high_water_size(files)) + "\n";
  auto ok = base::write_all(lock->fd(), base::as_bytes(text), temp);
  if (ok && ::rename(temp.c_str(), path.c_str()) != 0) ok = base::fail_errno(path, errno);
  if (!ok) {
    ::unlink(temp.c_str());
    return Unexpected(std::move(ok).error());
  }
  return RunLock(std::move(*lock), path);
}

Result<void> RunLock::finish() {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) return base::fail_errno(path_, errno);
  return {};
}

}  // namespace ethos::ledger
