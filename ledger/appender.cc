// SPDX-License-Identifier: Apache-2.0
#include "ledger/appender.h"

#include <sched.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "ledger/base/step_mark.h"
#include "ledger/commit.h"
#include "ledger/write_session.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

// Every direct writer reads the log anew, so it stays short (docs/formats/store.md S-6).
constexpr std::int64_t kMaxLogBytes = std::int64_t{256} * 1024;
// A connection that is kept folds at its next commit: folded now, it would have to be opened anew.
constexpr std::int64_t kMaxKeptLogBytes = 2 * kMaxLogBytes;
// One that goes on committing (a flood of denials, an import) would fold, and open anew, at every
// second commit, which costs more than the commits: it folds seldom, and when it is done.
constexpr std::int64_t kMaxBusyLogBytes = std::int64_t{4} * 1024 * 1024;
constexpr std::uint64_t kBusyCommits = 4;

Result<Committed> add_and_finish(WriteSession& session, const base::Clock& clock,
                                 const std::vector<PendingRecord>& records,
                                 const CommitExtras& extras,
                                 std::int64_t max_log_bytes = kMaxLogBytes) {
  Commit commit(session);
  // Read under the lock: so the times of neighbouring commits are in order.
  const base::Timestamp now = clock.now();
  std::vector<PlacedRecord> placed;
  for (const PendingRecord& pending : records) {
    auto one = commit.batch().add(pending, now);
    if (!one) return Unexpected(std::move(one).error());
    placed.push_back(*one);
  }
  // Nothing may follow a seal, so no new epoch either.
  if (records.back().type != "ledger.seal") {
    if (auto ok = commit.begin_epoch_if_due(now); !ok) return Unexpected(std::move(ok).error());
  }
  auto out = commit.finish(extras, max_log_bytes);
  if (out) out->records = std::move(placed);
  return out;
}

}  // namespace

Appender::Appender(LedgerFiles files, const base::Clock& clock)
    : files_(std::move(files)), clock_(&clock) {}
Appender::Appender(Appender&&) noexcept = default;
Appender& Appender::operator=(Appender&&) noexcept = default;
Appender::~Appender() { fold_busy_log(); }

Result<Appender> Appender::open(LedgerFiles files, const base::Clock& clock) {
  struct stat st {};
  if (::stat(files.database.c_str(), &st) != 0) return base::fail_errno(files.database, errno);
  return Appender(std::move(files), clock);
}

Result<Committed> Appender::commit(const CommitRequest& request) {
  if (auto ok = check_request(request); !ok) return Unexpected(std::move(ok).error());
  const std::int64_t max_log = commits_ >= kBusyCommits        ? kMaxBusyLogBytes
                               : keeps_connection_ && !parked_ ? kMaxKeptLogBytes
                                                               : kMaxLogBytes;
  auto session = begin();
  if (!session) return Unexpected(std::move(session).error());
  base::step_mark("place records");
  auto out = add_and_finish(**session, *clock_, request.records,
                            {{&request.disclosures}, {&request.blobs}, nullptr}, max_log);
  if (!out) return out;
  if (keeps_connection_) ++commits_;
  last_note_ = out->checkpoint_note;
  base::step_mark("let go");
  if (keeps_connection_ && (*session)->park()) parked_ = std::move(*session);
  return out;
}

Result<std::unique_ptr<WriteSession>> Appender::begin() {
  if (auto kept = std::exchange(parked_, nullptr)) {
    auto is_same = kept->unpark();
    if (!is_same) return Unexpected(std::move(is_same).error());
    if (*is_same) return kept;
  }
  auto session = WriteSession::open(files_, last_note_);
  if (!session) return Unexpected(std::move(session).error());
  return std::make_unique<WriteSession>(std::move(*session));
}

void Appender::warm_up() {
  cpu_set_t processors;
  if (::sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) < 2)
    return;
  auto database = Database::open(":memory:", OpenMode::create);
  if (!database) return;
  Store store(*database);
  auto ok = store.make_schema();
  if (ok) ok = store.check_schema();
  auto transaction = Transaction::begin(*database);
  if (!ok || !transaction) return;
  const std::string bytes(4096, ' ');
  ok = store.add_leaf(0, bytes, record::leaf_hash({}));
  if (ok) ok = store.add_disclosure({{}, {}, bytes});
  if (ok) ok = store.add_blob({}, bytes);
  if (ok) ok = store.add_checkpoint(1, bytes);
  if (ok) ok = store.put_tail(0, 0, {});
  if (ok) static_cast<void>(transaction->commit().has_value());
}

void Appender::leave_open() {
  fold_busy_log();
  static_cast<void>(parked_.release());
}

// What cannot be folded now the next writer folds.
void Appender::fold_busy_log() {
  if (commits_ < kBusyCommits || !parked_) return;
  auto is_same = parked_->unpark();
  if (is_same && *is_same) static_cast<void>(parked_->settle(last_note_, kMaxLogBytes));
  parked_.reset();
  commits_ = 0;
}

Result<Committed> Appender::operate(const Operation& operation) {
  for (const PendingRecord& pending : operation.records) {
    if (is_callers_type(pending.type))
      return fail(Errc::unsupported, pending.type + ": is no record of the ledger itself");
  }
  parked_.reset();
  auto session = WriteSession::open(files_, last_note_);
  if (!session) return Unexpected(std::move(session).error());
  if (operation.check) {
    Store store(session->database());
    auto ok = operation.check(store, session->tail());
    if (!ok) return Unexpected(std::move(ok).error());
  }
  auto out = add_and_finish(*session, *clock_, operation.records,
                            {{}, {&operation.blobs}, &operation.erased, &operation.change});
  if (out) last_note_ = out->checkpoint_note;
  return out;
}

namespace {

// A commit of nothing but the key.epoch record that `begin` adds.
template <typename Begin>
Result<Committed> rotate_by(const LedgerFiles& files, std::string& last_note, const Begin& begin) {
  auto session = WriteSession::open(files, last_note);
  if (!session) return Unexpected(std::move(session).error());
  Commit commit(*session);
  if (auto ok = begin(*session, commit); !ok) return Unexpected(std::move(ok).error());
  auto out = commit.finish({}, kMaxLogBytes);
  if (!out) return out;
  last_note = out->checkpoint_note;
  const BatchRecord& last = commit.batch().records().back();
  out->records.push_back({last.seq, last.hash});
  return out;
}

}  // namespace

Result<Committed> Appender::rotate(RotateReason reason) {
  const char* text = reason == RotateReason::serve ? "serve" : "command";
  parked_.reset();
  return rotate_by(files_, last_note_, [&](WriteSession&, Commit& commit) {
    return commit.begin_epoch(text, clock_->now());
  });
}

Result<Committed> Appender::rotate_to_agent(base::ByteSpan public_key32) {
  parked_.reset();
  return rotate_by(files_, last_note_, [&](WriteSession& session, Commit& commit) -> Result<void> {
    auto key = record::PublicKey::from_bytes(session.origin().text(), public_key32);
    if (!key) return Unexpected(std::move(key).error());
    return commit.begin_epoch("command", clock_->now(),
                              EpochSigner::of_agent(*key, files_.access.agent_socket),
                              Commit::Secret::in_agent);
  });
}

}  // namespace ethos::ledger
