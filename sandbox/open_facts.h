// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ledger/appender.h"
#include "sandbox/prepare.h"
#include "sandbox/record_bodies.h"

namespace ethos::sandbox {

// What run.open will say, but for the measured program. Reads the repository's revision and who
// calls.
[[nodiscard]] OpenFacts collect_open_facts(const RunOptions& options, const Prepared& prepared,
                                           const HostFacts& host);

// The bytes that the ceilings' digests name.
[[nodiscard]] std::vector<ledger::Blob> ceiling_blobs(const Policy& policy);

}  // namespace ethos::sandbox
