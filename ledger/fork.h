// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "ledger/reader.h"

namespace ethos::ledger {

// How a signed checkpoint from somewhere else stands to a ledger.
struct Comparison {
  enum class Outcome {
    consistent,  // the ledger's first records are what it says
    ahead,       // it covers more records than the ledger has: the ledger is old, or was cut
    fork,        // both are signed, and they contradict each other
  };
  Outcome outcome = Outcome::consistent;
  std::uint64_t size = 0;  // of the foreign checkpoint
  std::string ours;        // fork: our checkpoint of that size, or the next kept one
};

// Errc::mismatch when the note is of another ledger, or not signed by the key that this ledger
// names for its size: such a note proves nothing.
base::Result<Comparison> compare_checkpoint(const LedgerReader& reader, const std::string& note);

}  // namespace ethos::ledger
