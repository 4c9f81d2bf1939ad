// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "ledger/base/result.h"
#include "sandbox/child.h"
#include "sandbox/enforced.h"
#include "sandbox/plan.h"

namespace ethos::sandbox {

// Fills the K parts of `out` from /proc/<pid>: about 0.15 ms. The process must be stopped at the
// barrier, so that nothing changes between two files.
base::Result<void> read_back(pid_t pid, const Plan& plan, Enforced& out);

// The P part: what the child's probes got, in the order of docs/formats/enforced.md P-1.
[[nodiscard]] std::vector<Probe> describe_probes(const Shared& shared);

}  // namespace ethos::sandbox
