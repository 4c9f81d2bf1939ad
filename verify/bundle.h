// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "verify/problem.h"
#include "verify/result.h"
#include "verify/source.h"

namespace ethos::verify {

// Opens a bundle (bundle.md): archive, manifest, names and, of a ledger's bundle, its hash tiles. Faults
// go to `findings`; then the result may be null. An Error means that the file could not be read.
Result<std::unique_ptr<EvidenceSource>> open_bundle(const std::string& path, Findings& findings);

}  // namespace ethos::verify
