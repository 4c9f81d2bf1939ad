// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/json_value.h"
#include "sandbox/plan.h"

// What the host said, read once before planning: docs/formats/plan.md, "Facts". Plain data; the
// collector (facts_collect.h) fills it, the grant function only reads it.
namespace ethos::sandbox {

enum class Capability { read, write, exec };
[[nodiscard]] std::string_view capability_name(Capability capability);

enum class PathState { present, absent, created, refused };
[[nodiscard]] std::string_view path_state_name(PathState state);

// One entry of read, write or exec as it was found.
struct PathFact {
  Capability capability = Capability::read;
  std::string asked;  // normal form
  PathState state = PathState::absent;
  // present and created:
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t links = 0;
  std::uint32_t owner = 0;
  NodeType type = NodeType::directory;
  // What must never be granted and lies at or below the path (`ledger`: also above it):
  // "home", "ledger", "workspace"; sorted.
  std::vector<std::string> holds;
  int error = 0;  // refused: errno

  [[nodiscard]] bool is_there() const {
    return state == PathState::present || state == PathState::created;
  }
};

enum class HiddenBy { hide, git };

struct HideFact {
  HiddenBy by = HiddenBy::hide;
  std::string path;  // relative to the workspace
  NodeType type = NodeType::file;
};

enum class GitLayout { none, directory, file };
[[nodiscard]] std::string_view git_layout_name(GitLayout layout);

// A directory or file of the base runtime that is bound into every cage.
struct SystemEntry {
  std::string at;  // absolute
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  NodeType type = NodeType::directory;
};

struct HostFacts {
  std::string arch;
  std::vector<std::string> cgroup_controllers;  // sorted
  bool has_cgroup_kill = false;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;  // sorted
  std::string kernel;
  int landlock_abi = 0;
  bool has_overlay_userxattr = false;
  std::uint32_t uid = 0;
};

struct Facts {
  std::string cwd = ".";  // relative to the workspace
  std::vector<std::string> env;
  GitLayout git = GitLayout::none;
  std::uint64_t git_device = 0;
  std::uint64_t git_inode = 0;
  std::vector<HideFact> hides;  // sorted by path
  HostFacts host;
  std::vector<PathFact> paths;
  std::vector<std::string> policy_files;  // relative to the workspace, sorted, unique
  std::vector<SystemEntry> system_dirs;   // sorted by `at`
  std::vector<SystemEntry> system_etc;
  std::vector<Link> system_links;
  std::uint64_t workspace_device = 0;
  std::uint64_t workspace_inode = 0;
  std::uint32_t workspace_uid = 0;
  std::uint32_t workspace_gid = 0;
};

[[nodiscard]] Json encode_facts(const Facts& facts);
[[nodiscard]] std::string_view node_type_name(NodeType type);  // "dir", "file"

}  // namespace ethos::sandbox
