// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "verify/named_digest.h"
#include "verify/result.h"

namespace ethos::verify {

// SHA-256 of the files that the evidence at `path` lies in: of a bundle or proof the file, of a
// ledger the database and its log, of a directory of tiles its checkpoint, which names the root of
// all others. `shown` is what the reader called it.
Result<std::vector<NamedDigest>> evidence_digests(const std::string& path, const std::string& kind,
                                                  const std::string& shown);

}  // namespace ethos::verify
