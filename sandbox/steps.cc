// SPDX-License-Identifier: Apache-2.0
#include "sandbox/steps.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sandbox/host_signs.h"

namespace ethos::sandbox {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({
    "none",         "options",      "kernel",         "cgroup",
    "source",       "clone",        "id_map",         "id_mapped_mount",
    "identity",     "parent_death", "private_mounts", "mount_root",
    "mount_bind",   "mount_staged", "mount_scratch",  "mount_proc",
    "mount_dev",    "mount_mask",   "tree",           "pivot",
    "read_only",    "host_name",    "loopback",       "working_directory",
    "session",      "rlimits",      "no_new_privs",   "landlock",
    "capabilities", "seccomp",      "probes",         "standard_fds",
    "init",         "notification", "audit",          "readback",
});
static_assert(kNames.size() == static_cast<std::size_t>(Step::last));

Explanation explain_clone(int error) {
  if (error == EACCES)
    return {"the cgroup leaf lies outside the subtree delegated to this user",
            "start under: systemd-run --user --scope -p Delegate=yes -- ethos-run ..."};
  if (error == ENOSYS)
    return {"the kernel or an outer filter has no clone3", "use Linux 5.19 or newer"};
  Advice advice = advise_on_namespaces(read_host_signs(), error);
  return {std::move(advice.cause), std::move(advice.fix)};
}

Explanation explain_mount(Step step, int error) {
  if (step == Step::mount_proc && error == EPERM) {
    Advice advice = advise_on_proc(read_host_signs());
    return {std::move(advice.cause), std::move(advice.fix)};
  }
  if (step == Step::mount_bind && error == EINVAL)
    return {
        "something else is mounted below the granted directory, or it is not on an ordinary "
        "file system",
        "grant the directories beside the inner mount one by one"};
  if (step == Step::mount_staged && error == E2BIG)
    return {
        "without overlayfs (before Linux 6.6) a granted directory is copied, and this one has more "
        "than 16 MiB, 2,000 "
        "entries or 24 levels",
        "grant a smaller directory, or use Linux 6.6 or newer"};
  if (step == Step::mount_staged)
    return {"overlayfs with user extended attributes is not available",
            "use Linux 6.6 or newer, or grant files instead of directories"};
  return {"a mount of the cage could not be made", "see ethos-run doctor"};
}

Explanation explain_other(Step step, int error) {
  switch (step) {
    case Step::kernel:
      return {"the kernel lacks a feature every cage needs", "see ethos-run doctor"};
    case Step::cgroup:
      return {"the limits need a cgroup v2 leaf of our own with their controllers",
              "delegate a cgroup (systemd-run --user --scope -p Delegate=yes), pass "
              "--cgroup-parent, or name a weaker form with enforce in the declaration"};
    case Step::source:
      return {error == 0 ? "the object is not the one that was granted (device or inode differ)"
                         : "a granted object cannot be opened",
              "do not move or replace granted files while a run starts"};
    case Step::id_map: {
      const HostSigns signs = read_host_signs();
      if (signs.is_apparmor_restricting) {
        Advice advice = advise_on_namespaces(signs, error);
        return {std::move(advice.cause), std::move(advice.fix)};
      }
      return {"the user and group maps of the namespace cannot be written",
              "check that ethos-run itself is readable by the caller"};
    }
    case Step::id_mapped_mount:
      return {"the file system of the grant has no id-mapped mounts on this kernel",
              "put the workspace on ext4, xfs, btrfs or tmpfs, or run as the workspace's owner"};
    case Step::landlock:
      return {"Landlock refused a rule or is missing",
              "boot with lsm=landlock in the list; see ethos-run doctor"};
    case Step::seccomp:
      return {error == EBUSY ? "an outer program already listens to this process's system calls"
                             : "the system call filter could not be installed",
              "do not run ethos-run inside another ethos-run"};
    case Step::probes:
      return {"an act that the cage must refuse succeeded", "report this: the cage does not hold"};
    case Step::audit:
      return {"the kernel's audit is no source of evidence here",
              error == ENODATA ? "switch it on (auditctl -e 1 -b 8192, or --audit enable)"
                               : "start ethos-run as root in the machine's first namespaces, on "
                                 "Linux 6.15 or newer, or leave out --audit require"};
    case Step::readback:
      return {"the kernel does not show what the plan asks for", "see the differences listed"};
    default:
      return {"", "see ethos-run doctor"};
  }
}

}  // namespace

std::string_view step_name(Step step) {
  const auto index = static_cast<std::size_t>(step);
  return index < kNames.size() ? kNames[index] : "unknown";
}

Step step_by_name(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Step>(i);
  return Step::none;
}

Explanation explain(Step step, int error) {
  Explanation out;
  if (step == Step::clone) {
    out = explain_clone(error);
  } else if (step >= Step::private_mounts && step <= Step::read_only) {
    out = explain_mount(step, error);
  } else {
    out = explain_other(step, error);
  }
  if (out.cause.empty()) out.cause = "step " + std::string(step_name(step)) + " failed";
  if (error != 0) out.cause += std::string(": ") + std::strerror(error);
  return out;
}

}  // namespace ethos::sandbox
