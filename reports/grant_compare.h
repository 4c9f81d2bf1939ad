// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ledger/base/result.h"
#include "reports/drift.h"

namespace ethos::reports {

// Which grants a report compares: `start` and `end` of its period, `YYYY-MM-DD` (the end of that
// day in the zone), or `release:REVISION` (runs of a repository revision that begins so, at least
// four characters). Errc::malformed for anything else.
base::Result<GrantPoint> parse_point(std::string_view text, const Period& period, const Zone& zone);

// Fills model.comparison.tools from what stood at its two points.
void compare_snapshots(const GrantSnapshot& from, const GrantSnapshot& to, Model& model);

// The snapshot of another model in this one's names and grants.
GrantSnapshot adopt_snapshot(const GrantSnapshot& theirs, const Model& other, Model& model);

// What an added or removed tool was given, in one line; limits are only counted.
std::string given_text(const std::vector<GrantId>& grants, const Model& model);

// Who approved a set of grants: the decision bound to the run that first had it, or "none found".
std::string_view approval_text(NameId decision, const Model& model);

}  // namespace ethos::reports
