// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ethos::sandbox {

// The steps of building a cage, in the order they happen. A refusal names the step; fault injection
// takes the same names.
enum class Step : std::uint32_t {
  none,
  options,          // what the caller passed: stdin is a terminal, argv is empty
  kernel,           // Landlock ABI, user notification
  cgroup,           // leaf, limits
  source,           // open each granted host object again and compare device and inode
  clone,            // clone3 with every namespace
  id_map,           // uid_map, gid_map, setgroups
  id_mapped_mount,  // mount_setattr(IDMAP) of a granted tree
  identity,         // setgroups, setresgid, setresuid
  parent_death,     // PR_SET_PDEATHSIG
  private_mounts,   // no propagation to or from the host
  mount_root,       // tmpfs of the new root
  mount_bind,
  mount_staged,  // tmpfs for the upper layer, overlay over the granted directory
  mount_scratch,
  mount_proc,
  mount_dev,
  mount_mask,
  tree,       // directories, links and files of the minimal root
  pivot,      // pivot_root, detach the old root
  read_only,  // remount root and /dev read-only
  host_name,
  loopback,
  working_directory,
  session,
  rlimits,
  no_new_privs,
  landlock,
  capabilities,
  seccomp,
  probes,  // acts that had to fail
  standard_fds,
  init,          // execveat of the sealed init
  notification,  // the barrier's notification did not arrive
  audit,         // the kernel's audit, where the caller requires it
  readback,      // the kernel shows something else than the plan
  last,
};

[[nodiscard]] std::string_view step_name(Step step);
[[nodiscard]] Step step_by_name(std::string_view name);  // Step::none for an unknown one

// Why a step failed with this errno and what to change, for people. Both are one line.
struct Explanation {
  std::string cause;
  std::string fix;
};
[[nodiscard]] Explanation explain(Step step, int error);

}  // namespace ethos::sandbox
