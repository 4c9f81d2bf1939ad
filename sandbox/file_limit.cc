// SPDX-License-Identifier: Apache-2.0
#include "sandbox/file_limit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "sandbox/beneath.h"
#include "sandbox/interruption.h"

namespace ethos::sandbox {
namespace {

constexpr int kMaxDepth = 128;
constexpr std::uint64_t kMaxMs = 2000;

bool is_of_size(const struct stat& found, std::uint64_t size) {
  return S_ISREG(found.st_mode) && static_cast<std::uint64_t>(found.st_size) == size;
}

bool holds(int dir, std::uint64_t size, int depth, Interruption& interruption) {
  bool ok = false;
  for (const std::string& name : list_names(dir, ok)) {
    struct stat found {};
    if (interruption.is_over()) return false;
    if (fstatat(dir, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (is_of_size(found, size)) return true;
    if (!S_ISDIR(found.st_mode) || depth == kMaxDepth) continue;
    const base::UniqueFd inner = open_beneath_dir(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (inner.is_open() && holds(inner.get(), size, depth + 1, interruption)) return true;
  }
  return false;
}

}  // namespace

bool has_file_of_size(const Plan& plan, const Launch& launch, std::uint64_t size) {
  Interruption interruption(-1, kMaxMs);
  const auto is_below = [&](int fd) {
    const base::UniqueFd dir = open_beneath_dir(fd, ".", O_RDONLY | O_DIRECTORY);
    return dir.is_open() && holds(dir.get(), size, 0, interruption);
  };
  if (launch.scratch_fd() >= 0 && is_below(launch.scratch_fd())) return true;
  for (const base::UniqueFd& upper : launch.uppers())
    if (is_below(upper.get())) return true;
  return std::ranges::any_of(plan.mounts, [&](const Mount& mount) {
    struct stat found {};
    return mount.kind == MountKind::bind && !mount.read_only && mount.type == NodeType::file &&
           lstat(mount.source.c_str(), &found) == 0 && is_of_size(found, size);
  });
}

}  // namespace ethos::sandbox
