// SPDX-License-Identifier: Apache-2.0
#include "sandbox/copy_walk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "sandbox/beneath.h"
#include "sandbox/layer_walk.h"
#include "sandbox/staged_file.h"

namespace ethos::sandbox {
namespace {

using base::Result;
using base::UniqueFd;
using Kind = BaseEntry::Kind;

class CopyWalk : public LayerWalk {
 public:
  CopyWalk(const CopyBase& before, int host, const std::string& grant_at, const CommitRules& rules,
           bool allow_delete, Interruption& interruption)
      : LayerWalk(host, grant_at, rules, allow_delete, interruption), before_(before) {}

  Result<void> walk(int dir, const std::string& at, int depth) {
    bool ok = false;
    const auto names = list_names(dir, ok);
    if (!ok) return base::fail_errno(at, errno != 0 ? errno : EIO);
    if (is_repository(names, at)) out_.repositories.push_back(at);
    for (const auto& name : before_.names(at)) {
      if (auto r = count_entry(); !r) return r;
      if (!std::ranges::binary_search(names, name)) remove(join_path(at, name));
    }
    for (const auto& name : names) {
      if (auto r = count_entry(); !r) return r;
      if (auto r = visit(dir, at, name, depth); !r) return r;
    }
    return {};
  }

 private:
  // By what would lie there afterwards: the copy's names, and those that the host has got since.
  bool is_repository(const std::vector<std::string>& names, const std::string& at) const {
    return looks_like_repository([&](std::string_view wanted) {
      if (std::ranges::any_of(names, [&](const auto& n) { return is_equal_folded(n, wanted); }))
        return true;
      const std::string path = join_path(at, std::string(wanted));
      struct stat found {};
      return before_.find(path) == nullptr && host_type(host_, path, found) != HostType::absent;
    });
  }

  Result<void> visit(int dir, const std::string& at, const std::string& name, int depth) {
    const std::string path = join_path(at, name);
    struct stat found {};
    if (fstatat(dir, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0)
      return base::fail_errno(path, errno);
    const bool is_directory = S_ISDIR(found.st_mode);
    const BaseEntry* before = before_.find(path);
    if (before != nullptr) {
      if (is_directory && before->kind == Kind::directory) return enter(dir, name, path, depth);
      auto same = is_untouched(dir, name, path, *before, found);
      if (!same) return base::Unexpected(std::move(same).error());
      if (*same) return {};
    }
    if (is_too_long(at, path) || is_refused(path, is_directory)) return {};
    if (!is_directory && !S_ISREG(found.st_mode)) {
      if (S_ISLNK(found.st_mode)) {
        refuse(path, "link", "symbolic links are not brought out");
      } else {
        refuse(path, "node", "devices, sockets and pipes are not brought out");
      }
      return {};
    }
    struct stat outside {};
    const HostType host = host_type(host_, path, outside);
    if (before == nullptr) {
      // Two made a directory of this name: what is in it is looked at name by name.
      if (is_directory && host == HostType::directory) return enter(dir, name, path, depth);
      if (host != HostType::absent) return conflict(path);
    } else if (before->kind == Kind::file && !is_directory) {
      if (!before_.is_host_as_then(host_, path)) return conflict(path);
    } else if (before->kind == Kind::directory || before->kind == Kind::file) {
      remove(path);
    } else {
      refuse(path, "link", "a link, device or mount point of the host has this name");
      return {};
    }
    add(is_directory ? Change::Kind::directory : Change::Kind::file, path, found);
    return is_directory ? enter(dir, name, path, depth) : Result<void>();
  }

  Result<void> conflict(const std::string& path) {
    refuse(path, "conflict",
           "the tool and somebody on the host both changed this; run the tool again");
    return {};
  }

  Result<void> enter(int dir, const std::string& name, const std::string& path, int depth) {
    if (depth >= kMaxUpperLevels) {
      refuse(path, "depth",
             "more than 128 levels of directories below the grant; write a flatter tree, or one "
             "archive of it");
      return {};
    }
    const UniqueFd inner = open_beneath_dir(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!inner.is_open()) return base::fail_errno(path, errno);
    return walk(inner.get(), path, depth + 1);
  }

  Result<bool> is_untouched(int dir, const std::string& name, const std::string& path,
                            const BaseEntry& before, const struct stat& found) {
    switch (before.kind) {
      case Kind::masked:
        return found.st_ino == before.inode && (S_ISDIR(found.st_mode) || found.st_size == 0);
      case Kind::link:
        return S_ISLNK(found.st_mode) && read_link(dir, name) == before.target;
      case Kind::file:
        break;
      default:
        return false;
    }
    if (!S_ISREG(found.st_mode) || (found.st_mode & 0777) != before.mode) return false;
    if (!before.has_digest) return found.st_ino == before.inode;
    const UniqueFd ours = open_beneath_dir(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!ours.is_open()) return base::fail_errno(path, errno);
    const auto content = digest_file(ours, path, interruption_);
    if (!content) return base::Unexpected(content.error());
    return content->sha256 == before.sha256;
  }

  // The tool took it away.
  void remove(const std::string& path) {
    const BaseEntry* before = before_.find(path);
    if (before == nullptr || before->kind == Kind::other) return;
    struct stat outside {};
    const HostType host = host_type(host_, path, outside);
    if (host == HostType::absent || is_refused(path, host == HostType::directory)) return;
    if (!allow_delete_) {
      refuse(path, "delete", "the grant does not allow removals");
    } else if (host == HostType::directory && holds_protected(path, 0)) {
      refuse(path, "delete", "something hidden or protected lies below");
    } else if (!is_tree_as_then(path, 0)) {
      static_cast<void>(conflict(path));
    } else {
      add_removal(path);
    }
  }

  // Nothing of it was changed on the host, and nothing came to it.
  bool is_tree_as_then(const std::string& path, int depth) {
    if (depth > kMaxUpperLevels || interruption_.is_over() ||
        !before_.is_host_as_then(host_, path))
      return false;
    if (before_.find(path)->kind != Kind::directory) return true;
    const UniqueFd dir = open_beneath_dir(host_, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    bool ok = false;
    if (!dir.is_open()) return false;
    const auto names = list_names(dir.get(), ok);
    return ok && std::ranges::all_of(names, [&](const std::string& name) {
             return is_tree_as_then(join_path(path, name), depth + 1);
           });
  }

  const CopyBase& before_;
};

}  // namespace

Result<UpperWalk> walk_copy(int layer, const CopyBase& before, int host,
                            const std::string& grant_at, const CommitRules& rules,
                            bool allow_delete, Interruption& interruption) {
  CopyWalk walker(before, host, grant_at, rules, allow_delete, interruption);
  if (auto r = walker.walk(layer, "", 0); !r) return base::Unexpected(std::move(r).error());
  return walker.take();
}

}  // namespace ethos::sandbox
