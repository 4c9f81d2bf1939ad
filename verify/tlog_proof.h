// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verify/audit.h"
#include "verify/digest.h"
#include "verify/result.h"

namespace ethos::verify {

// A C2SP tlog-proof (tiles.md TP-1): one record's place in a signed tree.
struct TlogProof {
  std::uint64_t index = 0;
  std::vector<Digest> hashes;
  std::string note;
};

inline constexpr std::size_t kMaxProof = 1'100'000;

Result<TlogProof> parse_tlog_proof(std::string_view bytes);

// Judges a proof. `records`: exact bytes of the record and, for the key of epoch 0, of record 0; in any order.
// `keys`: further keys that the reader trusts to sign for this ledger.
AuditReport audit_proof(const TlogProof& proof, const std::vector<std::string>& records, const std::vector<Vkey>& keys,
                        const AuditOptions& options);

}  // namespace ethos::verify
