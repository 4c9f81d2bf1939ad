// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/model.h"
#include "reports/sink.h"

namespace ethos::reports {

// The whole model as one JSON object of format ethos-report/1 (docs/report-model.md).
void write_json(const Model& model, Sink& sink);

}  // namespace ethos::reports
