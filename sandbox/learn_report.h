// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sandbox/drift.h"
#include "sandbox/observation.h"

namespace ethos::sandbox {

// What the first lines of a proposal tell.
struct LearnReport {
  std::string command;                // as it was run
  std::vector<std::string> observed;  // how each observed run ended
  std::string confirmed;              // how it ended under the proposal; empty: it was not tried
  bool is_confirmed = false;          // alike, and nothing denied that a run records
  std::vector<std::string> reasons;   // why something wider was taken, or why it is not confirmed
  std::map<std::string, std::string> left;    // denied and not proposed -> why
  std::set<std::string> absent;               // names that were looked for and are not there
  std::map<std::string, std::uint64_t> lost;  // gaps by reason
  bool is_memory_counted = true;
  std::vector<std::string> live_sources;
  std::vector<Drift> drifts;  // against `present`
  std::string present;        // empty: there is none
};

// "exit 1", "signal 9", "wall clock", ...
[[nodiscard]] std::string ending_text(const RunResult& result);
[[nodiscard]] std::vector<std::string> report_lines(const LearnReport& report);

}  // namespace ethos::sandbox
