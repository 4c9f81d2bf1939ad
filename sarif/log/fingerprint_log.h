// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ledger/base/result.h"
#include "sarif/json/reader.h"
#include "sarif/json/writer.h"
#include "sarif/log/artifact_uris.h"
#include "sarif/places.h"
#include "sarif/source_files.h"

namespace ethos::sarif {

struct FingerprintSummary {
  std::size_t results = 0;
  std::size_t added = 0;      // fingerprints, of either kind
  std::size_t kept = 0;       // had the same value
  std::size_t different = 0;  // had another value, which stays, as GitHub's action does ...
  std::size_t replaced = 0;   // ... but for these, where that was asked for
};

// Which fingerprints are added: GitHub's primaryLocationLineHash, our ethosLine/v1.
struct FingerprintKinds {
  bool github = true;
  bool ethos = true;
  bool replaces = false;  // also where there is another value
};

// Copies a SARIF log and adds partialFingerprints to each result whose first location has a
// startLine and whose file is below the root, where they are missing. `artifacts` is for locations
// that have an index in place of a URI.
base::Result<FingerprintSummary> fingerprint_log(JsonReader& reader, JsonWriter& writer,
                                                 const PathMapper& paths, SourceFiles& sources,
                                                 const FingerprintKinds& kinds = {},
                                                 const ArtifactUris& artifacts = {});

}  // namespace ethos::sarif
