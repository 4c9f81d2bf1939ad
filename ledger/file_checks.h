// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/result.h"
#include "ledger/ledger_files.h"

namespace ethos::ledger {

// What lies there, before SQLite sees it: it would wait on a fifo, write into an empty file, and
// roll a stale journal back, all without a word. The database is a regular file and not empty (its
// first page can still lie in the log alone), the log is a regular file or absent, and there is no
// journal.
base::Result<void> check_files(const LedgerFiles& files);

// `<ledger>.erasing`: an erasure was recorded whose rewriting of the database did not end, so that
// pages may still hold what was erased (docs/formats/commitment.md C-10).
std::string erasure_marker(const LedgerFiles& files);
bool is_erasure_unfinished(const LedgerFiles& files);
// What is said of it.
std::string unfinished_erasure_words();

}  // namespace ethos::ledger
