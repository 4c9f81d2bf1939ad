// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "verify/result.h"
#include "verify/source.h"

namespace ethos::verify {

// An earlier state of a ledger that has grown since.
struct Prefix {
  std::int64_t size = 0;
  std::string note;  // the signed checkpoint of that size; empty for the one that the ledger kept
};

// `218`, or the name of a file that holds the signed checkpoint.
Result<Prefix> read_prefix(const std::string& text);

// The evidence as it stood at that checkpoint: the records below it and the checkpoints up to it. What
// came later is not looked at, except that a value erased since is told from one that was removed.
// Errc::unsupported: not a whole ledger. not_found: no checkpoint of that size is kept.
Result<std::unique_ptr<EvidenceSource>> open_prefix(std::unique_ptr<EvidenceSource> whole, Prefix prefix);

}  // namespace ethos::verify
