// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ledger/anchor/http_post.h"
#include "ledger/anchor/witness_policy.h"
#include "ledger/base/result.h"
#include "ledger/ledger_files.h"
#include "ledger/reader.h"

namespace ethos::ledger {

struct CosignResult {
  std::uint64_t size = 0;             // of the checkpoint
  std::set<std::string> cosigned;     // names in the policy, those from before included
  std::vector<std::string> lines;     // new ones
  std::vector<std::string> problems;  // one sentence a witness that did not cosign
  bool is_met = false;
};

// Asks the policy's witnesses (C2SP tlog-witness; docs/formats/anchors.md A-8) to cosign the last
// checkpoint and stores their lines. A witness that is not reached is a problem, not an
// error.
//   Errc::behind    a witness saw a longer ledger: this one was rolled back
//   Errc::mismatch  a witness saw another history: a fork
// What other witnesses gave is stored in those cases too.
// `before_store`, when given, is called before the first byte is written.
base::Result<CosignResult> cosign(const LedgerReader& reader, const WitnessPolicy& policy,
                                  const Poster& post, std::uint32_t timeout_seconds,
                                  const std::function<base::Result<void>()>& before_store = {});

// Adds lines to the note of that size, in a transaction of its own under the ledger lock.
base::Result<void> add_cosignatures(const LedgerFiles& files, std::uint64_t size,
                                    const std::vector<std::string>& lines);

}  // namespace ethos::ledger
