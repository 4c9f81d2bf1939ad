// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "ledger/base/result.h"
#include "sandbox/git_commit.h"
#include "sandbox/workspace.h"

// Reads one file of one commit from a repository without starting git (gitformat-pack(5)). Every
// object's bytes are hashed and compared with its name, so that a hostile repository can only
// withhold, not forge, what a full commit hash stands for.
namespace ethos::sandbox {

struct GitFile {
  std::string bytes;
  std::string commit;  // the full hash it was read from
};

// `revision` as of find_git_commit. `path` is relative and plain. Errc::not_found,
// malformed (wrong hash, broken object), too_large (an object over 16 MiB, or a file over `most`),
// unsupported (a kind of reference or object this reader does not know).
[[nodiscard]] base::Result<GitFile> read_git_file(const Workspace& workspace,
                                                  const std::string& revision,
                                                  const std::string& path, std::size_t most,
                                                  Abbreviations abbreviations);

}  // namespace ethos::sandbox
