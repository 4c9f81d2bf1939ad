// SPDX-License-Identifier: Apache-2.0
#include "sandbox/closed_directory.h"

#include <sys/stat.h>

#include <cerrno>
#include <string>

namespace ethos::sandbox {

bool is_out_of_reach(int error) {
  return error == EACCES || error == ENOENT || error == ENOTDIR || error == ELOOP;
}

base::Result<void> check_closed(int directory, std::string_view path, int error) {
  const std::string shown(path.substr(0, 300));
  // Another thing has the name by now; the walk goes on with what it reads.
  if (error == ENOENT || error == ENOTDIR || error == ELOOP) return {};
  if (error != EACCES) return base::fail_errno("read directory " + shown, error);
  struct stat st {};
  // The path walk asks for the right to search, for whomever this thread opens files.
  if (directory < 0 || fstatat(directory, "./.", &st, 0) != 0) return {};
  return base::fail(base::Errc::refused,
                    "the directory " + shown +
                        " may be entered and not listed, so nobody can tell what in it is to be "
                        "hidden; give it read permission, or grant less");
}

}  // namespace ethos::sandbox
