// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/cage.h"
#include "sandbox/commit_rules.h"
#include "sandbox/interruption.h"
#include "sandbox/plan.h"
#include "sandbox/upper_walk.h"

namespace ethos::sandbox {

struct CommitResult {
  std::vector<Artifact> artifacts;
  std::vector<Denial> refusals;
};

// Brings out what the tool wrote below one staged grant, all or nothing:
//   1. prepare: the layer is walked, where one refused name refuses the whole grant; everything is
//      copied to temporary names beside its place, with the grant owner's ids, holes as holes
//   2. swap: each temporary takes its place by one rename, if it still is the file or directory
//   that
//      was made, by device and inode: others may have the right to write there too
//   3. finish: what was replaced is removed
// Until finish, undo (or the destructor) puts back what was there. The grants of a run take each
// step together, so that giving up in the middle leaves every one of them as it was.
class StagedCommit {
 public:
  // `journal` is a file name or empty. `plan`, `mount` and `interruption` must outlive it.
  StagedCommit(const Plan& plan, const Mount& mount, const Layer& layer, std::string journal,
               Interruption& interruption);
  StagedCommit(const StagedCommit&) = delete;
  StagedCommit& operator=(const StagedCommit&) = delete;
  ~StagedCommit();

  // `quota`: bytes that the run may still bring out, less what this one does; 0: no such limit.
  // False: nothing is to be brought out, because something was refused or nothing was changed.
  // Errors are the file system's, or Errc::refused when it was given up; then nothing was changed.
  [[nodiscard]] base::Result<bool> prepare(const CommitRules& rules, std::uint64_t& quota);
  // After an error everything is as it was; take() says what was refused, if that is the reason.
  [[nodiscard]] base::Result<void> swap();
  void undo();
  void finish();

  // What could not be put back; the journal stays then.
  [[nodiscard]] const std::optional<base::Error>& stuck() const;

  [[nodiscard]] const Mount& mount() const;
  [[nodiscard]] CommitResult take();

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace ethos::sandbox
