// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "verify/report_same.h"

namespace ethos::verify {

// Draws the sample of a report again: the runs with the smallest HMAC-SHA-256 (RFC 2104) of their
// ids, the seed as its key. `runs`: all of the period, in the order of the ledger, with their first
// records.
void compare_sample(const Value& claimed,
                    const std::vector<std::pair<std::string, std::int64_t>>& runs,
                    const ReportSame& same);

}  // namespace ethos::verify
