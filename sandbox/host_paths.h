// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ethos::sandbox {

// Whether a path that the cage does not show is there on the host: an act on it was kept from the
// tool, where an act on nothing fails everywhere. Looks as the supervisor, that is with the
// caller's own rights.
class HostPaths {
 public:
  // `path` is absolute and plain. True also where that cannot be told: the caller may not look, or
  // the look could wait for a network or a program (NFS, FUSE, automounts), which must not make the
  // supervisor wait.
  [[nodiscard]] bool may_exist(const std::string& path);

  // Whether a look there could wait so.
  [[nodiscard]] bool is_slow(const std::string& path);

  // Mount points of such file systems in /proc/<pid>/mountinfo text, as they are written there.
  [[nodiscard]] static std::vector<std::string> slow_mounts(std::string_view mountinfo);

 private:
  std::optional<std::vector<std::string>> slow_;  // read at the first question
};

}  // namespace ethos::sandbox
