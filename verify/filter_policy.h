// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verify/bpf.h"

namespace ethos::verify {

// enforced.md S-3: asks of every call that a program must stop whether some values of its arguments
// get it through. `name` is the program's (plan.md S-1). "" when it stops them all; else the first
// that it may let through, in words.
std::string check_filter(const BpfProgram& program, std::string_view name);

// Of calls (by x86-64 number) that a program is said to have told the supervisor of: the first that it
// never tells of, whatever the arguments; -1 when there is none, or the program is too tangled.
std::int64_t first_untold(const BpfProgram& program, const std::vector<std::uint32_t>& calls);

}  // namespace ethos::verify
