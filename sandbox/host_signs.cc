// SPDX-License-Identifier: Apache-2.0
#include "sandbox/host_signs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "ledger/base/file_io.h"
#include "sandbox/proc_status.h"

namespace ethos::sandbox {
namespace {

std::string text_of(const char* path) {
  auto text = base::read_file(path, 16U << 20);
  return text ? std::move(text).value() : std::string();
}

// The number in a one-line file, `otherwise` when there is none.
long number_of(const char* path, long otherwise) {
  const std::string text = text_of(path);
  return text.empty() ? otherwise : std::strtol(text.c_str(), nullptr, 10);
}

// Fifth field of each mountinfo line: the mount points.
template <typename Visit>
void for_each_mount_point(const std::string& mountinfo, Visit visit) {
  std::string_view rest = mountinfo;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::size_t at = 0;
    for (int i = 0; i < 4; ++i) at = line.find(' ', at) + 1;
    visit(line.substr(at, line.find(' ', at) - at));
  }
}

}  // namespace

HostSigns read_host_signs() {
  HostSigns out;
  const std::string mounts = text_of("/proc/self/mountinfo");
  bool has_root = false;
  for_each_mount_point(mounts, [&](std::string_view at) {
    has_root |= at == "/";
    // What distributions mount there themselves hides nothing.
    out.is_proc_masked |= at.starts_with("/proc/") && at != "/proc/sys/fs/binfmt_misc";
  });
  out.has_no_proc = mounts.empty();
  // Without /proc the kernel still says whether our root is the root of a mount.
  struct statx root {};
  const bool is_asked = statx(AT_FDCWD, "/", AT_NO_AUTOMOUNT, 0, &root) == 0 &&
                        (root.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
  out.is_chroot = mounts.empty() ? is_asked && (root.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0
                                 : !has_root;
  out.is_apparmor_restricting =
      number_of("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) == 1;
  out.is_userns_off = number_of("/proc/sys/user/max_user_namespaces", 1) == 0 ||
                      number_of("/proc/sys/kernel/unprivileged_userns_clone", 1) == 0;
  const auto status = parse_status(text_of("/proc/self/status"));
  out.has_outer_filter = status && status->seccomp_mode == 2;
  return out;
}

Advice advise_on_namespaces(const HostSigns& signs, int error) {
  if (signs.is_chroot)
    return {
        "this process runs in a chroot, where the kernel allows no user namespace",
        "enter the tree by pivot_root instead: bwrap --bind TREE / --dev /dev --dev-bind /proc /proc "
        "-- ..."};
  if (signs.has_no_proc)
    return {"no /proc is mounted here, and the id maps of a user namespace are written there",
            "mount -t proc proc /proc"};
  if (signs.is_userns_off || error == ENOSPC)
    return {"user namespaces are switched off or used up",
            "sysctl -w user.max_user_namespaces=15000 (and kernel.unprivileged_userns_clone=1 "
            "where it exists)"};
  if (signs.is_apparmor_restricting)
    return {
        "AppArmor restricts user namespaces of unconfined programs",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or give ethos-run an AppArmor "
        "profile with the userns rule"};
  if (signs.has_outer_filter)
    return {"an outer seccomp filter, as containers have it, refuses new namespaces",
            "start the container with a profile that allows clone3, unshare and mount, or run "
            "ethos-run outside it"};
  return {"the kernel refused new namespaces",
          "check user.max_user_namespaces and the security "
          "modules of this host"};
}

Advice advise_on_proc(const HostSigns& signs) {
  if (signs.is_proc_masked)
    return {
        "parts of /proc are masked here, so the kernel allows no fresh one (every container "
        "default does that)",
        "start the container with --security-opt systempaths=unconfined (under bwrap take --dev-bind "
        "/proc /proc), or name the weaker profile no-proc in the declaration"};
  return {"the kernel refused a fresh /proc", "name the weaker profile no-proc in the declaration"};
}

}  // namespace ethos::sandbox
