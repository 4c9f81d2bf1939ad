// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <string_view>

#include "sandbox/plan.h"

namespace ethos::sandbox {

// The device nodes a cage may have: character devices of major 1, by minor.
struct DeviceNode {
  std::string_view path;
  unsigned minor;
};
inline constexpr std::array<DeviceNode, 5> kDeviceNodes = {{{"/dev/null", 3},
                                                            {"/dev/zero", 5},
                                                            {"/dev/full", 7},
                                                            {"/dev/random", 8},
                                                            {"/dev/urandom", 9}}};

// Is what was opened just now the object the plan was made for? Device nodes are known by what they
// are (a host's /dev changes inodes at each boot), everything else by device and inode. Also used
// by the clone child: no libc state, no allocation.
inline bool is_planned_object(const Mount& mount, const struct stat& found) {
  if (!mount.no_dev) {
    for (const DeviceNode& node : kDeviceNodes)
      if (node.path == mount.source)
        return (found.st_mode & S_IFMT) == S_IFCHR && found.st_rdev == makedev(1, node.minor);
    return false;
  }
  const bool is_directory = (found.st_mode & S_IFMT) == S_IFDIR;
  const bool is_file = (found.st_mode & S_IFMT) == S_IFREG;
  const bool has_type = mount.type == NodeType::directory ? is_directory : is_file;
  return has_type && found.st_dev == mount.device && found.st_ino == mount.inode;
}

}  // namespace ethos::sandbox
