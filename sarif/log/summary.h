// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/log/baseline.h"
#include "sarif/log/index.h"

namespace ethos::sarif {

// Figures of one run.
struct RunSummary {
  RunIndex about;
  std::size_t results = 0;
  std::array<std::size_t, 4> by_level{};  // by Level
  std::size_t suppressed = 0;
  std::size_t denials = 0;                               // of rule runtime.sandbox_denial
  std::map<std::string, std::size_t> by_rule;            // results
  std::map<std::string, std::size_t> by_baseline_state;  // where results have one
};

// Reads the log twice.
base::Result<std::vector<RunSummary>> summarize_log(const Reopen& open);

}  // namespace ethos::sarif
