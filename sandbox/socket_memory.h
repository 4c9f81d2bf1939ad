// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace ethos::sandbox {

// What lies in the buffers of a cage's local sockets: kernel memory that no process limit counts.
// While all sockets of the cage together could not hold more than an eighth of the memory limit,
// they are only counted; beyond that each is asked. A socket that no process holds open any more,
// as it travels in a message, is taken for full.
class SocketMemory {
 public:
  // Bytes; 0 below that eighth of `limit`. `root` is the cage's first process.
  [[nodiscard]] std::uint64_t measure(pid_t root, std::uint64_t limit);

 private:
  std::uint64_t most_of_one_ = 0;  // what one socket may have under way; 0: not asked yet
};

}  // namespace ethos::sandbox
