// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/reader.h"
#include "ledger/record/digest.h"
#include "ledger/record/merkle_tree.h"

namespace ethos::ledger {

// C2SP tlog-proof: that an entry is in a log, in a file of its own (docs/formats/tiles.md TP-*):
//   c2sp.org/tlog-proof@v1
//   index 4
//   yiM+eia4w1wsk/Ukx7kF56IQVkDW3MWUaUz/VtJu+yU=
//   (more hashes, an empty line, the checkpoint)
struct TlogProof {
  std::optional<std::string> extra;  // bytes for the application; not covered by any signature
  std::uint64_t index = 0;
  std::vector<record::Digest> hashes;  // the leaf's sibling first
  std::string checkpoint;              // exact note
};

std::string encode_tlog_proof(const TlogProof& proof);
// The form, and that the proof has the length that index and size ask for. Errc::malformed.
base::Result<TlogProof> parse_tlog_proof(std::string_view text);
// That `leaf` is at the proof's index in the tree of its checkpoint. Signatures are the caller's.
base::Result<void> check_tlog_proof(const TlogProof& proof, const record::LeafHash& leaf);

// Proof of one record in the first kept checkpoint that covers it, or the last one. Reads every
// record's hash: O(n). Errc::usage for a record that is not there.
enum class ProofHead { first, last };
base::Result<TlogProof> prove_record(const LedgerReader& reader, std::uint64_t seq, ProofHead head);
// The same from a tiles directory and its checkpoint, in O(log n).
base::Result<TlogProof> prove_from_tiles(const std::string& directory, std::uint64_t index);

}  // namespace ethos::ledger
