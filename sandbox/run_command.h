// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>

#include "sandbox/ready.h"
#include "sandbox/run_options.h"

namespace ethos::sandbox {

// Runs one tool and keeps the evidence; returns ethos-run's exit status.
// `call`: what a service handed over that has the run made for somebody.
[[nodiscard]] int run_tool(const RunOptions& options, std::ostream& err,
                           std::optional<ServedCall> call = std::nullopt);

}  // namespace ethos::sandbox
