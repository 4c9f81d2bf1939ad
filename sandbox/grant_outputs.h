// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "sandbox/cage.h"
#include "sandbox/copy_base.h"
#include "sandbox/interruption.h"
#include "sandbox/launch.h"
#include "sandbox/staged_commit.h"

namespace ethos::sandbox {

// What write grants bring out after the run: staged directories by a checked copy, granted files,
// which the tool wrote directly, by a look at whether they changed.
class GrantOutputs {
 public:
  // Before the release: remembers the granted files' state.
  explicit GrantOutputs(const Plan& plan);

  // Before the release too: remembers how copied layers and their grants are. What cannot be read
  // makes it impossible to say later what the tool did.
  base::Result<void> remember_copies(const Launch& launch, int signal_fd);

  // Adds artifacts and refusals to `result`. Directories are committed only when the tool ended by
  // itself: what a killed or refused run left half-written stays in the layer and goes with it. A
  // signal that `signal_fd` brings meanwhile, or too long a time, leaves every directory as it was;
  // after a signal the run counts as interrupted.
  void collect(const Launch& launch, const LaunchOptions& options, int signal_fd,
               RunResult& result);

 private:
  struct FileState {
    const Mount* mount = nullptr;
    // Opened before the tool could change who may: what it wrote is read through this. None for a
    // file that its caller could not read before.
    base::UniqueFd file;
    std::int64_t changed_ns = 0;
    std::uint64_t size = 0;
  };
  using Commits = std::vector<std::unique_ptr<StagedCommit>>;
  void commit_directories(const Launch& launch, const LaunchOptions& options,
                          Interruption& interruption, RunResult& result);
  std::vector<base::UniqueFd> lock_grants(const Launch& launch, Interruption& interruption) const;
  // Those that have something to bring out and are ready to.
  Commits prepare(const Launch& launch, const LaunchOptions& options, Interruption& interruption,
                  RunResult& result) const;
  static void give_up(const Commits& commits, const Interruption& interruption, RunResult& result);
  void look_at_files(Interruption& interruption, RunResult& result) const;

  const Plan& plan_;
  std::vector<FileState> files_;
  std::vector<std::unique_ptr<CopyBase>> bases_;  // by slot; none for an overlay
};

}  // namespace ethos::sandbox
