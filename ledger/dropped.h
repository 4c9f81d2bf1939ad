// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/record/digest.h"

namespace ethos::ledger {

class LedgerReader;

// Records whose bytes were dropped (docs/formats/store.md S-15): their hashes are still there.
struct Dropped {
  std::vector<std::uint64_t> epochs;  // key.epoch records, met on the same walk
  std::vector<std::uint64_t> seqs;          // ascending
  std::optional<std::uint64_t> last_order;  // seq of the last ledger.prune record
};

// Reads all hashes, and checks that the ledger.prune records order exactly what is missing
// (docs/formats/record.md R-32): Errc::mismatch otherwise.
base::Result<Dropped> find_dropped(const LedgerReader& reader);

// The digest that a ledger.prune record has of them.
record::Digest list_digest(const std::vector<std::uint64_t>& seqs);

}  // namespace ethos::ledger
