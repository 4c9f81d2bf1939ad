// SPDX-License-Identifier: Apache-2.0
#include "sandbox/copy_base.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "ledger/base/paths.h"
#include "sandbox/beneath.h"
#include "sandbox/layer_walk.h"
#include "sandbox/staged_file.h"

namespace ethos::sandbox {
namespace {

using base::Result;
using base::UniqueFd;

constexpr int kReading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

bool is_same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

HostState host_state(const struct stat& found) {
  return {found.st_dev,  found.st_ino,  found.st_mode & S_IFMT,
          found.st_size, found.st_mtim, found.st_ctim};
}

std::string read_link(int dir, const std::string& name) {
  std::array<char, 4096> target;
  const ssize_t n = readlinkat(dir, name.c_str(), target.data(), target.size());
  return n > 0 ? std::string(target.data(), static_cast<std::size_t>(n)) : std::string();
}

class CopyBase::Taker {
 public:
  Taker(CopyBase& out, int host, const Plan& plan, const Mount& mount, Interruption& interruption)
      : out_(out), host_(host), masks_(plan), mount_(mount), interruption_(interruption) {}

  Result<void> take(int dir, const std::string& at) {
    bool ok = false;
    std::vector<std::string> names = list_names(dir, ok);
    if (!ok) return base::fail_errno(at, errno != 0 ? errno : EIO);
    for (const std::string& name : names) {
      if (interruption_.is_over()) return base::fail(base::Errc::refused, mount_.at + ": given up");
      if (auto r = take_entry(dir, name, join_path(at, name)); !r) return r;
    }
    take_uncopied(at, names);
    out_.names_[at] = std::move(names);
    return {};
  }

 private:
  [[nodiscard]] bool is_masked(const std::string& path) const {
    return masks_.at(mount_.at + "/" + path) != nullptr;
  }

  Result<void> take_entry(int dir, const std::string& name, const std::string& path) {
    BaseEntry entry;
    struct stat found {};
    if (fstatat(dir, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0)
      return base::fail_errno(path, errno);
    entry.inode = found.st_ino;
    entry.mode = found.st_mode & 0777;
    const UniqueFd host = open_beneath_dir(host_, path, O_PATH | O_NOFOLLOW);
    struct stat outside {};
    if (host.is_open() && fstat(host.get(), &outside) == 0) entry.host = host_state(outside);
    const bool is_mask = is_masked(path);
    entry.is_torn = !is_mask && entry.host.type != (found.st_mode & S_IFMT);
    Result<void> done;
    if (is_mask) {
      entry.kind = BaseEntry::Kind::masked;
    } else if (S_ISDIR(found.st_mode)) {
      entry.kind = BaseEntry::Kind::directory;
      const UniqueFd inner = open_beneath_dir(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      if (!inner.is_open()) return base::fail_errno(path, errno);
      done = take(inner.get(), path);
    } else if (S_ISLNK(found.st_mode)) {
      entry.kind = BaseEntry::Kind::link;
      entry.target = read_link(dir, name);
      const UniqueFd parent =
          open_beneath_dir(host_, base::split_path(path).parent, O_PATH | O_DIRECTORY);
      entry.is_torn |= read_link(parent.get(), name) != entry.target;
    } else {
      done = take_file(dir, name, path, entry);
    }
    out_.entries_[path] = std::move(entry);
    return done;
  }

  // What cannot be read is known by its state alone.
  Result<void> take_file(int dir, const std::string& name, const std::string& path,
                         BaseEntry& entry) {
    const UniqueFd ours = open_beneath_dir(dir, name, kReading);
    if (!ours.is_open()) return errno == EACCES ? Result<void>() : base::fail_errno(path, errno);
    const auto copied = digest_file(ours, path, interruption_);
    if (!copied) return base::Unexpected(copied.error());
    entry.has_digest = true;
    entry.sha256 = copied->sha256;
    const UniqueFd host = open_beneath_dir(host_, path, kReading);
    struct stat outside {};
    if (!host.is_open() || fstat(host.get(), &outside) != 0 || !S_ISREG(outside.st_mode)) {
      entry.is_torn = true;
      return {};
    }
    entry.host = host_state(outside);
    const auto there = digest_file(host, path, interruption_);
    entry.is_torn |= !there || there->sha256 != copied->sha256;
    return {};
  }

  void take_uncopied(const std::string& at, std::vector<std::string>& names) {
    const UniqueFd dir =
        open_beneath_dir(host_, at.empty() ? "." : at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    bool ok = false;
    if (!dir.is_open()) return;
    std::vector<std::string> more;
    for (const std::string& name : list_names(dir.get(), ok)) {
      struct stat found {};
      if (std::ranges::binary_search(names, name) ||
          fstatat(dir.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
          S_ISREG(found.st_mode) || S_ISDIR(found.st_mode) || S_ISLNK(found.st_mode))
        continue;
      BaseEntry entry;
      entry.kind = BaseEntry::Kind::other;
      entry.host = host_state(found);
      out_.entries_[join_path(at, name)] = std::move(entry);
      more.push_back(name);
    }
    names.insert(names.end(), more.begin(), more.end());
  }

  CopyBase& out_;
  int host_;
  MaskIndex masks_;
  const Mount& mount_;
  Interruption& interruption_;
};

Result<CopyBase> CopyBase::take_state(int layer, int host, const Plan& plan, const Mount& mount,
                                      Interruption& interruption) {
  CopyBase out;
  if (auto r = Taker(out, host, plan, mount, interruption).take(layer, ""); !r)
    return base::Unexpected(std::move(r).error());
  return out;
}

const BaseEntry* CopyBase::find(const std::string& path) const {
  const auto found = entries_.find(path);
  return found != entries_.end() ? &found->second : nullptr;
}

const std::vector<std::string>& CopyBase::names(const std::string& directory) const {
  static const std::vector<std::string> kNone;
  const auto found = names_.find(directory);
  return found != names_.end() ? found->second : kNone;
}

bool CopyBase::is_host_as_then(int host, const std::string& path) const {
  const BaseEntry* entry = find(path);
  const UniqueFd fd = open_beneath_dir(host, path, O_PATH | O_NOFOLLOW);
  struct stat found {};
  if (entry == nullptr || entry->is_torn || !fd.is_open() || fstat(fd.get(), &found) != 0)
    return false;
  const HostState now = host_state(found);
  const HostState& then = entry->host;
  if (now.device != then.device || now.inode != then.inode || now.type != then.type) return false;
  if (now.type != S_IFREG) return true;
  return now.size == then.size && is_same_time(now.modified, then.modified) &&
         is_same_time(now.changed, then.changed);
}

}  // namespace ethos::sandbox
