// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "sandbox/run_options.h"

namespace ethos::sandbox {

// `ethos-run learn`: runs a tool in the widest cage that the ceilings allow, proposes the smallest
// declaration from what it used, and tries that. 0: the tool ended alike under the proposal and
// nothing that a run records was denied; 1: a proposal, but not so; else as ethos-run.
[[nodiscard]] int run_learn(const RunOptions& options, std::ostream& out, std::ostream& err);

}  // namespace ethos::sandbox
