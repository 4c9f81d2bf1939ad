// SPDX-License-Identifier: Apache-2.0
#include "sandbox/host_paths.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "ledger/base/file_io.h"
#include "sandbox/based_path.h"
#include "sandbox/mountinfo.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxTable = 16U << 20;

bool is_slow_type(std::string_view type) {
  static constexpr auto kTypes =
      std::to_array<std::string_view>({"9p", "afs", "autofs", "ceph", "cifs", "glusterfs", "lustre",
                                       "ncpfs", "nfs", "nfs4", "smb3", "smbfs", "virtiofs"});
  return type.starts_with("fuse") || std::ranges::find(kTypes, type) != kTypes.end();
}

// The words of `line` from the front; empty when there are no more.
std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

}  // namespace

std::vector<std::string> HostPaths::slow_mounts(std::string_view mountinfo) {
  std::vector<std::string> out;
  while (!mountinfo.empty()) {
    const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    std::string_view line = mountinfo.substr(0, end);
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    std::string_view behind = line.substr(dash + 3);
    if (!is_slow_type(take_word(behind))) continue;
    for (int i = 0; i < 4; ++i) take_word(line);
    out.push_back(unescape_mount_path(take_word(line)));
  }
  return out;
}

bool HostPaths::is_slow(const std::string& path) {
  if (!slow_) {
    auto table = base::read_file("/proc/self/mountinfo", kMaxTable);
    // Without the table every place could be slow.
    slow_ = table ? slow_mounts(*table) : std::vector<std::string>{"/"};
  }
  // A root file system that is slow is what the machine runs from.
  const auto covers = [&](const std::string& at) { return at != "/" && is_within(path, at); };
  return std::ranges::any_of(*slow_, covers);
}

bool HostPaths::may_exist(const std::string& path) {
  if (is_slow(path)) return true;
  struct stat st {};
  if (::fstatat(AT_FDCWD, path.c_str(), &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0)
    return true;
  return errno != ENOENT && errno != ENOTDIR && errno != ELOOP && errno != ENAMETOOLONG;
}

}  // namespace ethos::sandbox
