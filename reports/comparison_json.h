// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/json_out.h"
#include "reports/model.h"

namespace ethos::reports {

// The member `comparison` of ethos-report/1 and ethos-drift/1.
void put_comparison_json(const Model& model, JsonOut& out);
// The member `changes`.
void put_changes_json(const Model& model, const std::vector<GrantChange>& changes, JsonOut& out);

}  // namespace ethos::reports
