// SPDX-License-Identifier: Apache-2.0
#include "ledger/commit.h"

#include "ledger/base/step_mark.h"
#include "ledger/record/canonical_json.h"

namespace ethos::ledger {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::SigningKey;

namespace {

// docs/formats/keys.md K-10.
constexpr std::int64_t kMaxEpochMs = std::int64_t{7} * 24 * 3600 * 1000;
constexpr std::uint64_t kMaxEpochRecords = 100'000;

// Why the tail's epoch is over, if it is.
const char* due_reason(const WriteSession& session, std::uint64_t size,
                       const base::Timestamp& now) {
  if (size - session.tail().epoch_seq > kMaxEpochRecords) return "count";
  const std::int64_t began = session.epoch_ts().wall_ms;
  return now.wall_ms - began > kMaxEpochMs ? "age" : nullptr;
}

}  // namespace

bool is_callers_type(std::string_view type) {
  return !type.starts_with("ledger.") && !type.starts_with("key.") && type != "data.erase";
}

Result<void> check_request(const CommitRequest& request) {
  if (request.records.empty()) return fail(Errc::malformed, "commit without records");
  for (const PendingRecord& pending : request.records) {
    if (!is_callers_type(pending.type)) {
      return fail(Errc::unsupported, pending.type + ": is not the caller's to write");
    }
  }
  for (const record::Disclosure& d : request.disclosures) {
    if (d.bytes.size() != d.commitment.size || !record::is_commitment_kind(d.commitment.kind)) {
      return fail(Errc::malformed, "disclosure that does not open its commitment");
    }
  }
  for (const Blob& b : request.blobs) {
    if (b.bytes.size() > record::kMaxBlobBytes) return fail(Errc::too_large, "blob over 16 MiB");
  }
  return {};
}

Commit::Commit(WriteSession& session)
    : session_(session),
      batch_(session.origin(), session.tail().frontier, session.tail().last_leaf,
             session.last_ts()) {}

Result<void> Commit::add_epoch(const char* reason, const base::Timestamp& now,
                               const record::PublicKey& key) {
  auto body = record::encode_canonical(record::Json::object()
                                           .set("epoch", session_.tail().epoch + 1)
                                           .set("reason", reason)
                                           .set("vkey", key.text()));
  if (!body) return Unexpected(std::move(body).error());
  auto placed = batch_.add({"key.epoch", nullptr, std::move(*body), std::nullopt}, now);
  if (!placed) return Unexpected(std::move(placed).error());
  next_ts_ = now;
  return {};
}

Result<void> Commit::begin_epoch(const char* reason, const base::Timestamp& now) {
  auto key = SigningKey::generate(session_.origin().text());
  if (!key) return Unexpected(std::move(key).error());
  if (auto ok = add_epoch(reason, now, key->public_key()); !ok) return ok;
  if (auto ok = session_.keys().save(session_.tail().epoch + 1, *key); !ok) return ok;
  next_ = EpochSigner::of_secret(std::move(*key));
  return {};
}

Result<void> Commit::begin_epoch(const char* reason, const base::Timestamp& now, EpochSigner signer,
                                 Secret secret) {
  if (auto ok = add_epoch(reason, now, signer.public_key()); !ok) return ok;
  if (secret == Secret::in_agent) {
    auto ok = session_.keys().save_agent(session_.tail().epoch + 1, signer.public_key());
    if (!ok) return ok;
  }
  is_revoking_ = std::string_view(reason) == "revoked";
  next_ = std::move(signer);
  return {};
}

Result<void> Commit::begin_epoch_if_due(const base::Timestamp& now) {
  const bool is_file_key = session_.signer() != nullptr && session_.signer()->secret() != nullptr;
  const char* reason = due_reason(session_, batch_.frontier().size(), now);
  return reason == nullptr || !is_file_key ? Result<void>() : begin_epoch(reason, now);
}

Result<Committed> Commit::finish(const CommitExtras& extras, std::int64_t max_log_bytes) {
  Committed out;
  out.checkpoint = batch_.checkpoint();
  // K-7, K-15: both keys at a hand-over, the new one alone when the old one is revoked.
  std::vector<const record::NoteSigner*> signers;
  if (!is_revoking_) signers.push_back(session_.signer());
  if (next_) signers.push_back(&*next_);
  base::step_mark("sign");
  auto note = record::sign_note(record::encode_checkpoint(out.checkpoint), signers);
  if (!note) return Unexpected(std::move(note).error());
  if (auto ok = store(extras, *note); !ok) return Unexpected(std::move(ok).error());
  batch_.advance_runs();
  base::step_mark("settle");
  out.warnings = session_.settle(*note, max_log_bytes);
  out.checkpoint_note = std::move(*note);
  // Also old secrets that crashes between commit and removal have left.
  const std::uint64_t epoch = session_.tail().epoch + (next_ ? 1U : 0U);
  if (auto ok = session_.keys().retire_before(epoch); !ok) {
    out.warnings.push_back("old epoch key not removed: " + ok.error().message());
  }
  advance_session(out);
  return out;
}

Result<void> Commit::store(const CommitExtras& extras, std::string_view note) {
  base::step_mark("insert");
  auto transaction = Transaction::begin(session_.database());
  if (!transaction) return Unexpected(std::move(transaction).error());
  Store& store = session_.store();
  Result<void> ok;
  for (const BatchRecord& r : batch_.records()) {
    if (ok) ok = store.add_leaf(r.seq, r.bytes, r.hash);
  }
  for (const auto* list : extras.disclosures) {
    for (const record::Disclosure& d : *list)
      if (ok) ok = store.add_disclosure(d);
  }
  for (const auto* list : extras.blobs) {
    for (const Blob& b : *list)
      if (ok) ok = store.add_blob(b.sha256, b.bytes);
  }
  if (extras.erased != nullptr) {
    for (const record::Digest& c : *extras.erased)
      if (ok) ok = store.erase_disclosure(c);
  }
  if (ok && extras.change != nullptr && *extras.change) ok = (*extras.change)(session_.database());
  const record::MerkleFrontier& frontier = batch_.frontier();
  if (ok) ok = store.add_checkpoint(frontier.size(), note);
  const Tail& tail = session_.tail();
  if (ok) {
    ok = next_ ? store.put_tail(tail.epoch + 1, frontier.size() - 1, frontier)
               : store.put_tail(tail.epoch, tail.epoch_seq, frontier);
  }
  if (!ok) return ok;
  base::step_mark("sql commit");
  ok = transaction->commit();
  if (!ok) batch_.lose_runs();
  return ok;
}

void Commit::advance_session(const Committed& done) {
  session_.advance(done.checkpoint, done.checkpoint_note, batch_);
  if (next_) session_.begin_epoch(std::move(*next_), next_ts_);
}

}  // namespace ethos::ledger
