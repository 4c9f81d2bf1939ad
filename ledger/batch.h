// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "ledger/record/merkle_tree.h"
#include "ledger/record/record.h"

namespace ethos::ledger {

// A record with its place and bytes.
struct BatchRecord {
  std::uint64_t seq = 0;
  record::LeafHash hash;
  std::string bytes;
};

// Gives pending records their envelope one after the other: sequence, links, time, and a
// ledger.resume record where the clock stepped. Pure: the store is written afterwards.
class Batch {
 public:
  // Where the ledger stands; `last_ts` is absent for a ledger without records.
  Batch(record::Origin origin, record::MerkleFrontier frontier, record::LeafHash last_leaf,
        std::optional<base::Timestamp> last_ts);

  // `now` is used for a record without a time of its own.
  base::Result<PlacedRecord> add(const PendingRecord& pending, const base::Timestamp& now);

  // Where the batch stands before records of one run are tried: several producers share a commit,
  // and what one of them sends wrong must leave no trace.
  struct Mark {
    record::MerkleFrontier frontier;
    record::LeafHash last_leaf;
    std::optional<base::Timestamp> last_ts;
    std::size_t count = 0;
    RunChain* run = nullptr;
    std::optional<RunChain> chain;
  };
  [[nodiscard]] Mark mark(RunChain* run) const;
  void go_back(Mark mark);

  [[nodiscard]] const record::LeafHash& last_leaf() const { return last_leaf_; }
  [[nodiscard]] const std::optional<base::Timestamp>& last_ts() const { return last_ts_; }
  [[nodiscard]] const std::vector<BatchRecord>& records() const { return records_; }
  [[nodiscard]] const record::MerkleFrontier& frontier() const { return frontier_; }
  [[nodiscard]] record::Checkpoint checkpoint() const;
  // Moves the callers' chains on; after the commit, and only then.
  void advance_runs() const;
  // The commit's outcome is unknown: the callers' chains can no longer be continued.
  void lose_runs() const;

 private:
  base::Result<PlacedRecord> place(const PendingRecord& pending, const base::Timestamp& ts);
  record::Origin origin_;
  record::MerkleFrontier frontier_;
  record::LeafHash last_leaf_;
  std::optional<base::Timestamp> last_ts_;
  std::vector<BatchRecord> records_;
  std::map<RunChain*, RunChain> runs_;  // where each run will stand
};

}  // namespace ethos::ledger
