// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "reports/build.h"
#include "reports/sink.h"

namespace ethos::reports {

// One run's story in plain words, a line a thing, each with its record. `run` is an id or at least
// four first letters of exactly one. The ledger is verified first, like for a report. A refusal has
// status 2 when no or more than one run fits.
std::optional<Refusal> explain_run(const Request& request, const std::string& run, Sink& sink);

}  // namespace ethos::reports
