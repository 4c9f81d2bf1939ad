// SPDX-License-Identifier: Apache-2.0
// Layers without overlayfs, because the kernel has none or because its tmpfs has no user extended
// attributes (before Linux 6.6), without which removing a directory of the host fails. There the
// granted directory, when it is small, is copied into the tmpfs and the copy is mounted instead.
#include <dirent.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstring>

#include "sandbox/child_tools.h"

namespace ethos::sandbox::child {
namespace {

constexpr int kMaxDepth = 24;  // each level holds its buffers on the child's stack

// Where the copy is, below the grant.
struct Place {
  const ChildContext* context;
  const std::string* grant_at;
  char path[4096];
  std::size_t size = 0;
};

// `at` against the grant's path and the place's behind it, by bytes.
int compare(const std::string& at, const Place& place) {
  const std::string& grant = *place.grant_at;
  const std::size_t common = at.size() < grant.size() ? at.size() : grant.size();
  if (const int order = std::memcmp(at.data(), grant.data(), common); order != 0) return order;
  if (at.size() < grant.size()) return -1;
  const std::size_t rest = at.size() - grant.size();
  const std::size_t shorter = rest < place.size ? rest : place.size;
  const int order = std::memcmp(at.data() + grant.size(), place.path, shorter);
  if (order != 0 || rest == place.size) return order;
  return rest < place.size ? -1 : 1;
}

// Content that is hidden is never copied: the tool could take it out from under its mask by
// renaming a directory above.
bool is_masked(const Place& place) {
  const auto& masks = place.context->blueprint->masks;
  std::size_t low = 0;
  std::size_t high = masks.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const int order = compare(masks[middle]->at, place);
    if (order == 0) return true;
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return false;
}

struct Budget {
  std::uint64_t bytes = kMaxCopyBytes;
  std::uint64_t entries = kMaxCopyEntries;
};

// struct linux_dirent64 as the kernel lays it out.
struct DirEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

long copy_file(long from_dir, long to_dir, const char* name, const struct stat& found,
               Budget& budget) {
  const auto size = static_cast<std::uint64_t>(found.st_size);
  if (size > budget.bytes) return -E2BIG;
  budget.bytes -= size;
  const long from = raw::call(SYS_openat, from_dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (from < 0) return from;
  const long to = raw::call(SYS_openat, to_dir, name,
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (to < 0) return to;
  long copied = 0;
  do {
    copied = raw::call(SYS_sendfile, to, from, nullptr, std::size_t{1} << 20);
  } while (copied > 0);
  if (copied == 0) copied = raw::call(SYS_fchmod, to, found.st_mode & 0777);
  // Build tools compare times: the copy is as old as what it stands for.
  const timespec times[2] = {found.st_atim, found.st_mtim};
  raw::call(SYS_utimensat, to, nullptr, times, 0);
  close_fd(to);
  close_fd(from);
  return copied;
}

long copy_link(long from_dir, long to_dir, const char* name) {
  char target[4096];
  const long n = raw::call(SYS_readlinkat, from_dir, name, target, sizeof target - 1);
  if (n < 0) return n;
  target[n] = '\0';
  return raw::call(SYS_symlinkat, target, to_dir, name);
}

long copy_dir(long from, long to, Budget& budget, int depth, Place& place);

// An empty thing for the mask to stand on.
long make_masked(long to_dir, const char* name, bool is_directory) {
  if (is_directory) return raw::call(SYS_mkdirat, to_dir, name, 0700);
  const long fd = raw::call(SYS_openat, to_dir, name,
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0) close_fd(fd);
  return fd < 0 ? fd : 0;
}

long copy_subdir(long from_dir, long to_dir, const char* name, const struct stat& found,
                 Budget& budget, int depth, Place& place) {
  if (depth > kMaxDepth) return -E2BIG;
  const long made = raw::call(SYS_mkdirat, to_dir, name, 0700);
  if (made < 0) return made;
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const long from = raw::call(SYS_openat, from_dir, name, flags);
  if (from < 0) return from;
  const long to = raw::call(SYS_openat, to_dir, name, flags);
  if (to < 0) return to;
  long done = copy_dir(from, to, budget, depth, place);
  if (done >= 0) done = raw::call(SYS_fchmod, to, found.st_mode & 0777);
  const timespec times[2] = {found.st_atim, found.st_mtim};
  raw::call(SYS_utimensat, to, nullptr, times, 0);
  close_fd(to);
  close_fd(from);
  return done;
}

long copy_named(long from, long to, const char* name, Budget& budget, int depth, Place& place) {
  struct stat found {};
  const long rc = raw::call(SYS_newfstatat, from, name, &found, AT_SYMLINK_NOFOLLOW);
  if (rc < 0) return rc;
  const mode_t type = found.st_mode & S_IFMT;
  if ((type == S_IFDIR || type == S_IFREG) && is_masked(place))
    return make_masked(to, name, type == S_IFDIR);
  switch (type) {
    case S_IFDIR:
      return copy_subdir(from, to, name, found, budget, depth + 1, place);
    case S_IFREG:
      return copy_file(from, to, name, found, budget);
    case S_IFLNK:
      return copy_link(from, to, name);
    default:
      return 0;  // sockets, pipes and devices stay outside
  }
}

long copy_entry(long from, long to, const char* name, Budget& budget, int depth, Place& place) {
  if (budget.entries-- == 0) return -E2BIG;
  const std::size_t before = place.size;
  const std::size_t length = std::strlen(name);
  if (before + 1 + length > sizeof place.path) return -ENAMETOOLONG;
  place.path[before] = '/';
  std::memcpy(place.path + before + 1, name, length);
  place.size = before + 1 + length;
  const long done = copy_named(from, to, name, budget, depth, place);
  place.size = before;
  return done;
}

// Calls `visit(name)` for each entry until one says less than 0.
template <typename Visit>
long for_each_entry(long dir, Visit visit) {
  alignas(8) char buffer[2048] = {};
  for (;;) {
    const long n = raw::call(SYS_getdents64, dir, buffer, sizeof buffer);
    if (n <= 0) return n;
    for (long at = 0; at < n;) {
      const auto* entry = reinterpret_cast<const DirEntry*>(buffer + at);
      at += entry->length;
      const char* name =
          buffer + (reinterpret_cast<const char*>(entry) - buffer) + offsetof(DirEntry, name);
      if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
      const long done = visit(name);
      if (done < 0) return done;
    }
  }
}

long copy_dir(long from, long to, Budget& budget, int depth, Place& place) {
  return for_each_entry(
      from, [&](const char* name) { return copy_entry(from, to, name, budget, depth, place); });
}

struct Looker {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  Budget budget;
  TreeLook out;

  void judge(const struct stat& found) {
    out.is_foreign = out.is_foreign || found.st_uid != uid || found.st_gid != gid;
  }

  // Negative: larger than a copy may be, or not to be read.
  long look(long dir, const char* name, int depth) {
    if (depth > kMaxDepth || budget.entries-- == 0) return -E2BIG;
    struct stat found {};
    const long rc = raw::call(SYS_newfstatat, dir, name, &found, AT_SYMLINK_NOFOLLOW);
    if (rc < 0) return rc;
    judge(found);
    const bool is_directory = (found.st_mode & S_IFMT) == S_IFDIR;
    if ((found.st_mode & S_IFMT) == S_IFREG) {
      const auto size = static_cast<std::uint64_t>(found.st_size);
      if (size > budget.bytes) return -E2BIG;
      budget.bytes -= size;
    } else if (!is_directory) {
      return 0;
    }
    if (const long may_read = raw::call(SYS_faccessat, dir, name, R_OK); may_read < 0)
      return may_read;
    if (!is_directory) return 0;
    const long inner =
        raw::call(SYS_openat, dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) return inner;
    const long done =
        for_each_entry(inner, [&](const char* entry) { return look(inner, entry, depth + 1); });
    close_fd(inner);
    return done;
  }
};

}  // namespace

bool has_user_attributes(long dir) {
  const char one = '1';
  const long rc = raw::call(SYS_fsetxattr, dir, "user.ethos.probe", &one, 1, 0);
  if (rc == 0) raw::call(SYS_fremovexattr, dir, "user.ethos.probe");
  return rc != -EOPNOTSUPP;
}

TreeLook look_at_tree(long from, std::uint32_t uid, std::uint32_t gid) {
  Looker looker{uid, gid, {}, {}};
  looker.out.is_small = looker.look(from, ".", 0) >= 0;
  return looker.out;
}

long copy_tree(const ChildContext& c, const BuildOp& op, long from, long to) {
  Budget budget;
  Place place{&c, &c.plan->mounts[static_cast<std::size_t>(op.mount)].at, {}};
  const long dir = raw::call(SYS_openat, from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return dir;
  const long done = copy_dir(dir, to, budget, 0, place);
  close_fd(dir);
  return done;
}

}  // namespace ethos::sandbox::child
