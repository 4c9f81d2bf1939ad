// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verify/audit.h"
#include "verify/report_check.h"

namespace ethos::verify {

// What a report says of itself: origin, pin, root, checkpoint, verdicts, period.
void compare_head(const ReportClaims& claims, const AuditReport& audited, const Pin* pin, std::vector<ReportDifference>& out);

// Why nothing can be said of the report; "" when it can. `asks_witnesses`: a quorum of them is
// demanded in this same check.
std::string why_not_judged(const ReportClaims& claims, const AuditReport& audited, bool asks_witnesses);

}  // namespace ethos::verify
