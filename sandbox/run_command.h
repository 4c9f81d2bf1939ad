// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "sandbox/run_options.h"

namespace ethos::sandbox {

// Runs one tool and keeps the evidence; returns ethos-run's exit status.
[[nodiscard]] int run_tool(const RunOptions& options, std::ostream& err);

}  // namespace ethos::sandbox
