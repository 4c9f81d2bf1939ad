// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sandbox/plan.h"

// What the kernel showed of the finished cage at the barrier, before the tool's first instruction.
// Each part says its mark: K read from the kernel, S bytes that were handed to the kernel, P probes
// run inside which had to fail. Landlock has no read-back and the seccomp program none for ordinary
// users: they are S and P only.
namespace ethos::sandbox {

using Sha256 = std::array<std::byte, 32>;

// K: /proc/<pid>/status of pid 1.
struct TaskStatus {
  bool no_new_privs = false;
  std::uint32_t seccomp_mode = 0;     // 2: filter
  std::uint32_t seccomp_filters = 0;  // one more than the supervisor itself has
  std::uint64_t cap_inheritable = 0;
  std::uint64_t cap_permitted = 0;
  std::uint64_t cap_effective = 0;
  std::uint64_t cap_bounding = 0;
  std::uint64_t cap_ambient = 0;
  std::array<std::uint32_t, 4> uid{};  // real, effective, saved, fs; as seen by the supervisor
  std::array<std::uint32_t, 4> gid{};
  std::vector<std::uint32_t> groups;
  std::uint64_t signals_ignored = 0;
};

// K: one /proc/<pid>/ns link. `is_own`: differs from the supervisor's.
struct NamespaceState {
  std::string name;  // cgroup, ipc, mnt, net, pid, user, uts
  std::uint64_t inode = 0;
  bool is_own = false;
};

struct IdMapLine {
  std::uint32_t inside = 0;
  std::uint32_t outside = 0;
  std::uint32_t count = 0;
  auto operator<=>(const IdMapLine&) const = default;
};

// K: one mount as mountinfo shows it, without ids and devices, so that two equal cages give equal
// tables. Sorted by `where`, then by order in mountinfo for stacked mounts.
struct MountEntry {
  BasedPath where;
  MountKind kind = MountKind::bind;
  bool read_only = false;
  bool no_exec = false;
  bool no_dev = false;
  bool no_suid = false;
  bool is_id_mapped = false;
  bool is_shared = false;  // any propagation; must be false
  std::string device;      // "MAJOR:MINOR", shown but not compared
  auto operator<=>(const MountEntry&) const = default;
};

// K: one descriptor that survives into the tool.
struct FdEntry {
  std::uint32_t number = 0;
  std::string kind;  // null, pipe, file, init (the sealed memfd, close-on-exec), other
  auto operator<=>(const FdEntry&) const = default;
};

// K: one line of /proc/<pid>/limits.
struct RlimitEntry {
  std::string name;  // core, data, fsize, nofile, nproc, stack, memlock, msgqueue, sigpending, ...
  bool is_unlimited = false;
  std::uint64_t value = 0;  // soft, equal to hard
};

// K: the leaf's path and the values in its files, as read back.
struct CgroupState {
  bool is_present = false;  // a leaf of its own on cgroup v2
  bool has_controllers = false;
  std::string path;  // /proc/<pid>/cgroup, v2 line, seen from the supervisor
  struct File {
    std::string name;  // memory.max, pids.max, ...
    std::string value;
  };
  std::vector<File> files;
};

// P: one act that pid 1 tried after the restriction and that had to fail.
struct Probe {
  std::string name;  // docs/formats/enforced.md P-1
  int error = 0;     // what it got; 0 means it succeeded, which refuses the run
  bool is_expected = false;
};

// S: what was given to landlock_restrict_self.
struct LandlockState {
  std::uint32_t abi = 0;
  std::uint64_t handled_fs = 0;
  std::uint64_t handled_net = 0;
  std::uint64_t scoped = 0;
  std::uint32_t restrict_flags = 0;
  std::uint32_t rules = 0;
  Sha256 rules_sha256{};  // over the lines "<rights in hex> <path inside>\n", in plan order
};

// S: the seccomp program as loaded. `bytes` points into the executable and never goes away.
struct SeccompState {
  std::string name;  // docs/formats/plan.md S-1: "writes-none", "all-loopback+mem", ...
  Sha256 sha256{};
  std::span<const std::byte> bytes;
};

struct Enforced {
  TaskStatus status;                       // K
  std::vector<NamespaceState> namespaces;  // K
  std::vector<IdMapLine> uid_map;          // K
  std::vector<IdMapLine> gid_map;          // K
  std::string setgroups;                   // K: allow or deny
  std::vector<MountEntry> mounts;          // K
  std::vector<FdEntry> fds;                // K
  std::vector<RlimitEntry> rlimits;        // K
  CgroupState cgroup;                      // K
  bool is_listener_live = false;           // K: the barrier itself arrived through it
  std::vector<Probe> probes;               // P
  LandlockState landlock;                  // S
  SeccompState seccomp;                    // S
  Sha256 init_sha256{};                    // S: the program that is pid 1 from now on
  std::vector<std::string> live_sources;   // sorted: cgroup_events, output_counter, pidfd, ...
};

// One way in which the kernel's view differs from the plan. Any of them refuses the run.
struct Mismatch {
  std::string what;  // "mount workspace:.git"
  std::string expected;
  std::string found;
};

// The mount table the kernel must show for this plan: the plan's own mounts plus those every cage
// with /proc has (read-only /proc/sys and the masked files; only those that exist on this kernel,
// which is why the list is checked against `found`).
[[nodiscard]] std::vector<MountEntry> expected_mounts(const Plan& plan);

[[nodiscard]] std::vector<Mismatch> compare(const Plan& plan, const Enforced& enforced);

}  // namespace ethos::sandbox
