// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/model.h"
#include "reports/sink.h"

namespace ethos::reports {

// The comparison of grants alone, for a terminal: one paragraph a tool that is not the same, then
// the counts.
void write_drift_text(const Model& model, Sink& sink);

// The same as JSON (`ethos-drift/1`): what was verified, and `comparison` as in ethos-report/1.
void write_drift_json(const Model& model, Sink& sink);

}  // namespace ethos::reports
