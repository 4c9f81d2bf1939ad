// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "verify/json.h"

namespace ethos::verify {

// plan = g(normal, facts): plan.md P-1 to P-4, M-*, L-*, S-1. Only for a run that is not refused;
// `grants` is what compute_grants gave.
Value compute_plan(const Value& normal, const Value& facts, const std::vector<Value>& grants);

// Compares the mount table read back from the kernel with the plan's (enforced.md NM-3). "" when
// they agree; else the first difference in words.
std::string compare_mounts(const Value& plan, const Value& table);

}  // namespace ethos::verify
