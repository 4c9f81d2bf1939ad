// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/clock.h"
#include "ledger/base/file_lock.h"
#include "ledger/base/result.h"
#include "ledger/write_session.h"

namespace ethos::ledger {

// The one writer of a ledger that a service writes: keeps the connection, the key and the tail
// between commits and puts the requests of many producers into one of them. While it lives, direct
// writers are refused; readers come in whenever it is paused.
class Engine {
 public:
  // Errc::busy when another service has this ledger; else as WriteSession::open.
  static base::Result<Engine> open(const LedgerFiles& files, const base::Clock& clock);

  // Records of one producer: all of them come, or none.
  struct Item {
    std::vector<PendingRecord> records;  // of one run
    const std::vector<record::Disclosure>* disclosures = nullptr;
    const std::vector<Blob>* blobs = nullptr;
    base::Result<Committed> result = Committed{};
  };
  // One signed commit of all items that are good; each item's `result` says how it went, with the
  // checkpoint that covers it. An item is judged alone: what is wrong with one is no matter to the
  // others. Returns warnings. An error means that the disk failed: the engine must not be used
  // again, and of the items with that error nobody knows whether their records are there.
  base::Result<std::vector<std::string>> commit(std::vector<Item>& items);

  base::Result<Committed> rotate(RotateReason reason);

  // Between commits: lets readers in.
  base::Result<void> pause() { return session_.pause(); }
  base::Result<void> resume() { return session_.resume(); }
  // A record that is there; with a run, its bytes if it is that run's (Errc::refused).
  base::Result<record::Record> record(std::uint64_t seq);
  base::Result<std::string> record(std::uint64_t seq, std::string_view run);
  // The key epoch has signed nothing but its own beginning.
  [[nodiscard]] bool is_fresh_epoch() const {
    return session_.tail().epoch_seq + 1 == session_.tail().frontier.size();
  }
  // Ends what an erasure that was cut off has left: true when there was one.
  base::Result<bool> complete_erasure(const LedgerFiles& files);
  // Folds the log: at a clean end.
  base::Result<void> fold() { return session_.database().fold_log(); }

  [[nodiscard]] const record::Origin& origin() const { return session_.origin(); }
  [[nodiscard]] std::uint64_t size() const { return session_.tail().frontier.size(); }
  [[nodiscard]] const std::string& last_note() const { return session_.tail().last.note; }

 private:
  Engine(base::FileLock service_lock, WriteSession session, const base::Clock& clock)
      : service_lock_(std::move(service_lock)), session_(std::move(session)), clock_(&clock) {}
  // Commits those that can be placed. An error is that of the commit; results are set either way.
  base::Result<std::vector<std::string>> try_commit(std::span<Item* const> items);
  base::FileLock service_lock_;
  WriteSession session_;
  const base::Clock* clock_;
};

}  // namespace ethos::ledger
