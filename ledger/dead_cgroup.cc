// SPDX-License-Identifier: Apache-2.0
#include "ledger/dead_cgroup.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "ledger/base/unique_fd.h"

namespace ethos::ledger {
namespace {

using base::UniqueFd;

constexpr std::string_view kPrefix = "run-";
constexpr std::size_t kDigits = 16;

void remove_one(uid_t owner, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  const UniqueFd parent(
      ::open(path.substr(0, slash + 1).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!parent.is_open()) return;
  const UniqueFd leaf(
      ::openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct statfs fs {};
  struct stat st {};
  if (!leaf.is_open() || ::fstatfs(leaf.get(), &fs) != 0 || fs.f_type != CGROUP2_SUPER_MAGIC ||
      ::fstat(leaf.get(), &st) != 0 || st.st_uid != owner)
    return;
  const UniqueFd kill(::openat(leaf.get(), "cgroup.kill", O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (kill.is_open() && ::write(kill.get(), "1", 1) < 0) return;
  // Busy until the last of what was killed is gone.
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno != EBUSY) return;
    const timespec pause{0, 10'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace

bool is_run_cgroup(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || path.front() != '/') return false;
  std::string_view name = path.substr(slash + 1);
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  return name.size() == kDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         path.find('\n') == std::string_view::npos && path.find('\0') == std::string_view::npos;
}

void remove_dead_cgroups(int run_file, const std::vector<std::string>& paths) {
  struct stat st {};
  if (paths.empty() || ::fstat(run_file, &st) != 0) return;
  for (const std::string& path : paths)
    if (is_run_cgroup(path)) remove_one(st.st_uid, path);
}

}  // namespace ethos::ledger
