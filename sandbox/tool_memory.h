// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ethos::sandbox {

// Reads from a tool's address space (process_vm_readv). Whatever comes back can change a moment
// later: it is evidence of mark A, and no decision to let something through may rest on it.
enum class MemoryRead { ok, fault, gone, forbidden, too_long };

// A NUL-terminated string of at most 4095 bytes.
[[nodiscard]] MemoryRead read_string(pid_t pid, std::uint64_t address, std::string& out);

// Exactly out.size() bytes.
[[nodiscard]] MemoryRead read_bytes(pid_t pid, std::uint64_t address, std::span<std::byte> out);

}  // namespace ethos::sandbox
