// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/file_lock.h"
#include "ledger/base/result.h"
#include "ledger/ledger_files.h"
#include "ledger/record/ids.h"

namespace ethos::ledger {

// Says "this run is alive" to everyone who shares the ledger: flock on `<ledger>.runs/<run id>`
// (docs/formats/store.md S-10). Take it before the run's first record. When the process dies the
// kernel lets go of the lock, and recovery may write run.abort. The descriptor is close-on-exec; a
// child made without exec must not keep it.
class RunLock {
 public:
  static base::Result<RunLock> create(const LedgerFiles& files, const record::RunId& run);
  // The run's end is committed: removes the file. Without this the file stays for recovery.
  base::Result<void> finish();
  [[nodiscard]] int fd() const { return lock_.fd().get(); }

 private:
  RunLock(base::FileLock lock, std::string path) : lock_(std::move(lock)), path_(std::move(path)) {}
  base::FileLock lock_;
  std::string path_;
};

}  // namespace ethos::ledger
