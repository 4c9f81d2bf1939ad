// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"

// The directory a run works on, held open so that everything below it is reached through it.
namespace ethos::sandbox {

struct Workspace {
  std::string path;   // absolute, without a symbolic link in it
  base::UniqueFd fd;  // O_PATH
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};

// The one that was named, else the nearest parent of `cwd` (or itself) that has a `.git` of the caller's, root's or `cwd`'s owner, else
// `cwd`. Errc::refused for "/" and for a place inside the base runtime: there nothing could be kept
// out.
[[nodiscard]] base::Result<Workspace> open_workspace(const std::optional<std::string>& named,
                                                     const std::string& cwd);

// A place that the base runtime shows to every tool: /usr and the like.
[[nodiscard]] bool is_base_runtime(std::string_view path);

// openat2 of a path in normal form: relative ones beneath the workspace, absolute ones from "/"; no
// symbolic link and no magic link at any component. Returns the descriptor or a negative errno.
[[nodiscard]] int open_granted(const Workspace& workspace, const std::string& path, int flags);

// The text of a path relative to the workspace when it is the workspace or lies below it.
[[nodiscard]] std::optional<std::string> relative_to(const Workspace& workspace,
                                                     const std::string& absolute);

// realpath(3) with Result; for a path that does not exist, its parent's with the name behind it.
[[nodiscard]] base::Result<std::string> real_path(const std::string& path);
[[nodiscard]] base::Result<std::string> current_directory();

}  // namespace ethos::sandbox
