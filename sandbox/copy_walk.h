// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandbox/copy_base.h"
#include "sandbox/upper_walk.h"

namespace ethos::sandbox {

// walk_upper for a copy of the grant. What the tool did not change is no change, whatever the host
// has there by now, and however it is called. Where both changed the same, the grant is refused
// (rule `conflict`).
[[nodiscard]] base::Result<UpperWalk> walk_copy(int layer, const CopyBase& before, int host,
                                                const std::string& grant_at,
                                                const CommitRules& rules, bool allow_delete,
                                                Interruption& interruption);

}  // namespace ethos::sandbox
