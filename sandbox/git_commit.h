// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "sandbox/git_revision.h"
#include "sandbox/git_store.h"

namespace ethos::sandbox {

struct GitCommit {
  std::string name;  // the full hash
  std::string bytes;
};

// Is the beginning of a hash taken for the one commit or tag that has it? Whoever may add objects
// to a repository can make one for a short beginning, so not where a commit is trusted.
enum class Abbreviations { refused, taken };

// What gitrevisions(7) says of: a full hash, HEAD or @, a branch, a tag, the beginning of a hash (4
// digits at least), each followed by any of ~ ~N ^ ^N ^0 ^{commit} ^{}. Errc::not_found, malformed,
// too_large (more than 10,000 steps), unsupported (other forms).
[[nodiscard]] base::Result<GitCommit> find_git_commit(const GitDirectories& git,
                                                      const GitStore& store,
                                                      const std::string& revision,
                                                      Abbreviations abbreviations);

// The value of the `which`th "key value" line, from 1, before the message of a commit or tag.
[[nodiscard]] std::optional<std::string> git_header_line(std::string_view bytes,
                                                         std::string_view key,
                                                         std::size_t which = 1);

}  // namespace ethos::sandbox
