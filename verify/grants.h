// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "verify/json.h"

namespace ethos::verify {

// Why a run is refused (plan.md G-0).
struct Reason {
  std::string rule;
  std::string on;
};

struct GrantsResult {
  std::vector<Reason> reasons;  // empty: the run may start
  std::vector<Value> grants;    // in order; empty when refused
};

// grants = f(normal, facts): plan.md G-0 to G-10. Both must have the shape of N-* and F-* (see
// check_normal and check_facts).
GrantsResult compute_grants(const Value& normal, const Value& facts);

// Shape of the two documents; "" when in order, else what is wrong.
std::string check_normal(const Value& normal);
std::string check_facts(const Value& facts, const Value& normal);

}  // namespace ethos::verify
