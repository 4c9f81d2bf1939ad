// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/file_lock.h"
#include "ledger/base/result.h"
#include "ledger/database.h"
#include "ledger/epoch_signer.h"
#include "ledger/keystore.h"
#include "ledger/ledger_files.h"
#include "ledger/log_mark.h"
#include "ledger/record/ids.h"
#include "ledger/record/vkey.h"
#include "ledger/store.h"

namespace ethos::ledger {

class Batch;

// One writer's turn: the ledger lock, the only connection, and a tail that was found to fit
// (docs/formats/store.md S-6, S-7, S-9). Ends with destruction: connection first, lock last.
class WriteSession {
 public:
  // `trusted_note`: exact bytes of a checkpoint whose signature this process has made or checked
  // before, or empty; when it is still the last one, the check is not done again.
  // Errc::busy while a service writes this ledger, for all others. `revocation`: a direct writer
  // that can do without the epoch's secret, because it is lost or not to be used.
  enum class For { direct, service, revocation };
  static base::Result<WriteSession> open(const LedgerFiles& files, std::string_view trusted_note,
                                         For whom = For::direct);

  [[nodiscard]] const Tail& tail() const { return tail_; }
  [[nodiscard]] const record::Origin& origin() const { return origin_; }
  // When the last record and the one that began the epoch say they were made.
  [[nodiscard]] const base::Timestamp& last_ts() const { return last_ts_; }
  [[nodiscard]] const base::Timestamp& epoch_ts() const { return epoch_ts_; }
  // Null without the secret (For::revocation only).
  [[nodiscard]] const EpochSigner* signer() const { return signer_ ? &*signer_ : nullptr; }
  // The public key of the tail's epoch.
  [[nodiscard]] const std::string& epoch_vkey() const { return epoch_vkey_; }
  [[nodiscard]] const Keystore& keys() const { return *keys_; }
  [[nodiscard]] Database& database() { return *database_; }
  // Its statements are prepared once for all turns of this session.
  [[nodiscard]] Store& store() { return store_; }

  // After a commit: folds a log that has grown over so many bytes and writes the high-water file.
  // What goes wrong here is a warning, the commit stands.
  std::vector<std::string> settle(std::string_view checkpoint_note, std::int64_t max_log_bytes);

  // Moves on behind a commit of this session's own, for the next one.
  void advance(record::Checkpoint checkpoint, std::string note, const Batch& batch);
  // The commit ended with a key.epoch record of that time: its key signs from now on.
  void begin_epoch(EpochSigner signer, const base::Timestamp& ts);

  // Ends the turn after a commit but keeps the connection: locks, key and key directory are let go,
  // and nothing may be asked before unpark(). False when it cannot be kept: destroy it.
  bool park();
  // The next turn: what open() does, but for reading what nobody has written since. False when
  // somebody has: destroy it and open anew. Errors are those of open().
  base::Result<bool> unpark();

  // Lets readers in while the service waits: the lock is let go, the connection stays. Nothing may
  // be written before resume(), which fails when the database was moved away or replaced.
  base::Result<void> pause();
  base::Result<void> resume();

 private:
  WriteSession(base::FileLock lock, LedgerFiles files, std::unique_ptr<Database> database,
               Store store, Tail tail, record::Origin origin, base::Timestamp last_ts,
               base::Timestamp epoch_ts, Keystore keys, std::string epoch_vkey,
               std::optional<EpochSigner> signer);
  base::Result<bool> is_as_parked();
  std::optional<base::FileLock> lock_;  // first member, so that it is let go last
  LedgerFiles files_;
  std::unique_ptr<Database> database_;  // `store_` holds its address
  Store store_;
  Tail tail_;
  record::Origin origin_;
  base::Timestamp last_ts_;
  base::Timestamp epoch_ts_;
  std::optional<Keystore> keys_;  // absent while parked
  std::string epoch_vkey_;
  std::optional<EpochSigner> signer_;  // likewise
  std::optional<LogMark> parked_;
  std::optional<record::KeyMark> known_key_;
};

}  // namespace ethos::ledger
