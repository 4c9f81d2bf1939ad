// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "verify/problem.h"
#include "verify/result.h"
#include "verify/source.h"

namespace ethos::verify {

// Opens whatever evidence lies at `path`, known by its content and not by its name. `kind` receives
// `ledger`, `bundle` or `tiles`.
Result<std::unique_ptr<EvidenceSource>> open_input(const std::string& path, std::string& kind, Findings& findings);

// Whether the file is a proof of one record (tlog_proof.h), which is no evidence of a ledger's records.
bool is_tlog_proof(const std::string& path);

}  // namespace ethos::verify
