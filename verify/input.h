// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "verify/problem.h"
#include "verify/result.h"
#include "verify/source.h"

namespace ethos::verify {

// Opens whatever evidence lies at `path`, known by its content and not by its name. `kind` receives
// `ledger` or `bundle`.
Result<std::unique_ptr<EvidenceSource>> open_input(const std::string& path, std::string& kind, Findings& findings);

}  // namespace ethos::verify
