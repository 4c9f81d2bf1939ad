// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/git_store.h"

namespace ethos::sandbox {

// One pack and its version 2 index.
class GitPack {
 public:
  // `id` are the raw bytes of an object's name. The offset in the pack, if the index has it.
  static std::optional<std::uint64_t> find(const base::UniqueFd& index, std::string_view id);

  // Names of the objects that begin with these lowercase digits (2 at least), `most` + 1 at most.
  static std::vector<std::string> find_by_beginning(const base::UniqueFd& index,
                                                    const std::string& digits, std::size_t most);

  // Follows deltas. `by_name` reads the base of a REF_DELTA. Errc::too_large beyond `work`.
  using ByName = std::function<base::Result<GitObject>(std::string_view id)>;
  static base::Result<GitObject> read(const base::UniqueFd& pack, std::uint64_t offset,
                                      std::size_t id_size, const ByName& by_name, GitWork& work);
};

// Inflates a zlib stream that starts at `offset` of `file` into exactly `size` bytes, or (with no
// size) into at most kMaxGitObject.
[[nodiscard]] base::Result<std::string> inflate_at(const base::UniqueFd& file, std::uint64_t offset,
                                                   std::optional<std::size_t> size, GitWork& work);

}  // namespace ethos::sandbox
