// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ledger/appender.h"
#include "ledger/base/result.h"
#include "ledger/record/ids.h"

namespace ethos::ledger {

// Writes run.abort for each run that died without an end: its file under `<ledger>.runs` can be
// locked, it has records, and none of them is run.close or run.abort. Live runs, of this process
// and others, are left alone. Returns the runs that were aborted. Costs one readdir when there is
// nothing to do.
// `all` also ends the runs that a service began and did not end: for an operator who knows that
// neither it nor their producers come back.
enum class DeadRuns { direct, all };
base::Result<std::vector<record::RunId>> recover_runs(Appender& appender,
                                                      DeadRuns whose = DeadRuns::direct);

}  // namespace ethos::ledger
