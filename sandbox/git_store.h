// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"

// Objects of a Git repository by their full name, loose or packed.
namespace ethos::sandbox {

struct GitObject {
  std::string type;  // commit, tree, blob, tag
  std::string bytes;
};

// What reading a store may still cost. Its packs are whoever wrote the repository's: some megabytes
// of deltas can stand for gigabytes.
class GitWork {
 public:
  // Bytes that are about to be inflated or put together. Errc::too_large beyond 1 GiB in all.
  [[nodiscard]] base::Result<void> take(std::uint64_t bytes);
  // Deltas that wait in memory for their base. Errc::too_large beyond 64 MiB.
  [[nodiscard]] base::Result<void> keep(std::uint64_t bytes);
  void let_go(std::uint64_t bytes) { kept_ -= bytes; }

 private:
  std::uint64_t taken_ = 0;
  std::uint64_t kept_ = 0;
};

class GitStore {
 public:
  // `objects` is the directory of that name; its alternates are opened too.
  static GitStore open(base::UniqueFd objects);
  // Errc::not_found, malformed, too_large. The bytes have the hash they are asked for by.
  [[nodiscard]] base::Result<GitObject> read(const std::string& name) const;
  // Names of all objects that begin with these lowercase digits (2 at least), sorted. They were not
  // read. Errc::too_large for more than 256.
  [[nodiscard]] base::Result<std::vector<std::string>> find_by_beginning(
      const std::string& digits) const;

 private:
  std::vector<base::UniqueFd> directories_;
  mutable GitWork work_;  // of all that is read from it
};

// Applies a delta of a pack (gitformat-pack(5), "Deltified representation") to its base.
[[nodiscard]] base::Result<std::string> apply_git_delta(std::string_view base,
                                                        std::string_view delta);

inline constexpr std::size_t kMaxGitObject = 16U << 20;

}  // namespace ethos::sandbox
