// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ethos::sandbox {

// What a refusal of the kernel most likely means on this host: cheap looks, made only after
// something failed or by `doctor`.
struct HostSigns {
  bool is_chroot = false;                // our root is no mount point
  bool is_apparmor_restricting = false;  // kernel.apparmor_restrict_unprivileged_userns
  bool is_userns_off = false;        // user.max_user_namespaces or kernel.unprivileged_userns_clone
  bool has_outer_filter = false;     // a seccomp filter is in force already
  bool has_no_proc = false;          // /proc is not mounted
  bool is_proc_masked = false;       // something is mounted over parts of /proc
  bool is_root = false;              // whom AppArmor's restriction does not mean
  bool is_nested_userns = false;     // not the machine's own user namespace
  bool is_cgroup_read_only = false;  // cgroup v2 is mounted so, as containers have it
  std::string cgroup_mount = "/sys/fs/cgroup";
  bool has_systemd = true;  // it can delegate a cgroup
  std::string container;  // "docker", "podman", "lxc", ...; "container" when only signs tell; empty
  std::string program;    // absolute path of ethos-run, for an AppArmor profile
  std::uint32_t kernel = 0;  // 5019 for 5.19; 0: not known
};
[[nodiscard]] HostSigns read_host_signs();

// Why no user namespace can be made, in one sentence, and the exact line that changes it.
struct Advice {
  std::string cause;
  std::string fix;
};
[[nodiscard]] Advice advise_on_namespaces(const HostSigns& signs, int error);
[[nodiscard]] Advice advise_on_proc(const HostSigns& signs);
// Of a call that Linux has since `since` (5012: 5.12): too old, hidden or refused by an outer
// filter, or by something else.
[[nodiscard]] Advice advise_on_call(const HostSigns& signs, int error, std::string_view what,
                                    std::uint32_t since);
// No cgroup of our own, or one that cannot be written to.
[[nodiscard]] Advice advise_on_delegation(const HostSigns& signs, int error);

// How this kind of container is started so that cages can be built in it.
[[nodiscard]] std::string container_options(std::string_view container);
// "6.1.0-18-amd64" -> 6001, "5.19" -> 5019; 0 when it is no such text.
[[nodiscard]] std::uint32_t kernel_number(std::string_view release);
// What the environment and the marks that container engines leave say; see HostSigns::container.
[[nodiscard]] std::string name_container(std::string_view variable, bool has_docker_mark,
                                         bool has_podman_mark, std::string_view first_cgroup);

}  // namespace ethos::sandbox
