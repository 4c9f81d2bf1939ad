// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ledger/base/result.h"
#include "sarif/log/baseline.h"
#include "sarif/model.h"

namespace ethos::sarif {

// What a list of findings says of one of them.
struct ListedResult {
  std::string tool;
  std::string rule;
  Level level = Level::warning;  // the one in effect, 3.27.10
  std::string path;              // of the first location, escapes undone; empty without one
  std::int64_t line = 0;         // from 1; 0 when it is not said
  std::int64_t column = 0;
  std::int64_t end_line = 0;
  std::string message;
  std::string state;  // baselineState
  std::string key;    // the most lasting of its fingerprints, empty without one
  bool is_suppressed = false;
};

// Gives each result of a log, in the order of the file, which is read twice. Constant memory but
// for the rules.
base::Result<void> list_results(const Reopen& open,
                                const std::function<void(const ListedResult&)>& visit);

}  // namespace ethos::sarif
