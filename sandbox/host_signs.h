// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ethos::sandbox {

// What a refusal of the kernel most likely means on this host: cheap looks, made only after
// something failed or by `doctor`.
struct HostSigns {
  bool is_chroot = false;                // our root is no mount point
  bool is_apparmor_restricting = false;  // kernel.apparmor_restrict_unprivileged_userns
  bool is_userns_off = false;     // user.max_user_namespaces or kernel.unprivileged_userns_clone
  bool has_outer_filter = false;  // a seccomp filter is in force already
  bool has_no_proc = false;       // /proc is not mounted
  bool is_proc_masked = false;    // something is mounted over parts of /proc
};
[[nodiscard]] HostSigns read_host_signs();

// Why no user namespace can be made, in one sentence, and the exact line that changes it.
struct Advice {
  std::string cause;
  std::string fix;
};
[[nodiscard]] Advice advise_on_namespaces(const HostSigns& signs, int error);
[[nodiscard]] Advice advise_on_proc(const HostSigns& signs);

}  // namespace ethos::sandbox
