// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/fleet.h"
#include "reports/sink.h"

namespace ethos::reports {

// The page of a fleet; like that of one ledger in form, policy and print.
void write_fleet_html(const Fleet& fleet, Sink& sink);
void write_fleet_print_html(const Fleet& fleet, Sink& sink);

}  // namespace ethos::reports
