// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ethos::sandbox {

// One thing the kernel or the host must offer. Probed by doing it in a short-lived child, never by
// version numbers or configuration files.
struct Feature {
  std::string name;  // "user_namespace", "landlock", ...
  bool is_ok = false;
  bool is_required = true;  // without it no cage at all; others cost a limit or an observer
  int error = 0;            // errno, 0 when it was no system call that failed
  std::string detail;       // "ABI 7", "memory pids", ...
  std::string cause;        // empty when ok
  std::string fix;
  bool is_extra = false;  // a source more than a run needs: its absence is no finding
};

// Every feature, in the order a launch needs them. `cgroup_parent` as in LaunchOptions.
[[nodiscard]] std::vector<Feature> probe_features(const std::string& cgroup_parent);

}  // namespace ethos::sandbox
