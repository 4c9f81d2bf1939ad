// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/reader.h"
#include "ledger/record/digest.h"
#include "ledger/record/ids.h"

namespace ethos::ledger {

// What a bundle is to hold (docs/formats/bundle.md).
struct BundleOptions {
  std::optional<record::RunId> run;  // one run; otherwise a range of the ledger
  // Of a run: a state that the reader holds. The checkpoint is at or after it, with a proof from it (B-16).
  std::optional<std::uint64_t> since;
  std::uint64_t from = 0;
  std::optional<std::uint64_t> to;  // exclusive; the whole ledger when absent
  // Commitment kinds whose bytes come along; all of them when absent.
  std::optional<std::set<std::string>> disclosed;
  bool is_cosigned = false;  // the first checkpoint that a witness has cosigned
};

// What that means for a certain ledger: found in one pass over its records.
struct BundleScope {
  StoredCheckpoint head;
  std::uint64_t from = 0;  // kind ledger: first record of the entry bundles, a multiple of 256
  std::map<std::uint64_t, std::string> singles;  // records carried one by one: sequence, bytes
  std::vector<std::uint64_t> epochs;  // key.epoch records with a checkpoint before the head
  // Sizes of the checkpoints that go along (B-8): those of `epochs`, and what a carried
  // ledger.anchor is about.
  std::set<std::uint64_t> checkpoints;
  std::map<record::Digest, std::string> commitments;  // c and kind of each carried commitment
  std::set<record::Digest> digests;                   // each "sha256:" string of a carried record
};

// Errc::usage for a run or range that is not there; Errc::mismatch for a damaged ledger.
base::Result<BundleScope> find_bundle_scope(const LedgerReader& reader,
                                            const BundleOptions& options);

}  // namespace ethos::ledger
