// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sandbox/blueprint.h"
#include "sandbox/child_tools.h"

// The mount API of Linux 5.2 for the clone child: everything by descriptor, so that nothing is
// looked up twice and what is attached is what was compared with the plan. Each failure ends the
// child with the step of its BuildOp.
namespace ethos::sandbox::child {

struct Mask {
  long tree = -1;
  std::uint64_t attributes = 0;
};

// Everything that must exist while the cage is built and vanishes with the old root: the stage is a
// tmpfs somewhere on the old root, holding the mask sources and the mount points for layers.
struct Site {
  long host_root = -1;        // the old root
  bool is_over_root = false;  // the stage stands on the old "/" itself
  long stage = -1;
  long root = -1;  // the new root
  long scratch = -1;
  std::size_t next_tree = 0;
  // The first mask of each kind, once it stands: a copy of it has its attributes already.
  std::array<Mask, 4> masks;
};

long new_fs(const ChildContext& c, const BuildOp& op, const char* type);
void set_option(const ChildContext& c, const BuildOp& op, long fs, const char* key,
                const char* value);
void set_flag(const ChildContext& c, const BuildOp& op, long fs, const char* key);
// Creates the file system and gives it as a detached mount with `attributes`.
long finish_fs(const ChildContext& c, const BuildOp& op, long fs, std::uint64_t attributes);
// Size and inodes as the op says.
long new_tmpfs(const ChildContext& c, const BuildOp& op, const char* source,
               std::uint64_t attributes);

// Attaches `mount` on the object `target` refers to, without following anything.
void attach(const ChildContext& c, const BuildOp& op, long mount, long target);
// The mount point inside the new root; no link may stand in the way.
long open_target(const Site& site, const BuildOp& op);
// Attaches at the op's place. On a file system of the cage's own the name is enough: nobody else
// has put anything there.
void attach_at_place(const ChildContext& c, const Site& site, const BuildOp& op, long mount);
// The same, and closes `mount`.
void place(const ChildContext& c, const Site& site, const BuildOp& op, long mount);
// Attaches at a mount point of its own on the stage: "u7" for 'u' and 7.
void attach_on_stage(const ChildContext& c, const BuildOp& op, const Site& site, char letter,
                     int number, long mount);
// A detached copy of one mount; `path` empty for `dir` itself.
long clone_tree(const ChildContext& c, const BuildOp& op, long dir, const char* path);
void set_attributes(const ChildContext& c, const BuildOp& op, long mount, std::uint64_t set);

// Opens every granted host object, in the order of the blueprint; to be called while nothing covers
// the old root. In root mode the supervisor has done it.
void open_sources(const ChildContext& c, const Site& site);
// The next of them, as a detached tree.
long source_tree(const ChildContext& c, Site& site);
// A staged grant: overlay, or a copy.
void add_staged(const ChildContext& c, Site& site, const BuildOp& op);

}  // namespace ethos::sandbox::child
