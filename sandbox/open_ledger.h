// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "ledger/ledger_files.h"

namespace ethos::sandbox {

// A ledger that is there. One at the default place is made when nothing of it exists; one that was
// named and is missing is never replaced in silence.
struct ReadyLedger {
  ledger::LedgerFiles files;
  std::optional<std::string> note;  // one line worth telling: it was made just now
};
[[nodiscard]] base::Result<ReadyLedger> ready_ledger(const ledger::LedgerChoice& choice,
                                                     bool may_make, const base::Clock& clock);

}  // namespace ethos::sandbox
