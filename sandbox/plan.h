// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The whole cage before anything is built: what docs/formats/plan.md calls `plan`, plus the exact
// host objects the supervisor holds open. Pure data; made by build_plan(), used by the launcher.
namespace ethos::sandbox {

// Where a path lives, so that evidence names no private directory (docs/formats/events.md, "Path").
enum class Base { workspace, system, scratch, host };

// A plain path under a base: no "..", no ".", no empty component; "." names the base itself.
struct BasedPath {
  Base base = Base::system;
  std::string path = ".";
  auto operator<=>(const BasedPath&) const = default;
};

enum class NodeType { directory, file };

// What stands at one mount point of the cage (docs/formats/plan.md, rules M-*).
enum class MountKind {
  root,     // sized tmpfs, source "ethos-root", read-only once built
  bind,     // a host tree or file, mounted by descriptor
  staged,   // overlay over a host directory, upper layer in a sized tmpfs; committed at the end
  scratch,  // sized tmpfs, source "ethos-scratch"
  proc,     // new proc of the cage's pid namespace
  dev,      // small tmpfs, source "ethos-dev"
  mask,     // an empty file or directory of the tmpfs "ethos-mask", over something hidden
};

// One expected mount, in the order they are made. `flags` is what mountinfo must show.
struct Mount {
  MountKind kind = MountKind::bind;
  std::string at;      // absolute path inside the cage
  BasedPath where;     // the same as a pair
  std::string source;  // absolute host path for bind and staged; empty otherwise
  NodeType type = NodeType::directory;
  // bind and staged: the object that was resolved; the launcher opens it again beneath the same
  // root and refuses when device or inode differ.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool read_only = true;
  bool no_exec = true;
  bool no_dev = true;
  bool no_suid = true;
  bool is_git_mask = false;       // mask only: stays readable and empty (mode 0555 / 0444), else mode 0
  std::uint64_t size_bytes = 0;   // tmpfs kinds, and the upper layer of staged
  std::uint64_t inodes = 0;
  bool allow_delete = false;      // staged: whiteouts may be committed
};

// A symbolic link of the minimal root (usrmerge links, /proc/self/fd, ...).
struct Link {
  std::string at;
  std::string target;
};

// A regular file of the synthetic /etc, mode 0444.
struct SyntheticFile {
  std::string at;
  std::string content;
};

// Landlock rule classes; the launcher expands each to every right of the running ABI
// (docs/formats/plan.md, rules L-*).
enum class Access { read, read_exec, write, write_exec, device };

struct LandlockRule {
  std::string at;  // opened inside the finished tree
  BasedPath where;
  NodeType type = NodeType::directory;
  Access access = Access::read;
};

// Who makes a limit hold. `supervisor` is a measurement followed by a kill; `rlimit` is per process
// and weaker than `cgroup`, and every record says so.
enum class Enforcer { supervisor, rlimit, cgroup, tmpfs };

// Names, units and defaults: docs/formats/declaration.md, "Limits".
struct Limit {
  std::string name;  // wall_ms, memory_bytes, swap_bytes, cpu_percent, pids, output_bytes, ...
  std::uint64_t value = 0;
  Enforcer by = Enforcer::supervisor;
};

enum class Network { none, loopback };
enum class Git { none, read };
enum class Observe { off, writes, all };

struct EnvVar {
  std::string name;
  std::string value;
};

// Which uid and gid the tool has inside and on the host.
struct Identity {
  std::uint32_t inside_uid = 0;
  std::uint32_t inside_gid = 0;
  std::uint32_t host_uid = 0;
  std::uint32_t host_gid = 0;
  bool is_mapped_by_root = false;  // true: the supervisor writes the maps and idmaps each grant
};

struct Plan {
  std::string tool;
  std::string workspace;  // absolute host path, also the path inside
  std::string cwd;        // absolute, inside the cage
  std::vector<Mount> mounts;
  std::vector<Link> links;
  std::vector<SyntheticFile> files;
  std::vector<std::string> directories;  // created on the tmpfs kinds, mode 0755 (/tmp/home: 0700)
  std::vector<LandlockRule> landlock;
  std::vector<Limit> limits;
  Network network = Network::none;
  Git git = Git::none;
  Observe observe = Observe::writes;
  bool may_exec_memory = false;
  bool has_proc = true;            // false only under the named profile no-proc
  bool truncate_output = false;    // on_output_limit: truncate
  Identity identity;
  std::vector<EnvVar> env;         // complete, sorted by name
  std::vector<std::string> argv;   // argv[0] is the path to execute inside the cage
  // Names that stay hidden when the tool makes them itself: patterns in full form (D-9). What they
  // matched when the plan was made is in `mounts`.
  std::vector<std::string> hide_patterns;
  // Paths no notified write may reach even when a grant covers them: declaration, ceiling, `.git`.
  std::vector<BasedPath> never_write;

  [[nodiscard]] std::optional<Limit> limit(const std::string& name) const {
    for (const auto& l : limits)
      if (l.name == name) return l;
    return std::nullopt;
  }
};

}  // namespace ethos::sandbox
