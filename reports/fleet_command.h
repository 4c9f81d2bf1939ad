// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/options.h"
#include "reports/output_set.h"
#include "reports/remake.h"

namespace ethos::reports {

// What `ethos-report fleet` is asked for beside the options of a report.
struct FleetOptions {
  std::string list;           // file (ethos-fleet/1)
  bool with_members = false;  // also the report of each ledger, in DIR/NAME
};

struct FleetResult {
  Refusal refusal;    // text empty when the report was written
  std::string words;  // one line about it
  std::string unverified;
};

// Verifies and reads one ledger after the other, writes the report over all of them.
FleetResult make_fleet_report(const Options& options, const FleetOptions& fleet);

// As remake(), for the directory of a fleet report; the report of each ledger is compared by
// itself.
Remade remake_fleet(const std::string& directory, Options options, const std::string& list);

}  // namespace ethos::reports
