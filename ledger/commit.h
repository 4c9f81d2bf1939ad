// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "ledger/batch.h"
#include "ledger/record/vkey.h"
#include "ledger/write_session.h"

namespace ethos::ledger {

// What a transaction adds and removes beside its records.
struct CommitExtras {
  std::vector<const std::vector<record::Disclosure>*> disclosures;
  std::vector<const std::vector<Blob>*> blobs;
  const std::vector<record::Digest>* erased = nullptr;
  const std::function<base::Result<void>(Database&)>* change = nullptr;
};

// One commit in the making on a session that is open: the records so far, and the next epoch's key
// if one begins. After finish() the session stands behind the commit, ready for the next one; after
// a failed finish() it must not be used any more.
class Commit {
 public:
  explicit Commit(WriteSession& session);
  [[nodiscard]] Batch& batch() { return batch_; }

  // Adds key.epoch as the last record and writes the new secret (before the commit that names it).
  base::Result<void> begin_epoch(const char* reason, const base::Timestamp& now);
  // The same with a key that is there already: in a file that was written before, or in an agent.
  enum class Secret { kept, in_agent };
  base::Result<void> begin_epoch(const char* reason, const base::Timestamp& now, EpochSigner signer,
                                 Secret secret);
  // A new key when the tail's epoch is over (docs/formats/keys.md K-10). Never for an agent's key:
  // which one comes next is not ours to choose.
  base::Result<void> begin_epoch_if_due(const base::Timestamp& now);
  // Signs and stores. `max_log_bytes`: beyond it the log is folded.
  base::Result<Committed> finish(const CommitExtras& extras, std::int64_t max_log_bytes);

 private:
  base::Result<void> store(const CommitExtras& extras, std::string_view note);
  void advance_session(const Committed& done);
  WriteSession& session_;
  Batch batch_;
  base::Result<void> add_epoch(const char* reason, const base::Timestamp& now,
                               const record::PublicKey& key);
  bool is_revoking_ = false;
  std::optional<EpochSigner> next_;
  base::Timestamp next_ts_;
};

// A request that a producer may make: its types, its disclosures and the sizes of its blobs.
base::Result<void> check_request(const CommitRequest& request);
// Records that say something about the ledger itself are written by the code that makes them true.
bool is_callers_type(std::string_view type);

}  // namespace ethos::ledger
