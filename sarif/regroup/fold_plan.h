// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/log/index.h"
#include "sarif/regroup/fold.h"
#include "sarif/regroup/log_map.h"
#include "sarif/validate/item_digest.h"

namespace ethos::sarif {

// A log that takes part in folding.
struct FoldInput {
  int fd = -1;
  LogMap map;
  std::vector<RunIndex> runs;
};

// One of its runs.
struct FoldRun {
  std::size_t input = 0;
  std::size_t run = 0;
  friend bool operator==(const FoldRun&, const FoldRun&) = default;
};

// The runs that become one, in order; often one alone.
using FoldGroup = std::vector<FoldRun>;

struct FoldPlan {
  std::vector<FoldGroup> groups;  // in the order of their first runs
  std::vector<std::string> apart;
};

// The name of the property that folding writes.
inline constexpr std::string_view kFoldedProperty = "ethos/folded";

base::Result<FoldPlan> plan_folding(const std::vector<FoldInput>& inputs, FoldBy by,
                                    const validation::ItemHasher& hasher);

// What kind of member of a run it is, for folding.
enum class FoldMember {
  once,   // must be equal in all
  tool,   // equal but for rules and notifications
  table,  // an array that is put together
  results,
  automation,  // that of the first run is left
  names,       // an object that is united: bases, properties
  list,        // an array that is united
  taxonomies,  // united by component where no number points into them, else must be equal
};
[[nodiscard]] FoldMember fold_member(std::string_view key);

}  // namespace ethos::sarif
