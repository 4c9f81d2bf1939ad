// SPDX-License-Identifier: Apache-2.0
#include "sandbox/plan_path.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>

#include "sandbox/based_path.h"
#include "sandbox/cage_object.h"
#include "sandbox/file_rights.h"

namespace ethos::sandbox {
namespace {

constexpr int kMaxLinks = 40;  // MAXSYMLINKS of the kernel

// The mount that a path of the cage lies on: of those at one place the last.
const Mount* holder(const Plan& plan, std::string_view path) {
  const Mount* found = nullptr;
  for (const Mount& mount : plan.mounts)
    if (is_within(path, mount.at) && (found == nullptr || mount.at.size() >= found->at.size()))
      found = &mount;
  return found;
}

// There the cage shows the host's own tree, at the same place.
const Mount* view_at(const Plan& plan, std::string_view path) {
  const Mount* const mount = holder(plan, path);
  const bool is_view = mount != nullptr &&
                       (mount->kind == MountKind::bind || mount->kind == MountKind::staged) &&
                       mount->source == mount->at;
  return is_view ? mount : nullptr;
}

const Mount* starting_at(const Plan& plan, std::string_view path) {
  const Mount* const mount = view_at(plan, path);
  if (mount == nullptr || mount->no_exec) return nullptr;
  const bool is_granted = std::ranges::any_of(plan.landlock, [&](const LandlockRule& rule) {
    return (rule.access == Access::read_exec || rule.access == Access::write_exec) &&
           is_within(path, rule.at);
  });
  return is_granted ? mount : nullptr;
}

bool is_above_mount(const Plan& plan, std::string_view path) {
  return std::ranges::any_of(plan.mounts,
                             [&](const Mount& mount) { return is_within(mount.at, path); });
}

const std::string* link_of_plan(const Plan& plan, std::string_view path) {
  for (const Link& link : plan.links)
    if (link.at == path) return &link.target;
  return nullptr;
}

// The kernel asks for the ids of the tool, which root's runner has not. Whoever runs for himself,
// or with lent rights, opens no more than is his.
bool may_tool_start(const Plan& plan, const Mount& mount, int file, const struct stat& found) {
  if (!plan.identity.is_mapped_by_root || lent_rights() || (found.st_mode & S_IXOTH) != 0)
    return true;
  if (fgetxattr(file, "system.posix_acl_access", nullptr, 0) > 0) return true;
  struct stat owner {};
  if (mount.where.base == Base::system || stat(mount.source.c_str(), &owner) != 0) return false;
  return ((found.st_mode & S_IXUSR) != 0 && found.st_uid == owner.st_uid) ||
         ((found.st_mode & S_IXGRP) != 0 && found.st_gid == owner.st_gid);
}

// `path` is plain. errno is ELOOP where a link is on the way.
std::optional<PlanFile> open_plain(const Plan& plan, const std::string& path) {
  const Mount* const mount = starting_at(plan, path);
  errno = EACCES;
  if (mount == nullptr) return std::nullopt;
  PlanFile out;
  out.file.reset(open_how_at(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                             RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS));
  if (!out.file.is_open()) return std::nullopt;
  struct stat found {};
  const bool is_startable = fstat(out.file.get(), &found) == 0 && S_ISREG(found.st_mode) &&
                            (found.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0 &&
                            may_tool_start(plan, *mount, out.file.get(), found);
  errno = EACCES;
  if (!is_startable) return std::nullopt;
  out.path = path;
  out.size = static_cast<std::uint64_t>(found.st_size);
  return out;
}

// Follows the links that the cage will have, name by name, and looks at no other place.
class Resolution {
 public:
  explicit Resolution(const Plan& plan) : plan_(plan) {}

  std::optional<std::string> run(std::string path) {
    rest_ = std::move(path);
    while (true) {
      const std::size_t from = rest_.find_first_not_of('/');
      if (from == std::string::npos) return here_;
      const std::size_t to = std::min(rest_.find('/', from), rest_.size());
      const std::string name = rest_.substr(from, to - from);
      rest_.erase(0, to);
      if (name == "." || name == "..") {
        if (name == "..") here_.resize(here_.empty() ? 0 : here_.rfind('/'));
        continue;
      }
      if (!enter(here_ + "/" + name)) return std::nullopt;
    }
  }

 private:
  bool enter(std::string next) {
    if (next.size() >= PATH_MAX) return false;
    if (const std::string* const target = link_of_plan(plan_, next)) return follow(*target);
    if (view_at(plan_, next) != nullptr) {
      std::array<char, PATH_MAX> target{};
      const ssize_t n = readlink(next.c_str(), target.data(), target.size());
      if (n >= 0) return follow({target.data(), static_cast<std::size_t>(n)});
      if (errno != EINVAL) return false;
    } else if (!is_above_mount(plan_, next)) {
      return false;
    }
    here_ = std::move(next);
    return true;
  }

  bool follow(std::string_view target) {
    if (target.empty() || ++links_ > kMaxLinks || target.size() + rest_.size() >= 2 * PATH_MAX)
      return false;
    if (target.front() == '/') here_.clear();
    rest_.insert(0, target);
    return true;
  }

  const Plan& plan_;
  std::string here_;  // plain, and no link
  std::string rest_;
  int links_ = 0;
};

// "/bin/sh" as "/usr/bin/sh" where the cage's root has such a link.
std::string through_root_link(const Plan& plan, const std::string& path) {
  const std::size_t slash = std::min(path.find('/', 1), path.size());
  const std::string* const target = link_of_plan(plan, std::string_view(path).substr(0, slash));
  if (target == nullptr) return path;
  return (target->starts_with('/') ? "" : "/") + *target + path.substr(slash);
}

bool is_plain(std::string_view path) {
  return path.find("/.") == std::string_view::npos && path.find("//") == std::string_view::npos &&
         !path.ends_with('/');
}

}  // namespace

std::optional<PlanFile> open_startable(const Plan& plan, const std::string& path) {
  if (!path.starts_with('/')) return std::nullopt;
  if (is_plain(path)) {
    if (auto file = open_plain(plan, through_root_link(plan, path)); file || errno == ENOENT)
      return file;
  }
  const auto real = Resolution(plan).run(path);
  return real && !real->empty() ? open_plain(plan, *real) : std::nullopt;
}

}  // namespace ethos::sandbox
