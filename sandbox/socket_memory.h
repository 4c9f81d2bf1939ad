// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "sandbox/plan.h"

namespace ethos::sandbox {

// Bytes: what was measured, and what may be there besides.
struct SocketUse {
  std::uint64_t known = 0;
  std::uint64_t possible = 0;
};

// What a cage's sockets cost in kernel memory, which no process limit counts: their structures, and
// what lies in their buffers, local ones and, with loopback, TCP and UDP. While all of them
// together could not hold more than an eighth of the memory limit, they are only counted; beyond
// that each is asked, for a bounded time. One that no process holds, as it travels in a message,
// and one that there was no time for, is taken for full, but never for more than the whole host
// uses.
class SocketMemory {
 public:
  // `root` is the cage's first process.
  [[nodiscard]] SocketUse measure(pid_t root, Network network, std::uint64_t limit);

 private:
  std::uint64_t most_of_one_ = 0;  // what one socket may have under way; 0: not asked yet
};

}  // namespace ethos::sandbox
