// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
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

// The whole program but for argv. Never throws. `extra_threads`: how many threads help the calling one;
// by default as many as fit the processors that may be used. The answers are the same for any number.
int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, std::optional<unsigned> extra_threads = std::nullopt);

}  // namespace ethos::verify
