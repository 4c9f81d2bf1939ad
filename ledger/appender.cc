// SPDX-License-Identifier: Apache-2.0
#include "ledger/appender.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>

#include "ledger/base/step_mark.h"
#include "ledger/batch.h"
#include "ledger/record/canonical_json.h"
#include "ledger/write_session.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::SigningKey;

// docs/formats/keys.md K-10.
constexpr std::int64_t kMaxEpochMs = std::int64_t{7} * 24 * 3600 * 1000;
constexpr std::uint64_t kMaxEpochRecords = 100'000;

// Records that say something about the ledger itself are written by the code that makes them true.
bool is_callers_type(std::string_view type) {
  return !type.starts_with("ledger.") && !type.starts_with("key.") && type != "data.erase";
}

// Why the tail's epoch is over, if it is.
const char* due_reason(const WriteSession& session, std::uint64_t size,
                       const base::Timestamp& now) {
  if (size - session.tail().epoch_seq > kMaxEpochRecords) return "count";
  const std::int64_t began = session.epoch_ts().wall_ms;
  return now.wall_ms - began > kMaxEpochMs ? "age" : nullptr;
}

}  // namespace

// What a transaction adds and removes beside its records.
struct CommitExtras {
  const std::vector<record::Disclosure>* disclosures = nullptr;
  const std::vector<Blob>* blobs = nullptr;
  const std::vector<record::Digest>* erased = nullptr;
};

// A commit in the making: the session, the records so far, and the next epoch's key if one begins.
class Commit {
 public:
  explicit Commit(WriteSession session)
      : session_(std::move(session)),
        batch_(session_.origin(), session_.tail().frontier, session_.tail().last_leaf,
               session_.last_ts()) {}

  [[nodiscard]] WriteSession& session() { return session_; }
  [[nodiscard]] Batch& batch() { return batch_; }

  // Adds key.epoch as the last record and writes the new secret (before the commit that names it).
  Result<void> begin_epoch(const char* reason, const base::Timestamp& now) {
    const std::uint64_t epoch = session_.tail().epoch + 1;
    auto key = SigningKey::generate(session_.origin().text());
    if (!key) return Unexpected(std::move(key).error());
    auto body = record::encode_canonical(record::Json::object()
                                             .set("epoch", epoch)
                                             .set("reason", reason)
                                             .set("vkey", key->public_key().text()));
    if (!body) return Unexpected(std::move(body).error());
    auto placed = batch_.add({"key.epoch", nullptr, std::move(*body), std::nullopt}, now);
    if (!placed) return Unexpected(std::move(placed).error());
    if (auto ok = session_.keys().save(epoch, *key); !ok) return ok;
    next_key_ = std::move(*key);
    return {};
  }

  Result<Committed> finish(const CommitExtras& extras) {
    Committed out;
    out.checkpoint = batch_.checkpoint();
    std::vector<const SigningKey*> signers{&session_.key()};
    if (next_key_) signers.push_back(&*next_key_);
    base::step_mark("sign");
    auto note = record::sign_note(record::encode_checkpoint(out.checkpoint), signers);
    if (!note) return Unexpected(std::move(note).error());
    if (auto ok = store(extras, *note); !ok) return Unexpected(std::move(ok).error());
    batch_.advance_runs();
    base::step_mark("settle");
    out.warnings = session_.settle(*note);
    out.checkpoint_note = std::move(*note);
    // Also an old secret that a crash between commit and removal has left.
    const std::uint64_t epoch = session_.tail().epoch + (next_key_ ? 1U : 0U);
    if (epoch > 0) {
      if (auto ok = session_.keys().retire(epoch - 1); !ok) {
        out.warnings.push_back("old epoch key not removed: " + ok.error().message());
      }
    }
    return out;
  }

 private:
  Result<void> store(const CommitExtras& extras, std::string_view note) {
    base::step_mark("insert");
    auto transaction = Transaction::begin(session_.database());
    if (!transaction) return Unexpected(std::move(transaction).error());
    Store store(session_.database());
    Result<void> ok;
    for (const BatchRecord& r : batch_.records()) {
      if (ok) ok = store.add_leaf(r.seq, r.bytes, r.hash);
    }
    if (extras.disclosures != nullptr) {
      for (const record::Disclosure& d : *extras.disclosures)
        if (ok) ok = store.add_disclosure(d);
    }
    if (extras.blobs != nullptr) {
      for (const Blob& b : *extras.blobs)
        if (ok) ok = store.add_blob(b.sha256, b.bytes);
    }
    if (extras.erased != nullptr) {
      for (const record::Digest& c : *extras.erased)
        if (ok) ok = store.erase_disclosure(c);
    }
    const record::MerkleFrontier& frontier = batch_.frontier();
    if (ok) ok = store.add_checkpoint(frontier.size(), note);
    const Tail& tail = session_.tail();
    if (ok) {
      ok = next_key_ ? store.put_tail(tail.epoch + 1, frontier.size() - 1, frontier)
                     : store.put_tail(tail.epoch, tail.epoch_seq, frontier);
    }
    if (!ok) return ok;
    base::step_mark("sql commit");
    ok = transaction->commit();
    if (!ok) batch_.lose_runs();
    return ok;
  }

  WriteSession session_;
  Batch batch_;
  std::optional<SigningKey> next_key_;
};

namespace {

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

}  // namespace

Result<Appender> Appender::open(LedgerFiles files, const base::Clock& clock) {
  struct stat st {};
  if (::stat(files.database.c_str(), &st) != 0) return base::fail_errno(files.database, errno);
  return Appender(std::move(files), clock);
}

Result<Committed> Appender::commit(const CommitRequest& request) {
  if (auto ok = check_request(request); !ok) return Unexpected(std::move(ok).error());
  auto session = WriteSession::open(files_, last_note_);
  if (!session) return Unexpected(std::move(session).error());
  base::step_mark("place records");
  Commit commit(std::move(*session));
  return add_and_finish(commit, request.records, {&request.disclosures, &request.blobs, nullptr});
}

Result<Committed> Appender::operate(const Operation& operation) {
  for (const PendingRecord& pending : operation.records) {
    if (is_callers_type(pending.type))
      return fail(Errc::unsupported, pending.type + ": is no record of the ledger itself");
  }
  auto session = WriteSession::open(files_, last_note_);
  if (!session) return Unexpected(std::move(session).error());
  if (operation.check) {
    Store store(session->database());
    auto ok = operation.check(store, session->tail());
    if (!ok) return Unexpected(std::move(ok).error());
  }
  Commit commit(std::move(*session));
  return add_and_finish(commit, operation.records, {nullptr, &operation.blobs, &operation.erased});
}

Result<Committed> Appender::add_and_finish(Commit& commit,
                                           const std::vector<PendingRecord>& records,
                                           const CommitExtras& extras) {
  // Read under the lock: so the times of neighbouring commits are in order.
  const base::Timestamp now = clock_->now();
  std::vector<PlacedRecord> placed;
  for (const PendingRecord& pending : records) {
    auto one = commit.batch().add(pending, now);
    if (!one) return Unexpected(std::move(one).error());
    placed.push_back(*one);
  }
  // Nothing may follow a seal, so no new epoch either.
  const bool is_end = records.back().type == "ledger.seal";
  const char* reason = due_reason(commit.session(), commit.batch().frontier().size(), now);
  if (reason != nullptr && !is_end) {
    if (auto ok = commit.begin_epoch(reason, now); !ok) return Unexpected(std::move(ok).error());
  }
  auto out = commit.finish(extras);
  if (!out) return out;
  last_note_ = out->checkpoint_note;
  out->records = std::move(placed);
  return out;
}

Result<Committed> Appender::rotate(RotateReason reason) {
  auto session = WriteSession::open(files_, last_note_);
  if (!session) return Unexpected(std::move(session).error());
  Commit commit(std::move(*session));
  const char* text = reason == RotateReason::serve ? "serve" : "command";
  if (auto ok = commit.begin_epoch(text, clock_->now()); !ok)
    return Unexpected(std::move(ok).error());
  auto out = commit.finish({});
  if (!out) return out;
  last_note_ = out->checkpoint_note;
  const BatchRecord& last = commit.batch().records().back();
  out->records.push_back({last.seq, last.hash});
  return out;
}

}  // namespace ethos::ledger
