// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/result.h"

namespace ethos::reports {

struct ProcessResult {
  int status = 0;      // exit status
  std::string output;  // standard output
  std::string errors;  // standard error, its first 4 KiB
};

struct ProcessOptions {
  // NAME=VALUE; the caller's own environment when absent.
  std::optional<std::vector<std::string>> environment;
  // With a time limit the program gets a process group of its own, and whatever it left behind in
  // it is killed when it ends or the time is over. 0: none.
  int timeout_ms = 0;
};

// Starts a program by its path (never by PATH) with /dev/null as input, and waits for it. Errc::io
// when it cannot be started, is killed by a signal, or is not done in time; too_large when it says
// more than `max_output` bytes.
base::Result<ProcessResult> run_program(const std::string& path,
                                        const std::vector<std::string>& arguments,
                                        std::size_t max_output, const ProcessOptions& options = {});

// The program `name` beside the one that is running.
base::Result<std::string> sibling_path(const std::string& name);

}  // namespace ethos::reports
