// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace ethos::sarif {

// Exit statuses of ethos-sarif (docs/operations.md).
enum class Exit : int {
  done = 0,
  findings = 1,    // validate, diff and baseline: there is something to report
  usage = 2,       // called wrongly
  unreadable = 3,  // an input cannot be read or is not what it should be, or no output can be made
};

// The program: `args` without its own name. Reads standard input where "-" is named.
int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

}  // namespace ethos::sarif
