// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ledger/base/result.h"

namespace ethos::reports {

struct ProcessResult {
  int status = 0;      // exit status
  std::string output;  // standard output
  std::string errors;  // standard error, its first 4 KiB
};

// Starts a program by its path (never by PATH), with the caller's environment and /dev/null as
// input, and waits for it. Errc::io when it cannot be started, is killed by a signal, or says more
// than `max_output` bytes.
base::Result<ProcessResult> run_program(const std::string& path,
                                        const std::vector<std::string>& arguments,
                                        std::size_t max_output);

// The program `name` beside the one that is running.
base::Result<std::string> sibling_path(const std::string& name);

}  // namespace ethos::reports
