// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandbox/audit_watch.h"
#include "sandbox/denial.h"
#include "sandbox/plan.h"

namespace ethos::sandbox {

// The evidence of what the kernel's audit told: source landlock_audit, mark K, certain. `rule` are
// the rights that were missing. The path of an entry that was to be made or removed is that of its
// directory: Landlock asks about that.
[[nodiscard]] Denial describe(AuditDenial heard, const Plan& plan);

}  // namespace ethos::sandbox
