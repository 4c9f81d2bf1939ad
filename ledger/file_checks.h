// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ledger/base/result.h"
#include "ledger/ledger_files.h"

namespace ethos::ledger {

// What lies there, before SQLite sees it: it would wait on a fifo, write into an empty file, and
// roll a stale journal back, all without a word. The database is a regular file and not empty (its
// first page can still lie in the log alone), the log is a regular file or absent, and there is no
// journal.
base::Result<void> check_files(const LedgerFiles& files);

}  // namespace ethos::ledger
