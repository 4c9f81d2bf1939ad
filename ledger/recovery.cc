// SPDX-License-Identifier: Apache-2.0
#include "ledger/recovery.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "ledger/base/file_io.h"
#include "ledger/base/file_lock.h"
#include "ledger/base/paths.h"
#include "ledger/dead_cgroup.h"
#include "ledger/reader.h"
#include "ledger/record/record_types.h"
#include "ledger/run_lock.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::Result;
using base::Unexpected;

constexpr const char* kAbortBody = R"({"reason":"supervisor_gone"})";

// A run whose process is gone: we hold its lock now.
struct DeadRun {
  base::FileLock lock;
  std::string path;
  std::uint64_t first_size = 0;  // records the ledger had before the run began
  RunChain chain;
  bool has_records = false;
  bool has_end = false;
  std::vector<std::string> cgroups;
};

// Empty for a live run.
Result<std::optional<DeadRun>> try_dead(const LedgerFiles& files, const record::RunId& run,
                                        DeadRuns whose) {
  const std::string path = files.runs() + "/" + run.text();
  auto fd = base::open_regular(path, O_RDWR);
  if (!fd && fd.error().code == Errc::not_found) return std::optional<DeadRun>();
  if (!fd) return Unexpected(std::move(fd).error());
  auto lock =
      base::FileLock::take(std::move(*fd), base::LockKind::exclusive, base::IfBusy::give_up, path);
  if (!lock && lock.error().code == Errc::busy) return std::optional<DeadRun>();
  if (!lock) return Unexpected(std::move(lock).error());
  auto text = base::read_fd(lock->fd(), kMaxRunFileBytes, path);
  const RunFile file = parse_run_file(text ? *text : std::string());
  // Unlocked means dead for a direct writer's run only: the service may just be starting again.
  if (file.service && whose == DeadRuns::direct) return std::optional<DeadRun>();
  return std::optional<DeadRun>(DeadRun{std::move(*lock), path, file.first_size,
                                        RunChain{run, 0, {}}, false, false, file.cgroups});
}

// Finds where each dead run's chain stands, in one pass over the records since the oldest began.
Result<void> find_chains(const LedgerReader& reader, std::vector<DeadRun>& dead) {
  std::uint64_t from = reader.size();
  for (const DeadRun& run : dead) from = std::min(from, run.first_size);
  return reader.read(from, reader.size(), [&](const StoredRecord& stored) {
    for (DeadRun& run : dead) {
      if (run.chain.id.text() != stored.view.run) continue;
      run.has_records = true;
      run.has_end = run.has_end || record::is_run_end(stored.view.type);
      run.chain.next_seq = stored.view.run_seq + 1;
      run.chain.prev = stored.leaf_hash;
    }
    return true;
  });
}

}  // namespace

Result<std::vector<record::RunId>> recover_runs(Appender& appender, DeadRuns whose) {
  std::vector<record::RunId> aborted;
  remove_unfinished_run_files(appender.files());
  auto runs = list_run_files(appender.files());
  if (!runs) return Unexpected(std::move(runs).error());
  std::vector<DeadRun> dead;
  for (const record::RunId& run : *runs) {
    auto found = try_dead(appender.files(), run, whose);
    if (!found) return Unexpected(std::move(found).error());
    if (*found) dead.push_back(std::move(**found));
  }
  if (dead.empty()) return aborted;
  auto reader = LedgerReader::open(appender.files());
  if (!reader) return Unexpected(std::move(reader).error());
  if (auto ok = find_chains(*reader, dead); !ok) return Unexpected(std::move(ok).error());
  CommitRequest request;
  for (DeadRun& run : dead) {
    if (!run.has_records || run.has_end) continue;
    request.records.push_back({"run.abort", &run.chain, kAbortBody, std::nullopt});
    aborted.push_back(run.chain.id);
  }
  if (!request.records.empty()) {
    auto committed = appender.commit(request);
    if (!committed) return Unexpected(std::move(committed).error().with_context("run.abort"));
  }
  for (const DeadRun& run : dead) remove_dead_cgroups(run.lock.fd().get(), run.cgroups);
  // Only now: a crash before this line finds the files again, and the ends in the ledger.
  for (const DeadRun& run : dead) ::unlink(run.path.c_str());
  return aborted;
}

}  // namespace ethos::ledger
