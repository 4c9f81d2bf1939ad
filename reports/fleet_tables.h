// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/fleet.h"
#include "reports/tables.h"

namespace ethos::reports {

// The tables of a fleet: members with their verdicts and figures, sums, tools, rules, stretches,
// exceptions, changes of grants, controls. They refer to the fleet.
std::vector<TableSource> fleet_tables(const Fleet& fleet);
// What was asked and what answered, for the first sheet of a workbook.
TableSource fleet_facts(const Fleet& fleet);

}  // namespace ethos::reports
