// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/service/wire.h"

namespace ethos::ledger::service {

// Where the service's runner finds what it is given (docs/formats/service.md SV-21).
inline constexpr int kRunnerSocket = 3;
inline constexpr int kRunnerOrder = 4;
inline constexpr int kRunnerDirectory = 5;
// The one argument of such a runner.
inline constexpr const char* kRunnerWord = "--for-caller";

// A program that builds one cage for one caller, as a child of the service.
struct CageRunner {
  pid_t pid = -1;
  base::UniqueFd pidfd;
  base::UniqueFd socket;  // the service's end of the runner's connection
  base::UniqueFd order;   // in memory, root's; behind the order itself the runner notes its group
  std::uint64_t order_bytes = 0;
};

// After the end of a runner: removes the control groups that it noted and left, as only a killed
// one does.
void remove_left_groups(const base::UniqueFd& order, std::uint64_t order_bytes);

// The `ethos-run` beside our own program. Errc::refused when another user than root could change
// it.
base::Result<std::string> find_runner();

// Starts it with the caller's three streams and directory. Errc::refused for streams that are
// neither pipes nor /dev/null: whatever else root's writes mean something to is none of a caller's
// business to hand over, and a terminal would let the tool type commands.
base::Result<CageRunner> start_runner(const std::string& program, const CallerOrder& order,
                                      const std::vector<base::UniqueFd>& descriptors);

}  // namespace ethos::ledger::service
