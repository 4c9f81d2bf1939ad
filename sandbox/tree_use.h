// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <cstdint>

#include "sandbox/task_list.h"

namespace ethos::sandbox {

// What the kernel says of a dead pid 1 holds what it waited for; at the end of a pid namespace
// nobody is waited for. These raise it to what is known besides, never lower it.
void raise_use(struct rusage& usage, const TreeUse& alive);
void raise_cpu(struct rusage& usage, std::uint64_t user_us, std::uint64_t system_us);

}  // namespace ethos::sandbox
