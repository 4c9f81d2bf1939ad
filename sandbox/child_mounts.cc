// SPDX-License-Identifier: Apache-2.0
// The acts of the blueprint, one function each, and the change of root.
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sandbox/child_site.h"

namespace ethos::sandbox::child {
namespace {

void add_scratch(const ChildContext& c, Site& site, const BuildOp& op) {
  if (site.scratch < 0) {
    site.scratch = new_tmpfs(c, op, "ethos-scratch", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    attach_on_stage(c, op, site, 's', 0, site.scratch);
    c.state->scratch = static_cast<int>(site.scratch);
  }
  must(c, op.step, raw::call(SYS_mkdirat, site.scratch, op.text.c_str(), op.mode), op.mount);
  const long view = clone_tree(c, op, site.scratch, op.text.c_str());
  set_attributes(c, op, view, op.attributes);
  place(c, site, op, view);
}

bool is_first_mask(const Site& site, long tree) {
  return std::any_of(site.masks.begin(), site.masks.end(),
                     [tree](const Mask& mask) { return mask.tree == tree; });
}

// An empty object of the same type, as a detached mount.
long mask_tree(const ChildContext& c, Site& site, const BuildOp& op, bool is_directory) {
  const bool is_git = op.text[1] == 'g';
  Mask& first = site.masks[(is_directory ? 1U : 0U) + (is_git ? 2U : 0U)];
  if (first.tree >= 0 && first.attributes == op.attributes)
    return clone_tree(c, op, first.tree, "");
  const char name[3] = {is_directory ? 'd' : 'f', op.text[1], '\0'};
  const long tree = clone_tree(c, op, site.stage, name);
  set_attributes(c, op, tree, op.attributes);
  if (first.tree < 0) first = {tree, op.attributes};
  return tree;
}

// What kind of object the mask is to stand over; -ENOENT: none is there, and none need be.
long type_below(const ChildContext& c, const BuildOp& op, long dir, const char* path, int flags) {
  struct stat found {};
  const long looked = raw::call(SYS_newfstatat, dir, path, &found, flags);
  if (looked == -ENOENT && op.may_be_absent) return looked;
  must(c, op.step, looked, op.mount);
  return static_cast<long>(found.st_mode & S_IFMT);
}

// Over what is hidden. In the cage's own /proc the kernel alone makes the names; elsewhere they are
// the host's, and what was looked at is what is covered.
void add_mask(const ChildContext& c, Site& site, const BuildOp& op) {
  const long target = op.is_on_ours ? -1 : open_target(site, op);
  if (!op.is_on_ours) {
    if (target == -ENOENT && op.may_be_absent) return;
    must(c, op.step, target, op.mount);
  }
  const long type = op.is_on_ours ? type_below(c, op, site.root, op.at.c_str(), AT_SYMLINK_NOFOLLOW)
                                  : type_below(c, op, target, "", AT_EMPTY_PATH);
  if (type == -ENOENT) return;
  if (type == S_IFLNK) fail(c, op.step, ELOOP, op.mount);
  const bool is_directory = type == S_IFDIR;
  if (!op.may_be_absent && is_directory != (op.type == NodeType::directory))
    fail(c, op.step, is_directory ? EISDIR : ENOTDIR, op.mount);
  const long tree = mask_tree(c, site, op, is_directory);
  if (op.is_on_ours)
    attach_at_place(c, site, op, tree);
  else
    attach(c, op, tree, target);
  if (!is_first_mask(site, tree)) close_fd(tree);
  if (target >= 0) close_fd(target);
}

void add_own_bind(const ChildContext& c, const Site& site, const BuildOp& op) {
  const long target = open_target(site, op);
  if (target == -ENOENT && op.may_be_absent) return;
  must(c, op.step, target, op.mount);
  const long tree = clone_tree(c, op, target, "");
  set_attributes(c, op, tree, op.attributes);
  attach(c, op, tree, target);
  close_fd(tree);
  close_fd(target);
}

void add_bind(const ChildContext& c, Site& site, const BuildOp& op) {
  const long tree = source_tree(c, site);
  // Trees made by the supervisor carry their attributes already.
  if (!c.plan->identity.is_mapped_by_root) set_attributes(c, op, tree, op.attributes);
  place(c, site, op, tree);
}

void add_file(const ChildContext& c, const Site& site, const BuildOp& op) {
  const long fd = must(c, op.step,
                       raw::call(SYS_openat, site.root, op.at.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, op.mode));
  std::size_t done = 0;
  while (done < op.text.size())
    done += static_cast<std::size_t>(
        must(c, op.step, raw::call(SYS_write, fd, op.text.data() + done, op.text.size() - done)));
  close_fd(fd);
}

void add_tmpfs(const ChildContext& c, Site& site, const BuildOp& op) {
  const long mount = new_tmpfs(c, op, op.text.c_str(), op.attributes);
  if (!op.at.empty()) {
    place(c, site, op, mount);
    return;
  }
  must(c, op.step, raw::call(SYS_mkdirat, site.stage, "root", 0755));
  const long target =
      must(c, op.step, raw::call(SYS_openat, site.stage, "root", O_PATH | O_CLOEXEC));
  attach(c, op, mount, target);
  close_fd(target);
  site.root = mount;
}

// The kernel counts inotify objects for the caller as well, all over the host. The cage's own user
// namespace can have a smaller share (namespaces(7), /proc/sys/user): a tool that takes all of it
// leaves the caller the rest. A kernel without these files has no such objects.
void limit_watches(long proc) {
  struct Share {
    const char* file;
    const char* text;
    std::size_t size;
  };
  for (const Share& share : {Share{"sys/user/max_inotify_instances", "32", 2},
                             Share{"sys/user/max_inotify_watches", "8192", 4}}) {
    const long fd = raw::call(SYS_openat, proc, share.file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) continue;
    raw::call(SYS_write, fd, share.text, share.size);
    close_fd(fd);
  }
}

void add_proc(const ChildContext& c, const Site& site, const BuildOp& op) {
  const long fs = new_fs(c, op, "proc");
  const long mount = finish_fs(c, op, fs, op.attributes);
  limit_watches(mount);
  place(c, site, op, mount);
}

void seal(const ChildContext& c, const Site& site, const BuildOp& op) {
  if (op.at.empty()) {
    set_attributes(c, op, site.root, op.attributes);
    return;
  }
  const long target = must(c, op.step, open_target(site, op), op.mount);
  set_attributes(c, op, target, op.attributes);
  close_fd(target);
}

void apply(const ChildContext& c, Site& site, const BuildOp& op) {
  switch (op.kind) {
    case BuildKind::directory:
      must(c, op.step, raw::call(SYS_mkdirat, site.root, op.at.c_str(), op.mode));
      break;
    case BuildKind::file:
      add_file(c, site, op);
      break;
    case BuildKind::link:
      must(c, op.step, raw::call(SYS_symlinkat, op.text.c_str(), site.root, op.at.c_str()));
      break;
    case BuildKind::tmpfs:
      add_tmpfs(c, site, op);
      break;
    case BuildKind::scratch_view:
      add_scratch(c, site, op);
      break;
    case BuildKind::bind:
      add_bind(c, site, op);
      break;
    case BuildKind::own_bind:
      add_own_bind(c, site, op);
      break;
    case BuildKind::staged:
      add_staged(c, site, op);
      break;
    case BuildKind::proc:
      add_proc(c, site, op);
      break;
    case BuildKind::mask:
      add_mask(c, site, op);
      break;
    case BuildKind::seal:
      seal(c, site, op);
      break;
  }
}

// Where the stage can stand: a directory at the top of the old root that holds something granted,
// so that it is there. What is granted has been opened, so it may be covered. -1: none.
long stage_place(const ChildContext& c, const Site& site) {
  for (const BuildOp& op : c.blueprint->ops) {
    if (op.kind != BuildKind::bind && op.kind != BuildKind::staged) continue;
    const std::string& source = c.plan->mounts[static_cast<std::size_t>(op.mount)].source;
    char name[256];
    std::size_t length = 0;
    while (length + 1 < source.size() && source[length + 1] != '/' && length + 1 < sizeof name) {
      name[length] = source[length + 1];
      ++length;
    }
    name[length] = '\0';
    // Layers of an overlay are named through the host's /proc.
    if (length == 0 || std::strcmp(name, "proc") == 0) continue;
    const long fd =
        raw::call(SYS_openat, site.host_root, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) return fd;
  }
  return -1;
}

// Whether something is masked as `.git` ('g') or as anything else ('0').
bool has_mask(const ChildContext& c, char kind) {
  for (const BuildOp& op : c.blueprint->ops)
    if (op.kind == BuildKind::mask && op.text[1] == kind) return true;
  return false;
}

// The stage on the old root, with the mask sources that are needed: readable and empty for `.git`,
// without any permission for the rest.
void open_stage(const ChildContext& c, Site& site) {
  begin(c, Step::private_mounts);
  must(c, Step::private_mounts,
       raw::call(SYS_mount, nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
  raw::call(SYS_umask, 0);
  site.host_root = must(c, Step::private_mounts,
                        raw::call(SYS_openat, AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_sources(c, site);
  BuildOp op;
  op.step = Step::mount_root;
  op.size = "64k";
  op.inodes = "1024";
  begin(c, op.step);
  site.stage = new_tmpfs(c, op, "ethos-mask", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  const long place = stage_place(c, site);
  site.is_over_root = place < 0;
  attach(c, op, site.stage, site.is_over_root ? site.host_root : place);
  if (place >= 0) close_fd(place);
  for (const auto& [name, mode] : {std::pair{"d0", 0}, std::pair{"dg", 0555}})
    if (has_mask(c, name[1])) must(c, op.step, raw::call(SYS_mkdirat, site.stage, name, mode));
  for (const auto& [name, mode] : {std::pair{"f0", 0}, std::pair{"fg", 0444}}) {
    if (!has_mask(c, name[1])) continue;
    close_fd(must(
        c, op.step,
        raw::call(SYS_openat, site.stage, name, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)));
  }
}

// The old root then stands over the new one, with the stage below it and everything that was
// attached there: one call takes them all away (each waits some 70 us for the kernel's readers). A
// stage over the old "/" stands on top of that, and goes first.
void change_root(const ChildContext& c, const Site& site) {
  begin(c, Step::pivot);
  must(c, Step::pivot, raw::call(SYS_fchdir, site.root));
  must(c, Step::pivot, raw::call(SYS_pivot_root, ".", "."));
  if (site.is_over_root) must(c, Step::pivot, raw::call(SYS_umount2, ".", MNT_DETACH));
  must(c, Step::pivot, raw::call(SYS_umount2, ".", MNT_DETACH));
  must(c, Step::pivot, raw::call(SYS_chdir, "/"));
}

}  // namespace

void build_tree(const ChildContext& c) {
  Site site;
  open_stage(c, site);
  Step last = Step::mount_root;
  for (const BuildOp& op : c.blueprint->ops) {
    if (op.step != last) begin(c, op.step);
    last = op.step;
    apply(c, site, op);
  }
  change_root(c, site);
  close_fd(site.root);
  close_fd(site.stage);
  close_fd(site.host_root);
  for (const Mask& mask : site.masks)
    if (mask.tree >= 0) close_fd(mask.tree);
}

}  // namespace ethos::sandbox::child
