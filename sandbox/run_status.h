// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/cage.h"

namespace ethos::sandbox {

// How a run ended, for `--status-json` (docs/operations.md).
struct RunStatus {
  std::string run;
  std::string tool;
  std::string ended_by;          // tool, wall, limit, interrupted, refused, runner
  int status = 0;                // of ethos-run
  std::optional<int> exit_code;  // the tool's own
  std::optional<int> signal;
  std::vector<std::string> limits;
  std::uint64_t denied_acts = 0;
  std::uint64_t kept_back = 0;  // refusals at bringing out
  std::uint64_t duration_ms = 0;
};

// One line of ethos-json/1.
[[nodiscard]] std::string encode_status(const RunStatus& status);

// tool, wall, limit, interrupted or runner.
[[nodiscard]] std::string ended_by(const RunResult& result);

// What to say of a run that the tool did not end, or could not begin: "was ended: it ran longer
// than allowed". Empty for one that it ended. Names no tool; `program` is what was to be executed.
[[nodiscard]] std::string describe_ending(const RunResult& result, const std::string& program);

// 125 before 128+signal of an interruption, 124, 121, 122 and the tool's own. A tool that ended
// with 0 and whose output did not come out has not done what it says: 122.
[[nodiscard]] int decide_status(const RunResult& result, bool is_denial_fatal);

}  // namespace ethos::sandbox
