// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace ethos::sandbox {

// Bytes of memory that a cage's processes share without a file (MAP_SHARED with MAP_ANONYMOUS, SysV
// segments in use), pages that no page table shows included: a page stays after MADV_DONTNEED, and
// after munmap while any byte of the mapping is left. Each such memory once, by the blocks of the
// kernel's own file for it, which needs CAP_CHECKPOINT_RESTORE on the host (root has it); without
// it, as much as is mapped of it. Slow: reads /proc/<pid>/maps of all.
[[nodiscard]] std::uint64_t measure_shared_memory(pid_t root);

// What the whole machine holds as shared memory, tmpfs included: an upper bound, at the cost of one
// call. The largest number when it cannot be told.
[[nodiscard]] std::uint64_t shared_memory_of_host();

}  // namespace ethos::sandbox
