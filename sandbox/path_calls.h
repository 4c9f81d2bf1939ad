// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace ethos::sandbox {

// What a call does with the last name of a path.
enum class LastName {
  follow,  // acts on what a link there leads to, unless a flag says otherwise
  keep,    // acts on the link itself, unless a flag says otherwise
  make,    // must not be there yet (EEXIST before anything else)
  place,   // a place in a directory: removed, renamed or replaced
};

// Where a path-changing call keeps its paths.
struct PathArg {
  int dir = -1;  // index of the descriptor argument, -1: relative to the working directory
  int path = 0;  // index of the pointer argument, -1: what the descriptor itself is
  LastName last = LastName::follow;
};

struct PathCall {
  int count = 0;
  std::array<PathArg, 2> paths{};
  int flags_arg = -1;       // AT_SYMLINK_NOFOLLOW, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH: of the first
  int chmod_arg = -1;       // mode that an existing file gets
  int mknod_arg = -1;       // type and mode of a new node
  bool null_is_fd = false;  // a null path means the descriptor itself
};

// The name of the path with this index goes away: unlink, rmdir, and what rename moves.
[[nodiscard]] bool removes_name(std::int32_t nr, int index);

// Layout of an x86_64 call of class path_change; count 0 for any other.
[[nodiscard]] PathCall path_call(std::int32_t nr);

}  // namespace ethos::sandbox
