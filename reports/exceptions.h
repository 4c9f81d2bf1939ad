// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/model.h"

namespace ethos::reports {

// Fills Model::exceptions from runs, denials, limits and gaps: the gravest kind first, then by
// record.
void list_exceptions(Model& model);

}  // namespace ethos::reports
