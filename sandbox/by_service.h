// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sandbox/run_options.h"

// `ethos-run --by-service`: the service builds the cage, starts the tool and writes the evidence;
// what is left here is to carry its streams.
namespace ethos::sandbox {

// Returns the exit status of the run, 125 when there is none.
[[nodiscard]] int run_by_service(const RunOptions& options, std::ostream& err);

// The command line for the service's runner: what was given, without what says where the service
// is.
[[nodiscard]] std::vector<std::string> words_for_service(const RunOptions& options);

}  // namespace ethos::sandbox
