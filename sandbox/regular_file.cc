// SPDX-License-Identifier: Apache-2.0
#include "sandbox/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "ledger/base/file_io.h"

namespace ethos::sandbox {

base::Result<std::string> read_regular_file(const std::string& path, std::size_t max_bytes) {
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat found {};
  if (!fd.is_open() || ::fstat(fd.get(), &found) != 0) return base::fail_errno(path, errno);
  if (!S_ISREG(found.st_mode)) return base::fail(base::Errc::refused, path + " is no regular file");
  return base::read_fd(fd, max_bytes, path);
}

}  // namespace ethos::sandbox
