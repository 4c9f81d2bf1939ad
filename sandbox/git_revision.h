// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "sandbox/workspace.h"

// Which commit a workspace stands at, read without starting git: a line of a hostile repository's
// configuration can run a command (gitrepository-layout(5)).
namespace ethos::sandbox {

struct GitRevision {
  std::string layout;  // "directory" or "file", what .git is
  std::optional<std::string>
      revision;  // 40 or 64 lower-case hex digits; absent on an unborn branch
};

// Empty without a repository. Anything that is not in the expected form counts as unknown: it never
// fails a run.
[[nodiscard]] std::optional<GitRevision> read_git_revision(const Workspace& workspace);

// The directories that hold HEAD and the shared refs and objects: two for a linked worktree.
struct GitDirectories {
  base::UniqueFd own;
  base::UniqueFd common;
};
[[nodiscard]] base::Result<GitDirectories> open_git_directories(const Workspace& workspace);

// Follows "HEAD", "refs/...", or a branch or tag name to a hash. Errc::not_found.
[[nodiscard]] base::Result<std::string> resolve_git_name(const GitDirectories& git,
                                                         const std::string& name);

}  // namespace ethos::sandbox
