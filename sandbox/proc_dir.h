// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/enforced.h"

namespace ethos::sandbox {

// One process's directory in the supervisor's own /proc, opened once; checked to be a real procfs,
// so that nothing mounted over /proc can speak for the kernel.
class ProcDir {
 public:
  static base::Result<ProcDir> open(pid_t pid);

  // Whole text of a file, at most 16 MiB.
  [[nodiscard]] base::Result<std::string> read(const char* name) const;
  // Inodes of the namespace links of these names ("mnt" -> 4026531841), in their order.
  [[nodiscard]] base::Result<std::vector<std::uint64_t>> namespace_inodes(
      std::span<const char* const> names) const;
  // The descriptors, with what they are; a close-on-exec memfd is `init`, any other close-on-exec
  // descriptor is left out.
  [[nodiscard]] base::Result<std::vector<FdEntry>> descriptors() const;

 private:
  explicit ProcDir(base::UniqueFd dir) : dir_(std::move(dir)) {}
  [[nodiscard]] base::Result<std::string> descriptor_kind(const std::string& number) const;

  base::UniqueFd dir_;
};

// Reads a file below an open directory, at most 16 MiB.
[[nodiscard]] base::Result<std::string> read_small_file(int dir, const char* name);

// The flags (O_*) of a thread's descriptor; none: it has no such one, or is gone.
[[nodiscard]] std::optional<unsigned> open_flags(pid_t tid, int fd);

}  // namespace ethos::sandbox
