// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/result.h"
#include "reports/attest.h"
#include "reports/model.h"

namespace ethos::reports {

// An in-toto Statement v1 with a runtime-trace v0.1 of all runs of the period
// (docs/report-model.md, format `intoto`): what ran, and every act that was refused, with record
// number and leaf hash. `report` is report.json, which has the rest. Long lists are cut, and say by
// how much. Errc::refused for a model that is not verified.
base::Result<std::string> trace_statement(const Model& model, const Subject& report);

}  // namespace ethos::reports
