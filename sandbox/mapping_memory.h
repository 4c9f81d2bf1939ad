// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>

namespace ethos::sandbox {

// What the kernel keeps for the mappings of a cage's processes, each of which costs it a node
// whether it holds a page or not. A mapping is a page long at least, and a process has at most
// vm.max_map_count of them: while that bound is below an eighth of the memory limit nothing is
// counted. Beyond it mappings are counted, for some milliseconds a look: of more processes than fit
// into one look those that were counted before keep their figure.
class MappingMemory {
 public:
  MappingMemory();
  // Bytes; 0 while `most`, the sum of most_of, says that it cannot matter.
  [[nodiscard]] std::uint64_t measure(pid_t root, std::uint64_t limit, std::uint64_t most);

  // The most that a process of so many bytes of address space may cost.
  [[nodiscard]] std::uint64_t most_of(std::uint64_t address_space_bytes) const;

 private:
  std::uint64_t max_mappings_;
  std::map<pid_t, std::uint64_t> counted_;  // bytes of each process
  pid_t next_ = 0;                          // whose turn it is
};

}  // namespace ethos::sandbox
