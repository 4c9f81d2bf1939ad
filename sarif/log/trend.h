// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/log/baseline.h"
#include "sarif/model.h"

namespace ethos::sarif {

// The figures of one log among several of one project. Suppressed and absent results do not count.
struct TrendPoint {
  std::string time;  // of its runs; empty when none says one
  std::size_t results = 0;
  std::array<std::size_t, 4> by_level{};  // by Level
  std::size_t suppressed = 0;
  std::map<std::string, std::size_t> by_rule;  // "tool: rule"
  // Against the point before: results that came, and that went (as baseline pairs them).
  std::optional<std::size_t> fresh;
  std::optional<std::size_t> gone;
};

// One point of `log`; `before` is the log of the point before, when there is one.
base::Result<TrendPoint> trend_point(const Reopen& log, const Reopen* before);

}  // namespace ethos::sarif
