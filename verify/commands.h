// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace ethos::verify {

// Exit statuses of ethos-verify.
enum ExitStatus : int {
  exit_verified = 0,      // every required verdict passes
  exit_not_verified = 1,  // tampered, forged or a mismatch
  exit_usage = 2,         // wrong options, or a pin that cannot be read
  exit_unverifiable = 3,  // no pin, unknown version, missing data, unreadable input
  exit_incomplete = 4,    // intact, but records or ends of runs are missing
};

// The whole program but for argv. Never throws.
int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

}  // namespace ethos::verify
