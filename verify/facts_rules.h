// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "verify/json.h"

namespace ethos::verify {

// What the values of facts say of each other and of normal (plan.md F-2 to F-9), past their shape:
// "" when in order, else what no look at a host can give. Both must have the shape of N-* and F-*.
std::string check_facts_rules(const Value& facts, const Value& normal);

// Whether facts in order leave open if the workspace's .git was hidden: programs of before passed over
// a directory that their caller might enter and not list (F-5), so that nothing in it was found.
bool is_git_in_doubt(const Value& facts, const Value& normal);

}  // namespace ethos::verify
