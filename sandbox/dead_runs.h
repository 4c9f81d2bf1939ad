// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "ledger/appender.h"
#include "ledger/base/result.h"
#include "ledger/ledger_files.h"

namespace ethos::sandbox {

// Where a run notes what it is about to bring out of its staged grants, beside its lock file.
[[nodiscard]] std::string journal_of(const ledger::LedgerFiles& files, const std::string& run);

// What killed runners left half brought out is undone, by the journals beside these files.
[[nodiscard]] base::Result<void> undo_dead_commits(const ledger::LedgerFiles& files,
                                                   std::ostream& err);

// At every start: what a killed runner left half brought out is undone, and its run gets run.abort.
[[nodiscard]] base::Result<void> end_dead_runs(ledger::Appender& appender, bool is_quiet,
                                               std::ostream& err);

}  // namespace ethos::sandbox
