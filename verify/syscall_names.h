// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace ethos::verify {

// Name of the x86-64 system call of that number up to Linux 6.18; empty where there is none.
std::string_view syscall_name(std::uint32_t nr);
// Beyond the table: a later kernel may have a call there.
bool may_be_newer(std::uint32_t nr);

}  // namespace ethos::verify
