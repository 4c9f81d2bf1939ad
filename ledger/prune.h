// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/result.h"
#include "ledger/holds.h"
#include "ledger/reader.h"
#include "ledger/record/digest.h"

namespace ethos::ledger {

// How far back records are kept: one of the two.
struct PruneLimit {
  std::optional<std::uint64_t> below = std::nullopt;     // records from this sequence number on
  std::optional<std::int64_t> before_ms = std::nullopt;  // records from the first one of that time
};

// What a pruning drops (docs/formats/record.md R-32): whole runs that have ended.
struct PruneSelection {
  std::uint64_t below = 0;
  std::vector<std::uint64_t> seqs;          // of the records to drop, ascending
  std::vector<std::uint64_t> dropped;       // of those that were dropped before
  std::set<std::string> runs;               // to drop
  std::vector<record::Digest> disclosures;  // that only they name
  std::vector<record::Digest> blobs;
  std::int64_t from_ms = 0;
  std::int64_t until_ms = 0;
  // Runs that begin below the limit and stay, by the reason.
  std::uint64_t held = 0;      // a legal hold covers them
  std::uint64_t open = 0;      // have no end, or their process lives or may still add to them
  std::uint64_t reaching = 0;  // go on at or above the limit
  std::string hold;            // a hold that covers one of them
  Holds holds;                 // in force when it was made
  std::uint64_t size = 0;      // of the ledger then
};

// A run that ended less than a quarter of an hour before `now_ms` stays: what follows its end
// (sarif.written) may still be on its way.
base::Result<PruneSelection> select_pruning(const LedgerReader& reader, const PruneLimit& limit,
                                            std::int64_t now_ms);

// Drops the records' bytes and what only they name and records it (ledger.prune) in one commit;
// then rewrites the database as erasing does. Hashes, tree, proofs and signatures stay as they are.
//   Errc::refused  a hold was set meanwhile, or a run went on; nothing was dropped
//   Errc::usage    nothing is selected, or the order has no reason or authority
base::Result<Committed> prune(Appender& appender, const PruneSelection& selection,
                              const Order& order);

}  // namespace ethos::ledger
