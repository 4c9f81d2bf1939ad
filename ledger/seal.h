// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ledger/appender.h"
#include "ledger/base/result.h"
#include "ledger/holds.h"

namespace ethos::ledger {

enum class OpenRuns { refuse, accept };

// Ends the ledger (docs/formats/record.md R-30): nothing can be added any more, by anybody.
//   Errc::refused  a run has no end yet
//   Errc::busy     somebody wrote in the meantime
base::Result<Committed> seal(Appender& appender, const Order& order, OpenRuns open_runs);

}  // namespace ethos::ledger
