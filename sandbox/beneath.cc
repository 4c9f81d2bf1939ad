// SPDX-License-Identifier: Apache-2.0
#include "sandbox/beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace ethos::sandbox {
namespace {

struct DirCloser {
  void operator()(DIR* dir) const { closedir(dir); }
};

}  // namespace

base::UniqueFd open_beneath_dir(int dir, const std::string& path, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<__u64>(flags) | O_CLOEXEC;
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  for (;;) {
    const long fd = syscall(SYS_openat2, dir, path.c_str(), &how, sizeof how);
    // EAGAIN: something was renamed meanwhile and the kernel could not be sure; it says try again.
    if (fd >= 0 || (errno != EINTR && errno != EAGAIN)) return base::UniqueFd(static_cast<int>(fd));
  }
}

std::vector<std::string> list_names(int dir, bool& ok) {
  std::vector<std::string> out;
  ok = false;
  const int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return out;
  const std::unique_ptr<DIR, DirCloser> stream(fdopendir(copy));
  if (!stream) {
    close(copy);
    return out;
  }
  errno = 0;
  while (const dirent* entry = readdir(stream.get())) {
    const std::string name(entry->d_name);
    if (name != "." && name != "..") out.push_back(name);
    errno = 0;
  }
  ok = errno == 0;
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ethos::sandbox
