// SPDX-License-Identifier: Apache-2.0
#include "verify/later_erasures.h"

#include <algorithm>

#include "verify/batch.h"
#include "verify/checkpoint.h"
#include "verify/note.h"

namespace ethos::verify {

bool LaterErasures::holds(const Digest& c, EvidenceSource& source) {
  if (!is_read_) read(source);
  is_read_ = true;
  return erased_.contains(c);
}

void LaterErasures::read(EvidenceSource& source) {
  RecordBatch batch;
  CheckedBatch checked;
  StoredCheckpoint checkpoint;
  bool has_checkpoint = source.next_later_checkpoint(checkpoint, findings_);
  while (source.next_later(batch, findings_)) {
    check_batch(batch, 0, checked, hash_);
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      if (!take(batch.rows[i], checked.records[i])) return;
      while (has_checkpoint && static_cast<std::uint64_t>(checkpoint.size) <= tree_.size()) {
        judge(checkpoint);
        has_checkpoint = source.next_later_checkpoint(checkpoint, findings_);
      }
    }
    batch.clear();
  }
}

bool LaterErasures::take(const RecordBatch::Row& row, CheckedRecord& record) {
  tree_.append(record.leaf, hash_);
  if (row.is_absent) {
    chain_.skip(row, findings_);
    return !has_failed();
  }
  const bool is_usable = chain_.check(row, record, findings_) == ChainChecker::Use::all;
  const Envelope& e = record.scan.envelope;
  if (has_failed()) return false;
  if (is_usable && e.type == RecordType::key_epoch) {
    epochs_.on_epoch(row.seq, e.wall_ms, record.body, findings_);
  } else if (is_usable && e.type == RecordType::key_revoke) {
    epochs_.on_revoke(row.seq, e.ledger, record.body, findings_);
  } else {
    epochs_.on_other(row.seq, findings_);
  }
  if (is_usable && e.type == RecordType::data_erase) {
    for (const Value& target : record.body.at("targets").items()) {
      if (const auto c = Digest::from_base64(target.text())) pending_.insert(*c);
    }
  }
  return !has_failed();
}

void LaterErasures::judge(const StoredCheckpoint& stored) {
  const auto note = parse_note(stored.note);
  const auto text = note ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
  if (!text || text->origin != chain_.origin() || text->size != tree_.size() ||
      text->size != static_cast<std::uint64_t>(stored.size) || text->root != tree_.root(hash_))
    return;
  std::vector<SignatureJob> jobs;
  epochs_.judge(*note, stored.size, jobs, findings_);
  const bool is_signed = std::any_of(jobs.begin(), jobs.end(), [](const SignatureJob& job) {
    return job.counts && job.in_its_epoch && verify_ed25519(job.key, job.text, job.signature);
  });
  if (is_signed && !has_failed()) erased_.merge(pending_);
}

}  // namespace ethos::verify
