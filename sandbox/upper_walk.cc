// SPDX-License-Identifier: Apache-2.0
#include "sandbox/upper_walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "sandbox/beneath.h"
#include "sandbox/copy_walk.h"
#include "sandbox/file_rights.h"
#include "sandbox/layer_walk.h"

namespace ethos::sandbox {
namespace {

using base::Result;
using base::UniqueFd;

// Overlay marks a directory of the layer that hides the one below it. It sets the mark on every new
// directory too, where it hides nothing.
bool is_opaque(int dir) {
  char value = 0;
  const OwnRights own;
  return fgetxattr(dir, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

// What the tool made lies in a layer of the cage's: where it is looked at, with our own rights. The
// host's side is not.
int status_in_layer(int dir, const std::string& name, struct stat& found) {
  const OwnRights own;
  return fstatat(dir, name.c_str(), &found, AT_SYMLINK_NOFOLLOW);
}

class Walker : public LayerWalk {
 public:
  using LayerWalk::LayerWalk;

  Result<void> walk(int dir, const std::string& at, bool is_new, int depth) {
    bool ok = false;
    const auto names = with_own_rights([&] { return list_names(dir, ok); });
    if (!ok) return base::fail_errno(at, errno != 0 ? errno : EIO);
    if (is_repository(dir, names, at, is_new)) out_.repositories.push_back(at);
    for (const auto& name : names) {
      if (auto r = count_entry(); !r) return r;
      if (auto r = visit(dir, at, name, is_new, depth); !r) return r;
    }
    return {};
  }

 private:
  // Under whatever case the file system makes equal; types do not matter to git.
  bool is_repository(int dir, const std::vector<std::string>& names, const std::string& at,
                     bool is_new) const {
    const auto is_there = [&](std::string_view wanted) {
      for (const std::string& name : names) {
        if (!is_equal_folded(name, wanted)) continue;
        struct stat found {};
        const bool is_gone =
            status_in_layer(dir, name, found) == 0 && S_ISCHR(found.st_mode) && found.st_rdev == 0;
        if (!is_gone) return true;
        if (name == wanted) return false;
      }
      struct stat host {};
      return !is_new &&
             host_type(host_, join_path(at, std::string(wanted)), host) != HostType::absent;
    };
    return looks_like_repository(is_there);
  }

  Result<void> visit(int dir, const std::string& at, const std::string& name, bool is_new,
                     int depth) {
    const std::string path = join_path(at, name);
    struct stat found {};
    if (status_in_layer(dir, name, found) != 0) return base::fail_errno(path, errno);
    const bool is_directory = S_ISDIR(found.st_mode);
    if (is_too_long(at, path) || is_refused(path, is_directory)) return {};
    if (is_directory) return visit_directory(dir, name, path, found, is_new, depth);
    if (S_ISREG(found.st_mode)) {
      visit_file(path, found, is_new);
    } else if (S_ISCHR(found.st_mode) && found.st_rdev == 0) {
      remove(path);
    } else if (S_ISLNK(found.st_mode)) {
      refuse(path, "link", "symbolic links are not brought out");
    } else {
      refuse(path, "node", "devices, sockets and pipes are not brought out");
    }
    return {};
  }

  // A whiteout, or something that must go before what has its name can come.
  void remove(const std::string& path) {
    struct stat host {};
    const HostType type = host_type(host_, path, host);
    // A pattern may be for directories only, and a whiteout is none.
    if (type == HostType::absent || is_refused(path, type == HostType::directory)) return;
    if (!allow_delete_) {
      refuse(path, "delete", "the grant does not allow removals");
    } else if (type == HostType::directory && holds_protected(path, 0)) {
      refuse(path, "delete", "something hidden or protected lies below");
    } else {
      add_removal(path);
    }
  }

  void visit_file(const std::string& path, const struct stat& found, bool is_new) {
    struct stat host {};
    const HostType type = is_new ? HostType::absent : host_type(host_, path, host);
    if (type == HostType::other) {
      refuse(path, "link", "a link, device or mount point of the host has this name");
      return;
    }
    if (type == HostType::directory) remove(path);
    add(Change::Kind::file, path, found);
  }

  Result<void> visit_directory(int dir, const std::string& name, const std::string& path,
                               const struct stat& found, bool is_new, int depth) {
    if (depth >= kMaxUpperLevels) {
      refuse(path, "depth",
             "more than 128 levels of directories below the grant; write a flatter tree, or one "
             "archive of it");
      return {};
    }
    const UniqueFd inner = with_own_rights(
        [&] { return open_beneath_dir(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW); });
    if (!inner.is_open()) return base::fail_errno(path, errno);
    struct stat host {};
    const HostType type = is_new ? HostType::absent : host_type(host_, path, host);
    if (type == HostType::other) {
      refuse(path, "link", "a link, device or mount point of the host has this name");
      return {};
    }
    if (type == HostType::directory && !is_opaque(inner.get()))
      return walk(inner.get(), path, false, depth + 1);
    // Opaque over an existing directory: the old one was removed and another made.
    if (type != HostType::absent) remove(path);
    add(Change::Kind::directory, path, found);
    return walk(inner.get(), path, true, depth + 1);
  }
};

}  // namespace

Result<UpperWalk> walk_upper(const Layer& layer, int host, const std::string& grant_at,
                             const CommitRules& rules, bool allow_delete,
                             Interruption& interruption) {
  if (layer.base != nullptr)
    return walk_copy(layer.fd, *layer.base, host, grant_at, rules, allow_delete, interruption);
  Walker walker(host, grant_at, rules, allow_delete, interruption);
  if (auto r = walker.walk(layer.fd, "", false, 0); !r)
    return base::Unexpected(std::move(r).error());
  return walker.take();
}

}  // namespace ethos::sandbox
