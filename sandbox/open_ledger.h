// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "ledger/ledger_files.h"
#include "ledger/service/client.h"

namespace ethos::sandbox {

// A ledger that is there. One at the default place is made when nothing of it exists; one that was
// named and is missing is never replaced in silence.
struct ReadyLedger {
  ledger::LedgerFiles files;
  std::optional<std::string> note;  // one line worth telling: it was made just now
  // The service that writes it; absent when nobody does and the caller writes it directly.
  std::optional<ledger::service::Client> service;
};
// `service`: the socket of a service that must be there; else one that answers beside the ledger is
// used.
[[nodiscard]] base::Result<ReadyLedger> ready_ledger(const ledger::LedgerChoice& choice,
                                                     const std::optional<std::string>& service,
                                                     bool may_make, const base::Clock& clock);

}  // namespace ethos::sandbox
