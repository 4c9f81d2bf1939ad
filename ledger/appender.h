// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "ledger/ledger_files.h"
#include "ledger/record/checkpoint.h"
#include "ledger/record/commitment.h"
#include "ledger/record/digest.h"
#include "ledger/record/ids.h"
#include "ledger/record/record.h"

namespace ethos::ledger {

// Where a run's chain stands (docs/formats/record.md R-13). The caller keeps one for as long as the
// run lives and passes it with each record of the run; only a successful commit moves it on.
struct RunChain {
  record::RunId id;
  std::uint64_t next_seq = 0;
  record::Digest prev;  // leaf hash of the run's latest record; zeros before the first
  // The disk failed in the middle of a commit: nobody knows whether its records are there. A
  // further commit of this run is refused; recovery ends it once its lock is free.
  bool is_lost = false;
};

// One record before it has its place. The appender fills in everything else of the envelope.
struct PendingRecord {
  std::string type;
  RunChain* run = nullptr;  // null for a record of the ledger itself; must outlive commit()
  std::string body;         // an object in ethos-json/1
  // When it happened; the moment of the commit when absent.
  std::optional<base::Timestamp> ts;
  // Set by the service only: who handed it in.
  std::optional<record::Writer> writer = std::nullopt;
};

// Public bytes kept by plain digest.
struct Blob {
  record::Digest sha256;
  std::string bytes;
};

// What one transaction adds. Records of several runs and of the ledger may stand together.
struct CommitRequest {
  std::vector<PendingRecord> records;
  std::vector<record::Disclosure> disclosures;
  std::vector<Blob> blobs;
};

// Where a pending record went.
struct PlacedRecord {
  std::uint64_t seq = 0;
  record::Digest leaf_hash;
};

struct Committed {
  std::vector<PlacedRecord> records;  // one for each of the request, in its order
  record::Checkpoint checkpoint;
  std::string checkpoint_note;  // exact bytes, as stored
  // What failed after the records were durable (log not folded, high-water file not written, an old
  // secret not removed): one sentence each, worth telling, no reason to commit again.
  std::vector<std::string> warnings;
};

class Database;
class Store;
class WriteSession;
struct Tail;

// Records of the ledger itself, and what makes them true: one transaction.
struct Operation {
  std::vector<PendingRecord> records;
  std::vector<record::Digest> erased;  // disclosures that are deleted
  std::vector<Blob> blobs;
  // Called under the ledger lock before anything is written; its failure is the operation's.
  std::function<base::Result<void>(Store& store, const Tail& tail)> check;
  // Called in the transaction, for what else is to change with the records.
  std::function<base::Result<void>(Database& database)> change = {};
};

// Why a new epoch begins (docs/formats/record.md R-24), beside age and count.
enum class RotateReason { command, serve };

// Where records of runs go: straight into a ledger, or to the service that writes it.
class RecordSink {
 public:
  RecordSink() = default;
  RecordSink(const RecordSink&) = default;
  RecordSink(RecordSink&&) = default;
  RecordSink& operator=(const RecordSink&) = default;
  RecordSink& operator=(RecordSink&&) = default;
  virtual ~RecordSink() = default;
  // Durable when it returns.
  virtual base::Result<Committed> commit(const CommitRequest& request) = 0;
  // The caller waits for something else: time for what the first commit would have to do.
  virtual void warm_up() {}
};

// Writes to a ledger, one signed commit at a time (docs/formats/store.md S-6 to S-9). Between
// commits it holds no lock and no key, so several processes can share a ledger. Not for two threads
// at once; each may have an Appender of its own.
class Appender final : public RecordSink {
 public:
  // `clock` must outlive the appender. Checks that the ledger is there: Errc::not_found otherwise.
  static base::Result<Appender> open(LedgerFiles files, const base::Clock& clock);
  Appender(Appender&&) noexcept;
  Appender& operator=(Appender&&) noexcept;
  ~Appender() override;

  // For a caller with several commits to make: from the first on the connection stays open, and is
  // used again when nobody else has written meanwhile (S-6).
  void keep_connection() { keeps_connection_ = true; }
  // For a process that is about to end: the kernel closes what is open in less time.
  void leave_open();

  // Durable when it returns. When it fails no RunChain was moved, and nothing was written but in
  // one case: the disk failed while the transaction ended (Errc::io, Errc::no_space). Then all of
  // the records are there or none, and the runs concerned are marked lost.
  //   Errc::behind      the ledger is shorter than this host has seen: a roll-back
  //   Errc::mismatch    chain, tree, signature or key do not fit: damaged, or a fork
  //   Errc::malformed   a body outside the profile, or a damaged store
  //   Errc::unsupported a type that version 1 does not write or that is not the caller's to write
  //                     (ledger.*, key.*, data.erase), or an unknown version of the store
  //   Errc::refused     a key file or directory with a bad mode, owner or kind
  //   Errc::busy        some other program has the database open
  //   Errc::no_space, Errc::io
  base::Result<Committed> commit(const CommitRequest& request) override;

  // Commits something to a database in memory, so that SQLite's code and tables are loaded. Nothing
  // where the process has one processor only: there nobody waits while another works.
  void warm_up() override;

  // The same for ledger.* and data.erase records, by the code that knows what they ask for.
  base::Result<Committed> operate(const Operation& operation);

  // Begins the next key epoch; the record is the only one of its commit.
  base::Result<Committed> rotate(RotateReason reason);
  // The same with a key that the ssh-agent holds.
  base::Result<Committed> rotate_to_agent(base::ByteSpan public_key32);

  [[nodiscard]] const LedgerFiles& files() const { return files_; }

 private:
  Appender(LedgerFiles files, const base::Clock& clock);
  base::Result<std::unique_ptr<WriteSession>> begin();
  void fold_busy_log();
  LedgerFiles files_;
  const base::Clock* clock_;
  std::string last_note_;  // the last checkpoint this appender signed
  bool keeps_connection_ = false;
  std::uint64_t commits_ = 0;  // over a connection that is kept
  std::unique_ptr<WriteSession> parked_;
};

}  // namespace ethos::ledger
