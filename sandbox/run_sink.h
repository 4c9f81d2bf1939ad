// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/clock.h"
#include "ledger/base/result.h"
#include "ledger/run_lock.h"
#include "sandbox/open_ledger.h"

namespace ethos::sandbox {

// Where the records of one run go: into the ledger itself, or to the service that writes it. Chosen
// once, when the ledger was made ready, and never changed: a run is never written both ways.
class RunSink {
 public:
  // Runs that died are ended, and what they had half brought out is undone.
  static base::Result<RunSink> open(ReadyLedger ledger, const base::Clock& clock, bool is_quiet,
                                    std::ostream& err);

  // Gives the run its id and says that it lives. Before its first record.
  base::Result<record::RunId> begin();
  // The run makes a control group: see ledger::RunLock.
  base::Result<void> note_cgroup(const std::string& path) { return lock_->note_cgroup(path); }
  // The run's end is committed, or nothing of it is in the ledger.
  base::Result<void> finish();

  [[nodiscard]] ledger::RecordSink& records();
  [[nodiscard]] const std::string& database() const { return ledger_.files.database; }
  [[nodiscard]] std::string journal() const;  // of what the run brings out
  // Origin of the ledger, and the run's records with these numbers, in order. `take` gets the exact
  // bytes and returns false to stop.
  using Take = std::function<bool(std::string_view bytes)>;
  base::Result<std::string> read(const std::vector<std::uint64_t>& sequences, const Take& take);

 private:
  RunSink(ReadyLedger ledger, ledger::LedgerFiles local)
      : ledger_(std::move(ledger)), local_(std::move(local)) {}
  base::Result<std::string> read_direct(const std::vector<std::uint64_t>& sequences,
                                        const Take& take) const;
  ReadyLedger ledger_;
  // Whose run directory holds lock and journal: the ledger's, or one of the caller's own when a
  // service writes the ledger and its directory is none of the caller's business.
  ledger::LedgerFiles local_;
  std::optional<ledger::Appender> appender_;
  std::optional<ledger::RunLock> lock_;
  std::optional<record::RunId> run_;
};

}  // namespace ethos::sandbox
