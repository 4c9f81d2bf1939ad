// SPDX-License-Identifier: Apache-2.0
#include "ledger/engine.h"

#include <iterator>

#include "ledger/commit.h"
#include "ledger/erase.h"
#include "ledger/file_checks.h"
#include "ledger/record/envelope_view.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

// One connection that lives long does not read its log again, and folding costs two syncs: so the
// log may grow longer than a direct writer's. Not by much: all producers wait while it is folded,
// and 16 MiB at a time made the slowest hundredth of 64 producers' answers last 55 ms, 2 MiB 20 ms.
constexpr std::int64_t kMaxLogBytes = std::int64_t{2} * 1024 * 1024;

// A disk that failed leaves the connection in an unknown state.
bool is_final(const base::Error& error) {
  return error.code == Errc::io || error.code == Errc::no_space || error.code == Errc::mismatch;
}

Unexpected copy_of(const base::Error& error) { return Unexpected(base::Error(error)); }

// All records of an item, or none of them.
Result<std::vector<PlacedRecord>> place(Batch& batch, const Engine::Item& item,
                                        const base::Timestamp& now) {
  RunChain* const run = item.records.empty() ? nullptr : item.records.front().run;
  Batch::Mark mark = batch.mark(run);
  std::vector<PlacedRecord> placed;
  for (const PendingRecord& pending : item.records) {
    auto one = batch.add(pending, now);
    if (!one) {
      batch.go_back(std::move(mark));
      return Unexpected(std::move(one).error());
    }
    placed.push_back(*one);
  }
  return placed;
}

}  // namespace

Result<Engine> Engine::open(const LedgerFiles& files, const base::Clock& clock) {
  auto lock = base::FileLock::create(files.service_lock(), base::LockKind::exclusive,
                                     base::IfBusy::give_up);
  if (!lock && lock.error().code == Errc::busy)
    return fail(Errc::busy, files.database + ": another service writes it");
  if (!lock) return Unexpected(std::move(lock).error());
  auto session = WriteSession::open(files, {}, WriteSession::For::service);
  if (!session) return Unexpected(std::move(session).error());
  return Engine(std::move(*lock), std::move(*session), clock);
}

Result<std::vector<std::string>> Engine::try_commit(std::span<Item* const> items) {
  Commit commit(session_);
  const base::Timestamp now = clock_->now();
  CommitExtras extras;
  std::vector<Item*> good;
  for (Item* item : items) {
    auto placed = place(commit.batch(), *item, now);
    if (!placed) {
      item->result = Unexpected(std::move(placed).error());
      continue;
    }
    item->result = Committed{std::move(*placed), {}, {}, {}};
    extras.disclosures.push_back(item->disclosures);
    extras.blobs.push_back(item->blobs);
    good.push_back(item);
  }
  if (good.empty()) return std::vector<std::string>();
  auto done = [&]() -> Result<Committed> {
    if (auto ok = commit.begin_epoch_if_due(now); !ok) return Unexpected(std::move(ok).error());
    return commit.finish(extras, kMaxLogBytes);
  }();
  for (Item* item : good) {
    if (!done) {
      item->result = copy_of(done.error());
      continue;
    }
    item->result->checkpoint = done->checkpoint;
    item->result->checkpoint_note = done->checkpoint_note;
  }
  if (!done) return Unexpected(std::move(done).error());
  return std::move(done->warnings);
}

Result<std::vector<std::string>> Engine::commit(std::vector<Item>& items) {
  std::vector<Item*> all;
  for (Item& item : items) all.push_back(&item);
  auto done = try_commit(all);
  if (done || is_final(done.error())) return done;
  // The store refused something (the same commitment twice, say) and rolled back: one at a time,
  // so that only the one who sent it hears of it.
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto one = try_commit(std::span(all).subspan(i, 1));
    if (one) {
      std::move(one->begin(), one->end(), std::back_inserter(warnings));
    } else if (is_final(one.error())) {
      for (std::size_t k = i + 1; k < all.size(); ++k) all[k]->result = copy_of(one.error());
      return one;
    }
  }
  return warnings;
}

Result<record::Record> Engine::record(std::uint64_t seq) {
  auto bytes = Store(session_.database()).leaf_bytes(seq);
  if (!bytes) return Unexpected(std::move(bytes).error());
  return record::parse_record(*bytes);
}

Result<std::string> Engine::record(std::uint64_t seq, std::string_view run) {
  auto bytes = Store(session_.database()).leaf_bytes(seq);
  auto view = bytes ? record::scan_envelope(*bytes)
                    : Result<record::EnvelopeView>(fail(Errc::not_found, ""));
  if (!view || view->run != run)
    return fail(Errc::refused, "record " + std::to_string(seq) + " is not of this run");
  return bytes;
}

Result<bool> Engine::complete_erasure(const LedgerFiles& files) {
  if (!is_erasure_unfinished(files)) return false;
  if (auto ok = rewrite_erased(files, session_.database()); !ok)
    return Unexpected(std::move(ok).error());
  return true;
}

Result<Committed> Engine::rotate(RotateReason reason) {
  Commit commit(session_);
  auto ok = commit.begin_epoch(reason == RotateReason::serve ? "serve" : "command", clock_->now());
  if (!ok) return Unexpected(std::move(ok).error());
  return commit.finish({}, kMaxLogBytes);
}

}  // namespace ethos::ledger
