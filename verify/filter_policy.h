// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "verify/bpf.h"

namespace ethos::verify {

// enforced.md S-3: asks of every call that a program must stop whether some values of its arguments
// get it through. `name` is the program's (plan.md S-1). "" when it stops them all; else the first
// that it may let through, in words.
std::string check_filter(const BpfProgram& program, std::string_view name);

}  // namespace ethos::verify
