// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"

namespace ethos::base {

// openat2 below `root`: no "..", absolute path or link leads out of it, no symbolic link and no
// magic link is followed at any component. `path` is relative. O_CLOEXEC is added to `flags`.
// Errc::refused when a link or a way out was met, Errc::not_found, Errc::io.
Result<UniqueFd> open_beneath(const UniqueFd& root, const std::string& path, int flags,
                              mode_t mode = 0);

// openat2 of an absolute or relative host path that refuses a symbolic link in every component
// (also the last): for outputs and keys whose parents somebody else may have made.
Result<UniqueFd> open_no_symlinks(const std::string& path, int flags, mode_t mode = 0);

// open(2) that follows links. O_CLOEXEC is added.
Result<UniqueFd> open_path(const std::string& path, int flags, mode_t mode = 0);

// A regular file under exactly this name: no link is followed, and a fifo, a socket or a device of
// that name is refused instead of waited for. Errc::refused.
Result<UniqueFd> open_regular(const std::string& path, int flags, mode_t mode = 0);
// The same of a file that is open already. It must have been opened with O_NONBLOCK.
Result<UniqueFd> require_regular(UniqueFd fd, const std::string& name);

// "a/b/c" -> {"a/b", "c"}; "c" -> {".", "c"}; "/c" -> {"/", "c"}. The name is empty for a path that
// ends in '/', and for "" and "/".
struct SplitPath {
  std::string parent;
  std::string name;
};
SplitPath split_path(std::string_view path);

// The path made absolute with the current directory, without touching links; "." and empty
// components are dropped, ".." is kept (a link may stand before it). Errc::io without a cwd.
Result<std::string> absolute_path(std::string_view path);

// mkdir -p with `mode` for each directory that is made; existing ones are left as they are.
Result<void> make_directories(const std::string& path, mode_t mode);

}  // namespace ethos::base
