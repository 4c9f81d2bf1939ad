// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/fleet.h"
#include "reports/sink.h"

namespace ethos::reports {

// `ethos-fleet-report/1`: the fleet as JSON.
void write_fleet_json(const Fleet& fleet, Sink& sink);
// For comments and step summaries, at most `budget` bytes.
void write_fleet_markdown(const Fleet& fleet, std::size_t budget, Sink& sink);

}  // namespace ethos::reports
