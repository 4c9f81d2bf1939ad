// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "verify/json.h"

namespace ethos::verify {

// What the values of a normal form say of each other, past its shape (plan.md N-2 to N-12, N-17):
// "" when in order, else what no declaration and no options give. `normal` must have the shape of
// N-*.
std::string check_normal_rules(const Value& normal);

// N-3: the path in `read`, `write` or `exec` that names a place of the workspace by its absolute
// name; "" when there is none.
std::string absolute_in_workspace(const Value& normal, const std::string& workspace);
// Without the workspace's name: is there an absolute path that may be such a one? No workspace lies
// in the base runtime.
bool may_name_workspace(const Value& normal);

}  // namespace ethos::verify
