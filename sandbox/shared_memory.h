// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ledger/base/unique_fd.h"
#include "sandbox/look_budget.h"

namespace ethos::sandbox {

// Bytes of memory that a cage's processes share without a file (MAP_SHARED with MAP_ANONYMOUS, SysV
// segments in use), pages that no page table shows included: a page stays after MADV_DONTNEED, and
// after munmap while any byte of the mapping is left. Each such memory once, by the blocks of the
// kernel's own file for it, which needs CAP_CHECKPOINT_RESTORE on the host (root has it). Slow:
// reads /proc/<pid>/maps of all.
struct SharedUse {
  std::uint64_t known = 0;
  // Of what nobody tells: all of it up to the last byte that is mapped, and the whole address space
  // of a process that nobody may look into. Never more than the host holds.
  std::uint64_t possible = 0;
};
// `device` tells such memory in maps; where it is empty every shared mapping is taken for some.
// What there was no time for (`budget`) counts as what nobody tells.
inline constexpr LookBudget kSharedLook(200'000'000, 1'000'000'000);
[[nodiscard]] SharedUse measure_shared_memory(pid_t root, const std::string& device,
                                              LookBudget budget = kSharedLook);
// That of this machine, "00:01"; empty when it cannot be told.
[[nodiscard]] const std::string& shared_memory_device();

// What the whole machine holds as shared memory, tmpfs and what lies in swap included: an upper
// bound, at the cost of one call. The largest number when it cannot be told.
[[nodiscard]] std::uint64_t shared_memory_of_host();

// The same without the files in the host's own tmpfs mounts. A cage cannot write there but by
// grants of single files, which are files and no memory of its processes.
class HostFiles {
 public:
  // Finds the mounts that this process can reach; a few milliseconds where there are many.
  HostFiles();
  [[nodiscard]] std::uint64_t shared_memory_beside() const;

 private:
  [[nodiscard]] std::uint64_t bytes() const;
  std::vector<base::UniqueFd> mounts_;
};

}  // namespace ethos::sandbox
