// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sandbox/facts.h"
#include "sandbox/grants.h"
#include "sandbox/normal.h"

namespace ethos::sandbox {

// G-10: grants that contradict each other or what every cage keeps out, in the order of the rule.
void find_conflicts(const Normal& normal, const Facts& facts, std::vector<Refusal>& out);

}  // namespace ethos::sandbox
