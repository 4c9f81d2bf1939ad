// SPDX-License-Identifier: Apache-2.0
#include "verify/epochs.h"

#include <algorithm>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxStrangers = 1000;

}  // namespace

void EpochBook::on_genesis(const Value& body) {
  auto key = parse_vkey(body.text_at("vkey"));
  auto root = parse_vkey(body.text_at("root_vkey"));
  if (!key || !root) return;  // the body check has named it
  epochs_.push_back({*std::move(key), 0, false});
  root_ = *std::move(root);
}

void EpochBook::require_handover(std::int64_t size, Findings& findings) {
  if (handover_size_ >= 0 && size > handover_size_ && may_lack_handovers_) {
    // After a revocation the root key has said which key comes next.
    if (!epochs_.back().after_revocation) unseen_.push_back(handover_size_);
    handover_size_ = -1;
  }
  if (handover_size_ >= 0 && size > handover_size_) {
    findings.add({.code = Code::checkpoint_missing, .seq = handover_size_ - 1,
                  .expected = "a checkpoint of size " + std::to_string(handover_size_),
                  .text = "no checkpoint ends at the record that names a new key"});
    handover_size_ = -1;
  }
}

void EpochBook::expect_revoked_epoch(std::int64_t seq, Findings& findings) {
  if (!pending_) return;
  findings.add({.code = Code::epoch_violation, .seq = seq,
                .text = "the record after a key.revoke is not the key.epoch that replaces the key"});
  pending_.reset();
}

void EpochBook::on_other(std::int64_t seq, Findings& findings) {
  require_handover(seq + 1, findings);
  expect_revoked_epoch(seq, findings);
}

void EpochBook::check_strangers(const Vkey& key, Findings& findings) {
  for (const Stranger& stranger : strangers_) {
    if (stranger.line.id != key.id_view()) continue;
    const bool right = verify_ed25519(key, stranger.text, stranger.line.signature);
    findings.add({.code = right ? Code::epoch_violation : Code::bad_signature, .seq = stranger.size - 1,
                  .text = "the checkpoint of size " + std::to_string(stranger.size) +
                          " is signed by a key that was named only later"});
  }
}

void EpochBook::on_epoch(std::int64_t seq, std::int64_t at_ms, const Value& body, Findings& findings) {
  require_handover(seq + 1, findings);
  if (epochs_.empty()) return;
  auto key = parse_vkey(body.text_at("vkey"));
  if (!key) return;
  const auto refuse = [&](std::string text, std::string expected, std::string found) {
    findings.add({.code = Code::epoch_violation, .seq = seq, .expected = std::move(expected),
                  .found = std::move(found), .text = std::move(text)});
  };
  if (body.at("epoch").number() != epoch() + 1) {
    refuse("epochs are not numbered without a hole", std::to_string(epoch() + 1),
           std::to_string(body.at("epoch").number()));
  }
  const bool reused = std::any_of(epochs_.begin(), epochs_.end(),
                                  [&](const Epoch& e) { return e.key.key == key->key; });
  if (reused) refuse("a key of an earlier epoch is named again", {}, key->text);
  const bool revoked = body.text_at("reason") == "revoked";
  if (revoked != pending_.has_value()) {
    refuse("reason `revoked` stands exactly after a key.revoke record", {}, body.text_at("reason"));
  } else if (pending_ && !(pending_->next == *key)) {
    refuse("the new key is not the one that the revocation names", pending_->next.text, key->text);
  }
  if (pending_) {
    void_signatures_ += signed_sizes_.count_above(pending_->last_trusted_size);
    findings.add({.code = Code::revoked_key, .seq = seq,
                  .text = "records " + std::to_string(pending_->last_trusted_size) + " to " +
                          std::to_string(seq) + " are vouched for only by the key of epoch " +
                          std::to_string(epoch() + 1)});
  }
  pending_.reset();
  signed_sizes_.clear();
  check_strangers(*key, findings);
  if (changes_.size() < kKeptChanges) changes_.push_back({seq, at_ms, body.text_at("reason"), key->text});
  epochs_.push_back({*std::move(key), seq, revoked});
  handover_size_ = seq + 1;
}

void EpochBook::on_revoke(std::int64_t seq, std::string_view origin, const Value& body, Findings& findings) {
  on_other(seq, findings);
  if (epochs_.empty() || !root_) return;
  const auto note = parse_note(body.text_at("note"));
  const auto revocation = note ? parse_revocation_text(note->text) : Result<Revocation>(note.error());
  if (!revocation) {
    findings.add({.code = Code::note_malformed, .seq = seq, .found = revocation.error().what,
                  .text = "the revocation is malformed"});
    return;
  }
  std::vector<Vkey> signers;
  if (verify_note(*note, {&*root_, 1}, signers) != NoteVerdict::ok) {
    findings.add({.code = Code::bad_signature, .seq = seq, .text = "the revocation is not signed by the root key"});
    return;
  }
  const bool fits = revocation->origin == origin && revocation->revoked == epochs_.back().key &&
                    revocation->last_trusted_size <= static_cast<std::uint64_t>(seq);
  if (!fits) {
    findings.add({.code = Code::epoch_violation, .seq = seq,
                  .text = "the revocation is of another ledger, key or size"});
    return;
  }
  pending_ = *revocation;
}

void EpochBook::on_other_signature(const std::string& name) {
  if (others_++ == 0) first_other_ = name;
}

void EpochBook::judge(const Note& note, std::int64_t size, std::vector<SignatureJob>& jobs, Findings& findings) {
  if (epochs_.empty()) return;
  const bool handover = size == handover_size_ && epochs_.size() >= 2;
  if (handover) handover_size_ = -1;
  const std::size_t current = epochs_.size() - 1;
  bool current_signed = false;
  bool previous_signed = false;
  for (const NoteSignature& line : note.signatures) {
    if (line.name != epochs_[current].key.name) {  // a witness or a stranger
      on_other_signature(line.name);
      continue;
    }
    const auto known = std::find_if(epochs_.begin(), epochs_.end(),
                                    [&](const Epoch& e) { return e.key.id_view() == line.id; });
    if (known == epochs_.end()) {
      on_other_signature(line.name);
      if (strangers_.size() < kMaxStrangers) strangers_.push_back({line, note.text, size});
      continue;
    }
    const auto index = static_cast<std::size_t>(known - epochs_.begin());
    const bool previous = handover && index + 1 == current;
    const bool repeated = (index == current && current_signed) || (previous && previous_signed);
    if (repeated) {
      const bool equal = std::all_of(note.signatures.begin(), note.signatures.end(), [&](const NoteSignature& o) {
        return o.name != line.name || o.id != line.id || o.signature == line.signature;
      });
      if (!equal) {
        findings.add({.code = Code::bad_signature, .seq = size - 1,
                      .text = "two different signatures by one key stand under a checkpoint"});
      }
      continue;
    }
    current_signed = current_signed || index == current;
    previous_signed = previous_signed || previous;
    const bool counts = index == current || (previous && !epochs_[current].after_revocation);
    jobs.push_back({known->key, note.text, line.signature, size, index == current || previous, counts});
  }
  const std::string which = "the checkpoint of size " + std::to_string(size);
  if (!current_signed) {
    findings.add({.code = handover ? Code::missing_handover : Code::unknown_key, .seq = size - 1,
                  .expected = "a signature by " + epochs_[current].key.text,
                  .text = which + " is not signed by the key of its epoch"});
  } else {
    signed_sizes_.add(static_cast<std::uint64_t>(size));
  }
  if (handover && !previous_signed && !epochs_[current].after_revocation) {
    findings.add({.code = Code::missing_handover, .seq = size - 1,
                  .expected = "a signature by " + epochs_[current - 1].key.text,
                  .text = which + " hands over to a new key without the old one's signature"});
  }
}

std::vector<Vkey> EpochBook::keys() const {
  std::vector<Vkey> out;
  for (const Epoch& e : epochs_) out.push_back(e.key);
  return out;
}

}  // namespace ethos::verify
