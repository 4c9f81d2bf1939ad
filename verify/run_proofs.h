// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "verify/batch.h"
#include "verify/checkpoint.h"
#include "verify/problem.h"
#include "verify/source.h"

namespace ethos::verify {

// A bundle of one run has no tree, but a proof for each record: all lead to the root of its head.
// Who signed that is judged elsewhere.
class RunProofs {
 public:
  explicit RunProofs(EvidenceSource& source) : source_(source) {}

  void read_head(Findings& findings);
  [[nodiscard]] const std::optional<Checkpoint>& head() const { return head_; }
  // The record is in the tree of the head; the one that names a key also in its own.
  void prove(std::int64_t seq, const CheckedRecord& record, Findings& findings);
  // The earlier checkpoints are prefixes of the head.
  void check_prefix(const Checkpoint& earlier, Findings& findings);

 private:
  EvidenceSource& source_;
  Sha256 hash_;
  std::optional<Checkpoint> head_;
};

}  // namespace ethos::verify
