// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/file_lock.h"
#include "ledger/base/result.h"
#include "ledger/engine.h"
#include "ledger/ledger_files.h"
#include "ledger/run_lock.h"
#include "ledger/service/wire.h"

namespace ethos::ledger::service {

using TimePoint = std::chrono::steady_clock::time_point;

// A run that a producer has begun and not finished.
struct ServedRun {
  std::optional<base::FileLock> lock;  // of its file under `<ledger>.runs`
  std::string path;
  RunChain chain{record::RunId::random(), 0, {}, false};
  RunFile file;
  // Who its records are from; unknown while it has none.
  std::optional<record::Writer> writer;
  bool has_end = false;
  std::uint64_t connection = 0;  // 0: its producer is away
  // When it is ended if its producer does not come back. Without one an absent producer is waited
  // for as long as its process lives.
  std::optional<TimePoint> ending;
  // Where its latest records are, the last one being run_seq chain.next_seq - 1: the answer to a
  // request that comes again because its first answer was lost.
  std::deque<PlacedRecord> latest;
};

// The producer's process is there, and the same one.
bool is_alive(const RunFile::Service& producer);

// The runs that are open, in memory and as files that outlive the service
// (docs/formats/service.md, SV-10).
class RunBook {
 public:
  explicit RunBook(LedgerFiles files) : files_(std::move(files)) {}

  // Takes over the runs that an earlier service left, and finds in the ledger where they stand.
  // The engine is paused while that is read. Runs whose file another process holds are let alone.
  base::Result<void> load(Engine& engine, TimePoint ending);

  // Begins a run with an id nobody has chosen.
  base::Result<std::reference_wrapper<ServedRun>> begin(const Token& token,
                                                        const record::Writer& producer,
                                                        std::uint64_t ledger_size);
  // Errc::refused for one that this producer has not begun, or that is over.
  base::Result<std::reference_wrapper<ServedRun>> find(const std::string& run, const Token& token,
                                                       std::uint32_t uid);
  // Errc::refused for a process that holds the token and is not the one that the run's records are
  // from: one run is one producer's.
  static base::Result<void> check_writer(const ServedRun& run, const record::Writer& writer);
  // After a commit of its records.
  static void note_commit(ServedRun& run, const std::vector<PlacedRecord>& placed, bool has_end);
  // Its end is committed, or nothing of it is: the file goes.
  void finish(const std::string& run);

  [[nodiscard]] std::map<std::string, std::unique_ptr<ServedRun>>& runs() { return runs_; }
  [[nodiscard]] const std::map<std::string, std::unique_ptr<ServedRun>>& runs() const {
    return runs_;
  }

 private:
  base::Result<void> take_over(const record::RunId& run, TimePoint ending);
  LedgerFiles files_;
  std::map<std::string, std::unique_ptr<ServedRun>> runs_;
};

}  // namespace ethos::ledger::service
