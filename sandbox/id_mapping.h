// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

#include "ledger/base/unique_fd.h"
#include "sandbox/blueprint.h"
#include "sandbox/plan.h"
#include "sandbox/steps.h"

namespace ethos::sandbox {

// A failed step on the supervisor's side.
struct StepFailure {
  Step step = Step::none;  // none: no failure
  int error = 0;
  int mount = -1;
  explicit operator bool() const { return step != Step::none; }
};

// What only root does for its child, since the child stops being able to reach the host's files:
// the maps of its user namespace, and each granted object as a detached mount. Grants that are not
// of the system get the child's own user namespace as their id map, so that the workspace owner's
// files are the tool's inside, while on the host the tool has an unprivileged uid.
class RootHelper {
 public:
  RootHelper(const Plan& plan, const Blueprint& blueprint) : plan_(&plan), blueprint_(&blueprint) {}

  // Before the clone: opens each source, compares it with the plan, clones its mount.
  StepFailure open_trees();
  // After the clone: maps, attributes, id maps.
  StepFailure prepare(pid_t child);
  // Sends the trees; the child goes on when it has them.
  StepFailure send(int channel);

  // Directories on which nothing may stand: the child asks the kernel (look_below), for nothing.
  [[nodiscard]] const std::vector<const BuildOp*>& to_look_below() const { return to_look_below_; }
  // What the child could not reach, from the table of mounts, which costs 1 us for each.
  [[nodiscard]] StepFailure look_below() const;

 private:
  const Plan* plan_;
  const Blueprint* blueprint_;
  struct Tree {
    base::UniqueFd fd;
    const BuildOp* op = nullptr;
  };
  std::vector<Tree> trees_;
  std::vector<const BuildOp*> to_look_below_;
};

}  // namespace ethos::sandbox
