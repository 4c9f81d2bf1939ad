// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "verify/problem.h"
#include "verify/result.h"
#include "verify/source.h"

namespace ethos::verify {

// Opens a directory of tiles (tiles.md): checkpoint, hash tiles, entry bundles. Faults go to `findings`; then the
// result may be null. An Error means that the directory could not be read.
Result<std::unique_ptr<EvidenceSource>> open_tiles(const std::string& path, Findings& findings);

}  // namespace ethos::verify
