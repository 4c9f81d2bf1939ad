// SPDX-License-Identifier: Apache-2.0
#include "sandbox/upper_walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "ledger/base/paths.h"
#include "sandbox/beneath.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;
using base::UniqueFd;

constexpr std::size_t kMaxEntries = 1'000'000;
// A path has to fit into a record twice, as itself and as its grant's, each byte escaped.
constexpr std::size_t kMaxPath = 3072;
constexpr mode_t kPermissions = 0777;

std::string join(const std::string& dir, const std::string& name) {
  return dir.empty() ? name : dir + "/" + name;
}

// Overlay marks a directory of the layer that hides the one below it. It sets the mark on every new
// directory too, where it hides nothing.
bool is_opaque(int dir) {
  char value = 0;
  return fgetxattr(dir, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

bool is_equal_folded(std::string_view a, std::string_view b) {
  const auto fold = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, fold, fold);
}

enum class HostType { absent, file, directory, other };

HostType host_type(int host, const std::string& path, struct stat& found) {
  const UniqueFd fd = open_beneath_dir(host, path, O_PATH | O_NOFOLLOW);
  if (!fd.is_open())
    return errno == ENOENT || errno == ENOTDIR ? HostType::absent : HostType::other;
  if (fstat(fd.get(), &found) != 0) return HostType::other;
  if (S_ISREG(found.st_mode)) return HostType::file;
  return S_ISDIR(found.st_mode) ? HostType::directory : HostType::other;
}

class Walker {
 public:
  Walker(int host, bool is_copy, const std::string& grant_at, const CommitRules& rules,
         bool allow_delete, Interruption& interruption)
      : host_(host),
        is_copy_(is_copy),
        grant_at_(grant_at),
        rules_(rules),
        allow_delete_(allow_delete),
        interruption_(interruption) {}

  Result<void> walk(int dir, const std::string& at, bool is_new, int depth) {
    bool ok = false;
    const auto names = list_names(dir, ok);
    if (!ok) return base::fail_errno(at, errno != 0 ? errno : EIO);
    if (is_copy_ && !is_new) find_missing(names, at);
    if (is_repository(dir, names, at, is_new)) out_.repositories.push_back(at);
    for (const auto& name : names) {
      if (++entries_ > kMaxEntries)
        return base::fail(
            Errc::too_large,
            "more than 1000000 files and directories below one grant; write fewer, or "
            "one archive of them");
      if (interruption_.is_over()) return base::fail(Errc::refused, grant_at_ + ": given up");
      if (auto r = visit(dir, at, name, is_new, depth); !r) return r;
    }
    return {};
  }

  UpperWalk take() { return std::move(out_); }

 private:
  // HEAD with objects and refs, or with a name that says where those are: what git(1) goes by when
  // it looks for a repository in a directory, under whatever case the file system makes equal.
  // Their types do not matter to it.
  bool is_repository(int dir, const std::vector<std::string>& names, const std::string& at,
                     bool is_new) const {
    const auto is_there = [&](std::string_view wanted) {
      for (const std::string& name : names) {
        if (!is_equal_folded(name, wanted)) continue;
        struct stat found {};
        const bool is_gone = fstatat(dir, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
                             S_ISCHR(found.st_mode) && found.st_rdev == 0;
        if (!is_gone) return true;
        if (name == wanted) return false;
      }
      struct stat host {};
      return !is_new && !is_copy_ &&
             host_type(host_, join(at, std::string(wanted)), host) != HostType::absent;
    };
    return is_there("HEAD") && ((is_there("objects") && is_there("refs")) || is_there("commondir"));
  }

  void refuse(const std::string& path, std::string rule, std::string reason) {
    out_.refused.push_back({path, std::move(rule), std::move(reason)});
  }

  Result<void> visit(int dir, const std::string& at, const std::string& name, bool is_new,
                     int depth) {
    const std::string path = join(at, name);
    struct stat found {};
    if (fstatat(dir, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0)
      return base::fail_errno(path, errno);
    const bool is_directory = S_ISDIR(found.st_mode);
    if (grant_at_.size() + 1 + path.size() > kMaxPath) {
      refuse(at, "depth",
             "a path below is longer than 3072 bytes; use shorter names, or write one archive");
      return {};
    }
    if (const auto refusal = rules_.refuses(grant_at_ + "/" + path, is_directory)) {
      refuse(path, refusal->rule, refusal->reason);
      return {};
    }
    if (is_directory) return visit_directory(dir, name, path, found, is_new, depth);
    if (S_ISREG(found.st_mode)) {
      visit_file(path, found, is_new);
    } else if (S_ISCHR(found.st_mode) && found.st_rdev == 0) {
      remove(path);
    } else if (S_ISLNK(found.st_mode)) {
      if (is_copy_ && is_same_link(dir, name, path)) return {};
      refuse(path, "link", "symbolic links are not brought out");
    } else {
      refuse(path, "node", "devices, sockets and pipes are not brought out");
    }
    return {};
  }

  // What the host's directory has and the copy has not. Sockets and the like were never copied.
  void find_missing(const std::vector<std::string>& copied, const std::string& at) {
    const UniqueFd dir =
        open_beneath_dir(host_, at.empty() ? "." : at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    bool ok = false;
    if (!dir.is_open()) return;
    for (const auto& name : list_names(dir.get(), ok)) {
      if (std::binary_search(copied.begin(), copied.end(), name)) continue;
      struct stat found {};
      if (fstatat(dir.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode) || S_ISLNK(found.st_mode))
        remove(join(at, name));
    }
  }

  bool is_same_link(int dir, const std::string& name, const std::string& path) const {
    const UniqueFd parent =
        open_beneath_dir(host_, base::split_path(path).parent, O_PATH | O_DIRECTORY);
    std::array<char, 4096> ours;
    std::array<char, 4096> theirs;
    const ssize_t n = readlinkat(dir, name.c_str(), ours.data(), ours.size());
    const ssize_t m = readlinkat(parent.get(), name.c_str(), theirs.data(), theirs.size());
    return n > 0 && n == m && std::equal(ours.begin(), ours.begin() + n, theirs.begin());
  }

  // A whiteout, or something that must go before what has its name can come.
  void remove(const std::string& path) {
    struct stat host {};
    const HostType type = host_type(host_, path, host);
    if (type == HostType::absent) return;
    if (!allow_delete_) {
      refuse(path, "delete", "the grant does not allow removals");
    } else if (type == HostType::directory && holds_protected(path, 0)) {
      refuse(path, "delete", "something hidden or protected lies below");
    } else {
      out_.changes.push_back({Change::Kind::removal, path, 0, false, 0});
    }
  }

  // Does a directory of the host hold a name that no commit may touch?
  bool holds_protected(const std::string& path, int depth) {
    const UniqueFd dir = open_beneath_dir(host_, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    bool ok = false;
    if (!dir.is_open() || depth > kMaxUpperLevels) return true;
    for (const auto& name : list_names(dir.get(), ok)) {
      struct stat found {};
      const std::string inner = join(path, name);
      if (++entries_ > kMaxEntries ||
          fstatat(dir.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
      if (rules_.refuses(grant_at_ + "/" + inner, S_ISDIR(found.st_mode))) return true;
      if (S_ISDIR(found.st_mode) && holds_protected(inner, depth + 1)) return true;
    }
    return !ok;
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
    const UniqueFd inner = open_beneath_dir(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!inner.is_open()) return base::fail_errno(path, errno);
    struct stat host {};
    const HostType type = is_new ? HostType::absent : host_type(host_, path, host);
    if (type == HostType::other) {
      refuse(path, "link", "a link, device or mount point of the host has this name");
      return {};
    }
    if (type == HostType::directory && (is_copy_ || !is_opaque(inner.get())))
      return walk(inner.get(), path, false, depth + 1);
    // Opaque over an existing directory: the old one was removed and another made.
    if (type != HostType::absent) remove(path);
    add(Change::Kind::directory, path, found);
    return walk(inner.get(), path, true, depth + 1);
  }

  void add(Change::Kind kind, const std::string& path, const struct stat& found) {
    Change change;
    change.kind = kind;
    change.path = path;
    change.mode = found.st_mode & kPermissions;
    change.is_mode_stripped = (found.st_mode & (S_ISUID | S_ISGID | S_ISVTX)) != 0;
    change.size = static_cast<std::uint64_t>(found.st_size);
    out_.changes.push_back(std::move(change));
  }

  int host_;
  bool is_copy_;
  const std::string& grant_at_;
  const CommitRules& rules_;
  bool allow_delete_;
  Interruption& interruption_;
  std::size_t entries_ = 0;
  UpperWalk out_;
};

}  // namespace

Result<UpperWalk> walk_upper(const Layer& layer, int host, const std::string& grant_at,
                             const CommitRules& rules, bool allow_delete,
                             Interruption& interruption) {
  Walker walker(host, layer.is_copy, grant_at, rules, allow_delete, interruption);
  if (auto r = walker.walk(layer.fd, "", false, 0); !r)
    return base::Unexpected(std::move(r).error());
  return walker.take();
}

}  // namespace ethos::sandbox
