// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"

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
  // Descriptors the program gets under the same number; all others are closed on exec.
  std::vector<int> keep = {};
};

// A text for a program that reads files: in memory, under a name that exists while this does and
// only in processes that keep() is passed to.
class ScratchText {
 public:
  static base::Result<ScratchText> make(std::string_view text);
  [[nodiscard]] int keep() const { return fd_.get(); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  explicit ScratchText(base::UniqueFd fd) : fd_(std::move(fd)) {}
  base::UniqueFd fd_;
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
