// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "ledger/base/unique_fd.h"

// Where a path of a tool leads: the walk that the kernel will make (path_resolution(7)), made
// beforehand by the supervisor on the cage's own mounts, component by component. Everything found
// can change a moment later, so it is evidence of mark A.
namespace ethos::sandbox {

// One path argument of one call.
struct PathQuery {
  std::int32_t dir_fd = 0;    // AT_FDCWD or a descriptor of the tool
  std::string_view text;      // as the tool wrote it; empty: what `dir_fd` itself is
  bool follows_last = true;   // a link under the last name is followed
  bool is_last_kept = false;  // the last name is made or removed: not followed even before a '/'
  std::uint64_t resolve = 0;  // RESOLVE_* of openat2(2)
  bool is_missing = false;    // known to lead over no link, and to nothing
};

enum class Reach {
  object,    // something is there
  vacant,    // nothing has the last name; its directory is there
  broken,    // something on the way is not there, is no directory or cannot be entered
  nameless,  // a descriptor's object that lies in no tree: pipe, socket, memory
  fault,     // the kernel ends the call by itself, whatever is granted: ELOOP, EXDEV, EBADF, ...
  too_deep,  // its path is too long to be told
};

struct Place {
  Reach reach = Reach::fault;
  std::string path;            // absolute and plain: of the object, or where it would be
  std::string break_at;        // broken: the path of the component that failed
  bool is_closed = false;      // broken: the supervisor itself may not pass there
  bool is_barred = false;      // broken: a link of the cage's first process, which no tool follows
  bool has_name = true;        // false: the last component is ".", ".." or the root
  bool by_descriptor = false;  // led through a link of /proc that is no text: fd, cwd, root, exe
  // Of the object:
  base::UniqueFd object;  // O_PATH
  mode_t mode = 0;
  std::uint32_t uid = 0;  // as the supervisor sees it through the cage's mounts
  std::uint32_t gid = 0;
};

class PathWalker {
 public:
  // Without masked directories no look is needed at what a ".." leads out of.
  explicit PathWalker(bool has_shut_directories = true)
      : has_shut_directories_(has_shut_directories) {}

  // Walks as thread `tid` would. Opens nothing but O_PATH descriptors, so that neither a pipe nor a
  // device notices it.
  [[nodiscard]] Place walk(pid_t tid, const PathQuery& query);

  // The cage's root, which no call lets a tool change; opened once. -1: the thread is gone.
  int root_of(pid_t tid);

 private:
  bool has_shut_directories_;
  base::UniqueFd root_;
};

}  // namespace ethos::sandbox
