// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "verify/chain.h"
#include "verify/digest.h"
#include "verify/epochs.h"
#include "verify/problem.h"
#include "verify/source.h"
#include "verify/tree.h"

namespace ethos::verify {

// What records after an earlier state erased (verdict.md V-8). An erasure excuses a value that is
// missing, so these records have to hold as all others do: they hang in the chain, and a later
// checkpoint of a key of the ledger covers them. What lies behind the last such checkpoint, or behind
// the first fault, says nothing.
class LaterErasures {
 public:
  // As it stands at the end of the earlier state.
  LaterErasures(ChainChecker chain, StreamingTree tree, EpochBook epochs)
      : chain_(std::move(chain)), tree_(std::move(tree)), epochs_(std::move(epochs)) {}

  // Reads on at the first call.
  bool holds(const Digest& c, EvidenceSource& source);

 private:
  void read(EvidenceSource& source);
  // False: from here on nothing counts.
  bool take(const RecordBatch::Row& row, CheckedRecord& record);
  void judge(const StoredCheckpoint& stored);
  [[nodiscard]] bool has_failed() const { return findings_.first_bad() != nullptr; }

  ChainChecker chain_;
  StreamingTree tree_;
  EpochBook epochs_;
  Findings findings_;  // of later records: another question
  Sha256 hash_;
  std::set<Digest> pending_;
  std::set<Digest> erased_;
  bool is_read_ = false;
};

}  // namespace ethos::verify
