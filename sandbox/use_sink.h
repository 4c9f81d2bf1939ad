// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

// What a tool used of what it was granted: told beside the evidence, never part of it, and only
// where a caller asks for it (`ethos-run learn`).
namespace ethos::sandbox {

// As the supervisor judged the call before the kernel carried it out, so that the kernel may still
// have said no.
enum class Use : std::uint32_t {
  read = 1U << 0U,            // a file opened for reading
  list = 1U << 1U,            // a directory opened, as for listing it
  absent = 1U << 2U,          // looked for by opening it, and not there
  change = 1U << 3U,          // something that is there: content, mode, times
  make = 1U << 4U,            // a new name, also one that replaces another
  make_directory = 1U << 5U,  // the same of a directory
  remove = 1U << 6U,          // a name that goes: removed, or renamed to another
  execute = 1U << 7U,         // the file that starts, links followed
  loopback = 1U << 8U,        // a socket of the cage's own network; no path
};

class UseSink {
 public:
  UseSink() = default;
  virtual ~UseSink() = default;
  // `path`: absolute and plain. On the thread of run_cage, while the call waits.
  virtual void on_use(Use use, const std::string& path) = 0;

 protected:  // copied as a part of something else only
  UseSink(const UseSink&) = default;
  UseSink(UseSink&&) = default;
  UseSink& operator=(const UseSink&) = default;
  UseSink& operator=(UseSink&&) = default;
};

}  // namespace ethos::sandbox
