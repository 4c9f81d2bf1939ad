// SPDX-License-Identifier: Apache-2.0
#include "verify/run_proofs.h"

#include <string>
#include <vector>

#include "verify/note.h"
#include "verify/tree.h"

namespace ethos::verify {

void RunProofs::read_head(Findings& findings) {
  StoredCheckpoint head;
  if (!source_.head(head, findings)) return;
  const auto note = parse_note(head.note);
  const auto text = note ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
  if (text) head_ = *text;
}

void RunProofs::prove(std::int64_t seq, const CheckedRecord& record, Findings& findings) {
  if (!head_) return;
  const auto check = [&](std::uint64_t size, const Digest& root) {
    std::vector<Digest> proof;
    if (!source_.proof(seq, size, proof, findings)) return;
    if (!verify_inclusion(static_cast<std::uint64_t>(seq), size, record.leaf, proof, root, hash_)) {
      findings.add(
          {.code = Code::proof_mismatch,
           .seq = seq,
           .expected = root.base64(),
           .text = "the record is not in the signed tree of size " + std::to_string(size)});
    }
  };
  check(head_->size, head_->root);
  const auto own_size = static_cast<std::uint64_t>(seq) + 1;
  if (record.scan.fault != RecordFault::none ||
      record.scan.envelope.type != RecordType::key_epoch || own_size >= head_->size)
    return;
  const auto bytes = source_.checkpoint(static_cast<std::int64_t>(own_size));
  const auto note = bytes ? parse_note(*bytes) : Result<Note>(Error{});
  const auto text = note ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
  if (text) check(own_size, text->root);
}

void RunProofs::check_prefix(const Checkpoint& earlier, Findings& findings) {
  if (!head_ || earlier.size == head_->size) return;
  std::vector<Digest> proof;
  if (!source_.consistency(earlier.size, head_->size, proof, findings)) return;
  if (!verify_consistency(earlier.size, head_->size, earlier.root, head_->root, proof, hash_)) {
    findings.add({.code = Code::proof_mismatch,
                  .seq = static_cast<std::int64_t>(earlier.size) - 1,
                  .text = "the checkpoint of size " + std::to_string(earlier.size) +
                          " is not a prefix of that of size " + std::to_string(head_->size)});
  }
}

}  // namespace ethos::verify
