// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "sarif/json/fragment.h"
#include "sarif/validate/keys.h"

namespace ethos::sarif {

// A member that a region cannot keep, and why.
struct LostMember {
  validation::Key key = validation::Key::none;
  std::string_view reason;
};

struct RegionPlan {
  std::vector<LostMember> lost;
  // Nothing is left that says where the region starts: it cannot stay a region.
  bool is_void = false;
};

// What of the numbers of a region can be meant: lines and columns count from 1 and fit into 31
// bits, and an end is not before its start. SARIF 2.1.0 section 3.30.
[[nodiscard]] RegionPlan plan_region(const JsonView& region);

// Whether a whole number written like this can be a line, column, offset or length of a file.
[[nodiscard]] bool is_plausible(const JsonView& number, std::int64_t least);

}  // namespace ethos::sarif
