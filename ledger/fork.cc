// SPDX-License-Identifier: Apache-2.0
#include "ledger/fork.h"

#include <vector>

#include "ledger/record/canonical_json.h"
#include "ledger/record/merkle_tree.h"
#include "ledger/record/signed_note.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

// What one pass over the records gives: the keys that may sign a checkpoint of `size` (K-6, K-7),
// and the root of the first `size` records when there are so many.
struct Walk {
  std::vector<record::PublicKey> keys;
  record::MerkleFrontier tree;
};

Result<Walk> walk(const LedgerReader& reader, std::uint64_t size) {
  Walk out;
  Result<void> result;
  auto ok = reader.read_hashes(0, reader.size(), [&](const StoredRecord& stored) {
    if (stored.seq < size) out.tree.append(stored.leaf_hash);
    const bool names_key = stored.seq == 0 || stored.view.type == "key.epoch";
    // Behind its hand-over a key says nothing; before it, the next one does not exist.
    if (stored.seq >= size) return false;
    if (!names_key) return true;
    auto body = record::parse_canonical(stored.view.body);
    const std::string* vkey = body ? body->find_string("vkey") : nullptr;
    auto key = record::PublicKey::from_text(vkey == nullptr ? std::string_view() : *vkey);
    if (!key) {
      result = Unexpected(std::move(key).error());
      return false;
    }
    // At the hand-over's own size both sign.
    if (stored.seq + 1 < size) out.keys.clear();
    out.keys.push_back(std::move(*key));
    return true;
  });
  if (ok) ok = std::move(result);
  if (!ok) return Unexpected(std::move(ok).error());
  return out;
}

}  // namespace

Result<Comparison> compare_checkpoint(const LedgerReader& reader, const std::string& note) {
  auto parsed = record::parse_note(note);
  if (!parsed) return Unexpected(std::move(parsed).error());
  auto theirs = record::parse_checkpoint(parsed->text);
  if (!theirs) return Unexpected(std::move(theirs).error());
  if (theirs->origin != reader.tail().checkpoint.origin)
    return fail(Errc::mismatch, "the checkpoint is of another ledger");
  auto known = walk(reader, theirs->size);
  if (!known) return Unexpected(std::move(known).error());
  auto signer = record::verify_note(*parsed, known->keys);
  if (!signer) {
    return Unexpected(std::move(signer).error().with_context(
        "the checkpoint is not signed by the key of its size, and proves nothing"));
  }
  Comparison out{Comparison::Outcome::consistent, theirs->size, {}};
  if (theirs->size > reader.size()) {
    out.outcome = Comparison::Outcome::ahead;
    return out;
  }
  if (known->tree.root() == theirs->root) return out;
  out.outcome = Comparison::Outcome::fork;
  auto ours = reader.checkpoint_from(theirs->size);
  if (!ours) return Unexpected(std::move(ours).error());
  if (*ours) out.ours = (*ours)->note;
  return out;
}

}  // namespace ethos::ledger
