// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "ledger/base/result.h"
#include "reports/options.h"
#include "reports/outputs.h"

namespace ethos::reports {

// All files of a report into `directory`, the manifest last (and the statement, with a key). `out`
// gets the manifest too, unless it is null.
base::Result<void> write_report(const Model& model, const Options& options, const OutputPlan& plan,
                                const std::string& directory, std::ostream* out);

}  // namespace ethos::reports
