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

// A path argument made absolute and plain as the tool sees it: relative ones by the link of its
// working directory or of descriptor `dir_fd` under /proc. Empty strings name the descriptor.
[[nodiscard]] MemoryRead read_path(pid_t pid, std::int32_t dir_fd, std::uint64_t address,
                                   std::string& out);

// Where the links of the cage really lead: the path that the kernel finds when it resolves `path`
// inside the root of `pid`, last component included when it exists. `path` itself when it cannot
// be told.
[[nodiscard]] std::string resolve_inside(pid_t pid, const std::string& path);

}  // namespace ethos::sandbox
