// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>

#include "sandbox/ready.h"
#include "sandbox/run_options.h"

namespace ethos::sandbox {

class Observation;

// Runs one tool and keeps the evidence; returns ethos-run's exit status.
// `call`: what a service handed over that has the run made for somebody. With `observation` the run
// is told to it too, nothing that the tool writes is brought out of staged grants, and the tool's
// output goes where the observation says.
[[nodiscard]] int run_tool(const RunOptions& options, std::ostream& err,
                           std::optional<ServedCall> call = std::nullopt,
                           Observation* observation = nullptr);

}  // namespace ethos::sandbox
