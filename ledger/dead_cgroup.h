// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ethos::ledger {

// Is this the path of a control group as runs make them: absolute, its last
// component "run-" and 16 lowercase hexadecimal digits? Such a path may stand in a run's file
// (docs/formats/store.md S-10).
[[nodiscard]] bool is_run_cgroup(std::string_view path);

// Ends what is left in the control groups of a dead run and removes them. `run_file` is the run's
// own file: touched is only a directory of a cgroup v2 hierarchy with such a name that belongs to
// the owner of that file, so that nobody's file can end somebody else's run. What cannot be removed
// stays; it holds no process then, or is none of ours.
void remove_dead_cgroups(int run_file, const std::vector<std::string>& paths);

}  // namespace ethos::ledger
