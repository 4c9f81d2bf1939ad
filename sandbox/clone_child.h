// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "ledger/base/unique_fd.h"
#include "sandbox/child.h"

namespace ethos::sandbox {

// The child's own stack, with a page below it that faults. Must outlive the child's execve or
// death.
class ChildStack {
 public:
  ChildStack();
  ChildStack(const ChildStack&) = delete;
  ChildStack& operator=(const ChildStack&) = delete;
  ~ChildStack();
  [[nodiscard]] char* base() const;  // nullptr without memory

 private:
  char* at_ = nullptr;
};

struct Cloned {
  pid_t pid = -1;
  base::UniqueFd pidfd;
  int error = 0;
};

// clone3 into new user, pid, mount, network, ipc, uts and cgroup namespaces, with the supervisor's
// memory (without it when built with sanitizers) and into the cgroup `cgroup_fd` when that is not
// -1. Never CLONE_VFORK: the supervisor has to read the child back while it is stopped. All signals
// must be blocked by the caller.
[[nodiscard]] Cloned clone_child(const ChildContext& context, const ChildStack& stack,
                                 int cgroup_fd);

}  // namespace ethos::sandbox
