// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/look_budget.h"

namespace ethos::sandbox {

class MappingMemory;

// Processes below `root`, itself included, by /proc/<pid>/task/*/children: works without a cgroup,
// since orphans of a pid namespace become children of its init. A tree that changes meanwhile may
// be seen incompletely; at most 65,536 are listed.
[[nodiscard]] std::vector<pid_t> list_processes(pid_t root);

// Those of them that have memory, with a thread that tells of it: the first thread of a process may
// have ended while others go on, and /proc/<pid> says nothing of the memory then.
struct LiveProcess {
  pid_t pid = 0;
  std::string thread;
  std::uint64_t address_space_bytes = 0;
};
[[nodiscard]] std::vector<LiveProcess> list_live_processes(pid_t root);

// The same as list_processes, counted in threads.
[[nodiscard]] std::uint64_t count_threads(pid_t root);

struct MemoryUse {
  std::uint64_t largest_data = 0;  // bytes, biggest VmData of one process
  // Bytes, RssAnon + RssShmem + VmPTE of all: shared pages count repeatedly.
  std::uint64_t most = 0;
  std::uint64_t most_shared = 0;  // of that, RssShmem
  // What their mappings may cost at most, by MappingMemory::most_of.
  std::uint64_t most_mappings = 0;
  std::uint64_t tasks = 0;  // threads of all
};
[[nodiscard]] MemoryUse measure_memory(pid_t root, const MappingMemory& mappings);

// The same with every page counted once, by smaps_rollup: Pss_Anon + Pss_Shmem + VmPTE of all,
// with `shared` in place of the sum of Pss_Shmem where it is more.
// Slow, as the kernel walks the page tables for it (20 ms a GiB). Processes that there was no time
// for (`budget`) count as if they shared nothing.
inline constexpr LookBudget kExactLook(1'000'000'000, 3'000'000'000);
[[nodiscard]] std::uint64_t measure_memory_once(pid_t root, std::uint64_t shared,
                                                LookBudget budget = kExactLook);

// CPU time of all of them and of the children they waited for.
struct CpuTime {
  std::uint64_t user_ms = 0;
  std::uint64_t system_ms = 0;
};
[[nodiscard]] CpuTime measure_cpu(pid_t root);

// The same, and the most memory that one of them has held at once. For the moment before all of
// them are killed, which nobody waits for: what there is no time for is left out.
struct TreeUse {
  CpuTime cpu;
  std::uint64_t max_rss_kib = 0;
};
[[nodiscard]] TreeUse measure_use(pid_t root);

}  // namespace ethos::sandbox
