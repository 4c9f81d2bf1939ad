// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/plan.h"
#include "sandbox/ruleset.h"
#include "sandbox/steps.h"

// The plan flattened into primitive acts, so that the clone child, which may not allocate, only
// walks a list. Pure.
namespace ethos::sandbox {

enum class BuildKind {
  directory,     // mkdir on a tmpfs of ours
  file,          // regular file on a tmpfs of ours, with `content`
  link,          // symbolic link
  tmpfs,         // root, dev, and the first scratch
  scratch_view,  // a further scratch mount: another directory of the same tmpfs
  bind,
  own_bind,  // a tree of the cage's own /proc over itself, with tighter attributes
  staged,
  proc,
  mask,
  seal,  // set the mount's final attributes (read-only) once all is in place
};

struct BuildOp {
  BuildKind kind = BuildKind::directory;
  Step step = Step::tree;
  std::string at;      // below the new root, without leading '/'; empty for the root itself
  std::string text;    // link target, file content, tmpfs source, scratch view's name
  std::string size;    // tmpfs, staged: "size=" value
  std::string inodes;  // tmpfs, staged: "nr_inodes=" value
  mode_t mode = 0;
  std::uint64_t attributes = 0;  // MOUNT_ATTR_*
  int mount = -1;                // index into Plan::mounts, -1 for added acts
  int slot = -1;  // staged: index of the upper layer; bind in root mode: index of the tree
  bool may_be_absent = false;  // masks below /proc that this kernel does not have
  bool is_on_ours = false;     // the mount point stands on a tmpfs or /proc of the cage's own
  NodeType type = NodeType::directory;
};

struct RlimitRequest {
  int resource = 0;
  std::uint64_t value = 0;
};

struct Blueprint {
  std::vector<BuildOp> ops;
  std::vector<RlimitRequest> rlimits;
  std::vector<const Mount*> masks;  // by the bytes of their paths; point into the plan
  int staged_count = 0;
  int scratch_mount = -1;         // index into Plan::mounts of the first scratch, -1 for none
  std::vector<const char*> argv;  // null-terminated; point into the plan
  std::vector<std::string> env_text;
  std::vector<const char*> envp;
};

// Masks that every /proc of a cage gets, when the kernel has the file (plan.md M-4).
[[nodiscard]] const std::vector<std::string>& proc_masks();

// What is wrong with a plan that cannot be built, e.g. the first mount is not the root; empty:
// fine.
[[nodiscard]] std::string check_plan(const Plan& plan);

[[nodiscard]] Blueprint make_blueprint(const Plan& plan);

}  // namespace ethos::sandbox
