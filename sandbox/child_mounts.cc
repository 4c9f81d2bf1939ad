// SPDX-License-Identifier: Apache-2.0
// The mount part of the clone child. Mounts are made by descriptor with the mount API of Linux 5.2,
// so that nothing is looked up twice and what is attached is what was compared with the plan.
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cstring>

#include "sandbox/child_tools.h"
#include "sandbox/source_object.h"

namespace ethos::sandbox::child {
namespace {

constexpr unsigned kOpenTreeClone = 1;
constexpr int kSetString = 1;  // fsconfig commands
constexpr int kSetFlag = 0;
constexpr int kCreate = 6;
constexpr unsigned kMoveFromFd = 0x04;  // MOVE_MOUNT_F_EMPTY_PATH
constexpr unsigned kMoveToFd = 0x40;    // MOVE_MOUNT_T_EMPTY_PATH

struct SetAttributes {
  std::uint64_t set = 0;
  std::uint64_t clear = 0;
  std::uint64_t propagation = 0;
  std::uint64_t userns_fd = 0;
};

// Everything that must exist while the cage is built and vanishes with the old root: the stage is a
// tmpfs over the old "/", holding the mask sources and the mount points for layers.
struct Site {
  long host_root = -1;  // the old root, below the stage
  long stage = -1;
  long root = -1;       // the new root
  long scratch = -1;
  std::size_t next_tree = 0;
};

int object_of(const BuildOp& op) { return op.mount; }

long new_fs(const ChildContext& c, const BuildOp& op, const char* type) {
  return must(c, op.step, raw::call(SYS_fsopen, type, 1 /* FSOPEN_CLOEXEC */), object_of(op));
}

void set_option(const ChildContext& c, const BuildOp& op, long fs, const char* key,
                const char* value) {
  must(c, op.step, raw::call(SYS_fsconfig, fs, kSetString, key, value, 0), object_of(op));
}

long finish_fs(const ChildContext& c, const BuildOp& op, long fs, std::uint64_t attributes) {
  must(c, op.step, raw::call(SYS_fsconfig, fs, kCreate, nullptr, nullptr, 0), object_of(op));
  const long mount = must(c, op.step, raw::call(SYS_fsmount, fs, 1, attributes), object_of(op));
  close_fd(fs);
  return mount;
}

long new_tmpfs(const ChildContext& c, const BuildOp& op, const char* source, const char* mode,
               std::uint64_t attributes) {
  const long fs = new_fs(c, op, "tmpfs");
  set_option(c, op, fs, "source", source);
  set_option(c, op, fs, "mode", mode);
  if (!op.size.empty()) set_option(c, op, fs, "size", op.size.c_str());
  if (!op.inodes.empty()) set_option(c, op, fs, "nr_inodes", op.inodes.c_str());
  return finish_fs(c, op, fs, attributes);
}

// Attaches `mount` on the object `target` refers to, without following anything.
void attach(const ChildContext& c, const BuildOp& op, long mount, long target) {
  must(c, op.step, raw::call(SYS_move_mount, mount, "", target, "", kMoveFromFd | kMoveToFd),
       object_of(op));
}

// The mount point inside the new root; no link may stand in the way.
long open_target(const Site& site, const BuildOp& op) {
  return open_plain(site.root, op.at.empty() ? "." : op.at.c_str(), O_PATH,
                    kResolveNoSymlinks | kResolveNoMagicLinks);
}

void place(const ChildContext& c, const Site& site, const BuildOp& op, long mount) {
  const long target = must(c, op.step, open_target(site, op), object_of(op));
  attach(c, op, mount, target);
  close_fd(target);
  close_fd(mount);
}

long clone_tree(const ChildContext& c, const BuildOp& op, long dir, const char* path) {
  const unsigned flags = kOpenTreeClone | O_CLOEXEC | (path[0] == '\0' ? AT_EMPTY_PATH : 0U);
  return must(c, op.step, raw::call(SYS_open_tree, dir, path, flags), object_of(op));
}

void set_attributes(const ChildContext& c, const BuildOp& op, long mount, std::uint64_t set) {
  const SetAttributes attr{set, 0, 0, 0};
  must(c, op.step, raw::call(SYS_mount_setattr, mount, "", AT_EMPTY_PATH, &attr, sizeof attr),
       object_of(op));
}

// Numbered name in a small buffer: "u7".
struct ShortName {
  char text[8];
};

ShortName short_name(char letter, int number) {
  ShortName out{};
  std::size_t at = 0;
  out.text[at++] = letter;
  if (number >= 100) out.text[at++] = static_cast<char>('0' + number / 100);
  if (number >= 10) out.text[at++] = static_cast<char>('0' + number / 10 % 10);
  out.text[at] = static_cast<char>('0' + number % 10);
  return out;
}

// A mount point of its own on the stage.
long attach_on_stage(const ChildContext& c, const BuildOp& op, const Site& site, ShortName name,
                     long mount) {
  must(c, op.step, raw::call(SYS_mkdirat, site.stage, name.text, 0755), object_of(op));
  const long target = must(c, op.step, raw::call(SYS_openat, site.stage, name.text,
                                                 O_PATH | O_CLOEXEC), object_of(op));
  attach(c, op, mount, target);
  close_fd(target);
  return mount;
}

// The host object of a grant as a detached tree. In root mode the supervisor made it (the child is
// not allowed to walk the host's directories any more); otherwise it is opened again here, beneath
// "/" and through no link, and must be the object the plan was made for.
long source_tree(const ChildContext& c, const BuildOp& op, Site& site) {
  if (c.plan->identity.is_mapped_by_root) return c.state->trees[site.next_tree++];
  const Mount& m = c.plan->mounts[static_cast<std::size_t>(op.mount)];
  const char* path = m.source.c_str() + 1;
  const long fd = must(c, Step::source, open_plain(site.host_root, *path == '\0' ? "." : path,
                                                   O_PATH, kResolveNoSymlinks | kResolveNoMagicLinks),
                       op.mount);
  struct stat found {};
  must(c, Step::source, raw::call(SYS_newfstatat, fd, "", &found, AT_EMPTY_PATH), op.mount);
  if (!is_planned_object(m, found)) fail(c, Step::source, 0, op.mount);
  const long tree = clone_tree(c, op, fd, "");
  close_fd(fd);
  return tree;
}

// "/proc/self/fd/N" for layers: no quoting, no second lookup of a name somebody else controls.
struct FdPath {
  char text[32];
};

FdPath fd_path(long fd) {
  FdPath out{};
  constexpr char prefix[] = "/proc/self/fd/";
  std::memcpy(out.text, prefix, sizeof prefix - 1);
  char digits[12];
  std::size_t n = 0;
  do {
    digits[n++] = static_cast<char>('0' + fd % 10);
    fd /= 10;
  } while (fd != 0);
  for (std::size_t i = 0; i < n; ++i) out.text[sizeof prefix - 1 + i] = digits[n - 1 - i];
  return out;
}

// Overlay: the granted directory below, a sized tmpfs above; or its copy in the tmpfs alone. The upper directory's descriptor stays
// open in the supervisor, so that what was written outlives the cage until it is committed.
void add_staged(const ChildContext& c, Site& site, const BuildOp& op) {
  const long lower = attach_on_stage(c, op, site, short_name('l', op.slot),
                                     source_tree(c, op, site));
  const long layer = attach_on_stage(
      c, op, site, short_name('u', op.slot),
      new_tmpfs(c, op, "ethos-staged", "0755", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  for (const char* name : {"upper", "work"})
    must(c, op.step, raw::call(SYS_mkdirat, layer, name, 0755), op.mount);
  const auto open_dir = [&](const char* name) {
    return must(c, op.step, raw::call(SYS_openat, layer, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                op.mount);
  };
  const long upper = open_dir("upper");
  const long fs = raw::call(SYS_fsopen, "overlay", 1 /* FSOPEN_CLOEXEC */);
  if (c.forces_copies || fs == -ENODEV || !has_user_attributes(upper)) {
    must(c, op.step, copy_tree(lower, upper), op.mount);
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
  must(c, op.step, raw::call(SYS_fsconfig, fs, kSetFlag, "userxattr", nullptr, 0), op.mount);
  place(c, site, op, finish_fs(c, op, fs, op.attributes));
  close_fd(work);
  close_fd(lower);
  close_fd(layer);
  c.state->uppers[c.state->upper_count++] = static_cast<int>(upper);
}

void add_scratch(const ChildContext& c, Site& site, const BuildOp& op) {
  if (site.scratch < 0) {
    site.scratch = attach_on_stage(c, op, site, short_name('s', 0),
                                   new_tmpfs(c, op, "ethos-scratch", "0755",
                                             MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
    c.state->scratch = static_cast<int>(site.scratch);
  }
  must(c, op.step, raw::call(SYS_mkdirat, site.scratch, op.text.c_str(), op.mode), op.mount);
  const long view = clone_tree(c, op, site.scratch, op.text.c_str());
  set_attributes(c, op, view, op.attributes);
  place(c, site, op, view);
}

// Over what is hidden: an empty object of the same type.
void add_mask(const ChildContext& c, const Site& site, const BuildOp& op) {
  const long target = open_target(site, op);
  if (target == -ENOENT && op.may_be_absent) return;
  must(c, op.step, target, object_of(op));
  struct stat found {};
  must(c, op.step, raw::call(SYS_newfstatat, target, "", &found, AT_EMPTY_PATH), object_of(op));
  const bool is_directory = (found.st_mode & S_IFMT) == S_IFDIR;
  if (!op.may_be_absent && is_directory != (op.type == NodeType::directory))
    fail(c, op.step, is_directory ? EISDIR : ENOTDIR, object_of(op));
  char name[3] = {is_directory ? 'd' : 'f', op.text[1], '\0'};
  const long tree = clone_tree(c, op, site.stage, name);
  set_attributes(c, op, tree, op.attributes);
  attach(c, op, tree, target);
  close_fd(tree);
  close_fd(target);
}

void add_own_bind(const ChildContext& c, const Site& site, const BuildOp& op) {
  const long target = open_target(site, op);
  if (target == -ENOENT && op.may_be_absent) return;
  must(c, op.step, target, object_of(op));
  const long tree = clone_tree(c, op, target, "");
  set_attributes(c, op, tree, op.attributes);
  attach(c, op, tree, target);
  close_fd(tree);
  close_fd(target);
}

void add_bind(const ChildContext& c, Site& site, const BuildOp& op) {
  const long tree = source_tree(c, op, site);
  // Trees made by the supervisor carry their attributes already.
  if (!c.plan->identity.is_mapped_by_root) set_attributes(c, op, tree, op.attributes);
  place(c, site, op, tree);
}

void add_file(const ChildContext& c, const Site& site, const BuildOp& op) {
  const long fd = must(c, op.step, raw::call(SYS_openat, site.root, op.at.c_str(),
                                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                                             op.mode));
  std::size_t done = 0;
  while (done < op.text.size())
    done += static_cast<std::size_t>(
        must(c, op.step, raw::call(SYS_write, fd, op.text.data() + done, op.text.size() - done)));
  close_fd(fd);
}

void add_tmpfs(const ChildContext& c, Site& site, const BuildOp& op) {
  const long mount = new_tmpfs(c, op, op.text.c_str(), "0755", op.attributes);
  if (!op.at.empty()) {
    place(c, site, op, mount);
    return;
  }
  must(c, op.step, raw::call(SYS_mkdirat, site.stage, "root", 0755));
  const long target = must(c, op.step, raw::call(SYS_openat, site.stage, "root",
                                                 O_PATH | O_CLOEXEC));
  attach(c, op, mount, target);
  close_fd(target);
  site.root = mount;
}

void add_proc(const ChildContext& c, const Site& site, const BuildOp& op) {
  const long fs = new_fs(c, op, "proc");
  place(c, site, op, finish_fs(c, op, fs, op.attributes));
}

void seal(const ChildContext& c, const Site& site, const BuildOp& op) {
  if (op.at.empty()) {
    set_attributes(c, op, site.root, op.attributes);
    return;
  }
  const long target = must(c, op.step, open_target(site, op), object_of(op));
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

// The stage over the old root, with the four mask sources: readable and empty for `.git`, without
// any permission for the rest.
void open_stage(const ChildContext& c, Site& site) {
  begin(c, Step::private_mounts);
  must(c, Step::private_mounts,
       raw::call(SYS_mount, nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
  raw::call(SYS_umask, 0);
  site.host_root = must(c, Step::private_mounts,
                        raw::call(SYS_openat, AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  BuildOp op;
  op.step = Step::mount_root;
  op.size = "64k";
  op.inodes = "1024";
  begin(c, op.step);
  site.stage = new_tmpfs(c, op, "ethos-mask", "0755", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  attach(c, op, site.stage, site.host_root);
  for (const auto& [name, mode] : {std::pair{"d0", 0}, std::pair{"dg", 0555}})
    must(c, op.step, raw::call(SYS_mkdirat, site.stage, name, mode));
  for (const auto& [name, mode] : {std::pair{"f0", 0}, std::pair{"fg", 0444}})
    close_fd(must(c, op.step, raw::call(SYS_openat, site.stage, name,
                                        O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)));
}

// The old root then stands over the new one, and the stage over the old root with everything that
// was attached there: the upper one goes first.
void change_root(const ChildContext& c, const Site& site) {
  begin(c, Step::pivot);
  must(c, Step::pivot, raw::call(SYS_fchdir, site.root));
  must(c, Step::pivot, raw::call(SYS_pivot_root, ".", "."));
  must(c, Step::pivot, raw::call(SYS_umount2, ".", MNT_DETACH));
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
}

}  // namespace ethos::sandbox::child
