// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/file_lock.h"
#include "ledger/base/result.h"
#include "ledger/ledger_files.h"
#include "ledger/record/digest.h"
#include "ledger/record/ids.h"

namespace ethos::ledger {

// A file under `<ledger>.runs` (docs/formats/store.md S-10).
struct RunFile {
  std::uint64_t first_size = 0;  // records the ledger had before the run began; 0 says nothing
  // Of a run whose records come through the service: who began it. The file is not locked while
  // the service is down, and yet the run may live.
  struct Service {
    std::uint32_t uid = 0;
    // The producer's process and when it began, in clock ticks since boot: alive or not can be told
    // after the service has been started again. 0 when unknown.
    std::uint32_t pid = 0;
    std::uint64_t started = 0;
    record::Digest token_hash;
  };
  std::optional<Service> service = std::nullopt;
  // Control groups that the run made: who ends it when it is dead removes them.
  std::vector<std::string> cgroups = {};
};
inline constexpr std::size_t kMaxRunFileBytes = 65'536;
// A text that is damaged (a crash) says little or nothing, which only means a longer search.
RunFile parse_run_file(std::string_view text);
// The line of a control group in it.
[[nodiscard]] std::string cgroup_line(const std::string& path);
// Makes the file, locked; the directory too when it is missing.
base::Result<base::FileLock> create_run_file(const LedgerFiles& files, const record::RunId& run,
                                             const RunFile& content);
// False where no file of any run lies, which is told by one look at the directory.
[[nodiscard]] bool has_run_files(const LedgerFiles& files);
// The runs that have a file.
base::Result<std::vector<record::RunId>> list_run_files(const LedgerFiles& files);

// Removes what creators that were killed left (`<run>.new`, older than a minute).
void remove_unfinished_run_files(const LedgerFiles& files);

// Says "this run is alive" to everyone who shares the ledger: flock on `<ledger>.runs/<run id>`
// (docs/formats/store.md S-10). Take it before the run's first record. When the process dies the
// kernel lets go of the lock, and recovery may write run.abort. The descriptor is close-on-exec; a
// child made without exec must not keep it.
class RunLock {
 public:
  static base::Result<RunLock> create(const LedgerFiles& files, const record::RunId& run);
  // The run is about to make this control group (is_run_cgroup). Call it before: whoever kills the
  // run in between leaves a name of nothing.
  base::Result<void> note_cgroup(const std::string& path);
  // The run's end is committed: removes the file. Without this the file stays for recovery.
  base::Result<void> finish();
  [[nodiscard]] int fd() const { return lock_.fd().get(); }

 private:
  RunLock(base::FileLock lock, std::string path) : lock_(std::move(lock)), path_(std::move(path)) {}
  base::FileLock lock_;
  std::string path_;
};

}  // namespace ethos::ledger
