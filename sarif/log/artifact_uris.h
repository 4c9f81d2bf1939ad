// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"

namespace ethos::sarif {

// runs[].artifacts[].location.uri, as written; empty where there is none. A result may name its
// file by an index into these alone, and they may stand behind the results.
using ArtifactUris = std::vector<std::vector<std::string>>;

[[nodiscard]] base::Result<ArtifactUris> read_artifact_uris(ByteSource& source);

}  // namespace ethos::sarif
