// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sandbox/cage.h"
#include "sandbox/plan.h"

// Limits that leave no room for the cage itself: they are named, and not what ran into them.
namespace ethos::sandbox {

// With these no cage can be built, and what would be seen of it says something else.
[[nodiscard]] std::optional<SetupDenial> too_small(const Plan& plan);

// A step that failed for want of something that a small limit gives: changes cause and fix.
void blame_small_limit(const Plan& plan, SetupDenial& denial);

}  // namespace ethos::sandbox
