// SPDX-License-Identifier: Apache-2.0
// Granted host objects inside the cage: where their mounts come from, and the layer that takes the
// writes below a granted directory.
#include <linux/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "sandbox/child_site.h"
#include "sandbox/source_object.h"

namespace ethos::sandbox::child {
namespace {

// "/proc/self/fd/N" for layers: no quoting, no second lookup of a name somebody else controls.
struct FdPath {
  char text[32];
};

FdPath fd_path(long fd) {
  FdPath out{};
  constexpr char kPrefix[] = "/proc/self/fd/";
  std::memcpy(out.text, kPrefix, sizeof kPrefix - 1);
  char digits[12];
  std::size_t n = 0;
  do {
    digits[n++] = static_cast<char>('0' + fd % 10);
    fd /= 10;
  } while (fd != 0);
  for (std::size_t i = 0; i < n; ++i) out.text[sizeof kPrefix - 1 + i] = digits[n - 1 - i];
  return out;
}

}  // namespace

// In root mode the supervisor opened them (the child is not allowed to walk the host's directories
// any more); otherwise each is opened again here, beneath "/" and through no link, and must be the
// object the plan was made for.
void open_sources(const ChildContext& c, const Site& site) {
  if (c.plan->identity.is_mapped_by_root) return;
  for (const BuildOp& op : c.blueprint->ops) {
    if (op.kind != BuildKind::bind && op.kind != BuildKind::staged) continue;
    if (c.state->tree_count == kMaxTrees) fail(c, Step::options, E2BIG);
    const Mount& m = c.plan->mounts[static_cast<std::size_t>(op.mount)];
    const char* path = m.source.c_str() + 1;
    const long fd = must(c, Step::source,
                         open_plain(site.host_root, *path == '\0' ? "." : path, O_PATH,
                                    kResolveNoSymlinks | kResolveNoMagicLinks),
                         op.mount);
    struct stat found {};
    must(c, Step::source, raw::call(SYS_newfstatat, fd, "", &found, AT_EMPTY_PATH), op.mount);
    if (!is_planned_object(m, found)) fail(c, Step::source, 0, op.mount);
    c.state->trees[c.state->tree_count++] = static_cast<int>(clone_tree(c, op, fd, ""));
    close_fd(fd);
  }
}

// The supervisor copied one mount alone, and what the host covers in it would be shown. Our table
// is the host's with each mount locked to its place, and of locked ones the kernel copies nothing
// that leaves some behind (EINVAL): one call where the table of mounts costs one for each of them.
void look_below(const ChildContext& c) {
  for (const BuildOp* op : c.to_look_below) {
    const Mount& m = c.plan->mounts[static_cast<std::size_t>(op->mount)];
    const long fd = open_plain(AT_FDCWD, m.source.c_str(), O_PATH | O_DIRECTORY,
                               kResolveNoSymlinks | kResolveNoMagicLinks);
    struct stat found {};
    const bool is_it = fd >= 0 && raw::call(SYS_newfstatat, fd, "", &found, AT_EMPTY_PATH) == 0 &&
                       is_planned_object(m, found);
    const long copy = is_it ? raw::call(SYS_open_tree, fd, "",
                                        OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH)
                            : -ENOENT;
    if (copy == -EINVAL) fail(c, Step::mount_bind, EINVAL, op->mount);
    if (copy < 0) c.shared->has_unlooked = 1;
    // Left standing, it goes with the old root; let go of now, it would cost a wait for all CPUs.
    if (copy >= 0) {
      raw::call(SYS_move_mount, copy, "", fd, "",
                MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
      close_fd(copy);
    }
    if (fd >= 0) close_fd(fd);
  }
}

long source_tree(const ChildContext& c, Site& site) { return c.state->trees[site.next_tree++]; }

namespace {

// An ordinary user's cage knows one user and one group. Where a granted directory has others as
// well its copy is the tool's own, if it is small; else what belongs to others stays as it is.
bool needs_copy(const ChildContext& c, long lower) {
  const Identity& id = c.plan->identity;
  if (id.is_mapped_by_root) return false;
  const TreeLook look = look_at_tree(lower, id.inside_uid, id.inside_gid);
  return look.is_foreign && look.is_small;
}

}  // namespace

// Overlay: the granted directory below, a sized tmpfs above; or its copy in the tmpfs alone. The
// upper directory's descriptor stays open in the supervisor, so that what was written outlives the
// cage until it is committed.
void add_staged(const ChildContext& c, Site& site, const BuildOp& op) {
  const long lower = source_tree(c, site);
  attach_on_stage(c, op, site, 'l', op.slot, lower);
  const long layer = new_tmpfs(c, op, "ethos-staged", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  attach_on_stage(c, op, site, 'u', op.slot, layer);
  for (const char* name : {"upper", "work"})
    must(c, op.step, raw::call(SYS_mkdirat, layer, name, 0755), op.mount);
  const auto open_dir = [&](const char* name) {
    return must(c, op.step, raw::call(SYS_openat, layer, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                op.mount);
  };
  const long upper = open_dir("upper");
  const long fs = raw::call(SYS_fsopen, "overlay", 1 /* FSOPEN_CLOEXEC */);
  if (c.forces_copies || fs == -ENODEV || !has_user_attributes(upper) || needs_copy(c, lower)) {
    must(c, op.step, copy_tree(c, op, lower, upper), op.mount);
    const long copy = clone_tree(c, op, layer, "upper");
    set_attributes(c, op, copy, op.attributes);
    place(c, site, op, copy);
    close_fd(fs);
    close_fd(lower);
    close_fd(layer);
    c.shared->is_copy[c.state->upper_count] = 1;
    c.state->uppers[c.state->upper_count++] = static_cast<int>(upper);
    return;
  }
  must(c, op.step, fs, op.mount);
  const long work = open_dir("work");
  set_option(c, op, fs, "source", "ethos-staged");
  set_option(c, op, fs, "lowerdir", fd_path(lower).text);
  set_option(c, op, fs, "upperdir", fd_path(upper).text);
  set_option(c, op, fs, "workdir", fd_path(work).text);
  set_flag(c, op, fs, "userxattr");
  place(c, site, op, finish_fs(c, op, fs, op.attributes));
  close_fd(work);
  close_fd(lower);
  close_fd(layer);
  c.state->uppers[c.state->upper_count++] = static_cast<int>(upper);
}

}  // namespace ethos::sandbox::child
