// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "verify/problem.h"
#include "verify/result.h"
#include "verify/source.h"

namespace ethos::verify {

// Opens a ledger database (store.md) for reading: application id and version, the exact schema,
// SQLite's own integrity check. Faults of these go to `findings`; then the result is null, or the
// source yields what can still be read. An Error means that nothing could be looked at: no such
// file, no permission, not a ledger at all.
Result<std::unique_ptr<EvidenceSource>> open_ledger_file(const std::string& path, Findings& findings);

}  // namespace ethos::verify
