// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace ethos::sandbox {

// ethos-run without a process around it: answers go to `out` and `err`, the exit status is
// returned. `args` without the program's name.
[[nodiscard]] int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

}  // namespace ethos::sandbox
