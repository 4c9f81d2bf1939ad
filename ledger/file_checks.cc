// SPDX-License-Identifier: Apache-2.0
#include "ledger/file_checks.h"

#include <sys/stat.h>

#include <cerrno>

namespace ethos::ledger {

using base::Errc;
using base::fail;
using base::Result;

Result<void> check_files(const LedgerFiles& files) {
  struct stat database {};
  if (::stat(files.database.c_str(), &database) != 0)
    return base::fail_errno(files.database, errno);
  if (!S_ISREG(database.st_mode))
    return fail(Errc::refused, files.database + ": is not a regular file");
  struct stat log {};
  const bool has_log = ::lstat(files.wal().c_str(), &log) == 0;
  if (has_log && !S_ISREG(log.st_mode))
    return fail(Errc::refused, files.wal() + ": is not a regular file");
  if (database.st_size == 0 && (!has_log || log.st_size == 0))
    return fail(Errc::malformed, files.database + ": is empty, not an ethos ledger");
  struct stat journal {};
  if (::lstat(files.journal().c_str(), &journal) == 0) {
    return fail(Errc::mismatch, files.journal() + ": a foreign journal lies beside the ledger");
  }
  return {};
}

std::string erasure_marker(const LedgerFiles& files) { return files.database + ".erasing"; }

bool is_erasure_unfinished(const LedgerFiles& files) {
  struct stat st {};
  return ::lstat(erasure_marker(files).c_str(), &st) == 0;
}

std::string unfinished_erasure_words() {
  return "an erasure was recorded but cut off: what was erased may still lie in the database file "
         "(ethos-ledger erase --finish)";
}

}  // namespace ethos::ledger
