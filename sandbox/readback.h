// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/child.h"
#include "sandbox/enforced.h"
#include "sandbox/plan.h"

namespace ethos::sandbox {

// The namespaces of this process, in the order in which read_back lists the cage's.
[[nodiscard]] base::Result<std::vector<std::uint64_t>> read_own_namespaces();

// Fills the K parts of `out` from /proc/<pid>: about 0.15 ms. The process must be stopped at the
// barrier, so that nothing changes between two files. `own`: from read_own_namespaces.
base::Result<void> read_back(pid_t pid, const Plan& plan, const std::vector<std::uint64_t>& own,
                             Enforced& out);

// The P part: what the child's probes got, in the order of docs/formats/enforced.md P-1.
[[nodiscard]] std::vector<Probe> describe_probes(const Shared& shared);

}  // namespace ethos::sandbox
