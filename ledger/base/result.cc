// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/result.h"

#include <cerrno>
#include <system_error>

namespace ethos::base {

std::string Error::message() const {
  if (sys == 0) return what;
  // generic_category and not strerror: the latter is not thread-safe.
  return what + ": " + std::generic_category().message(sys);
}

Unexpected fail_errno(std::string what, int sys) {
  Errc code = Errc::io;
  switch (sys) {
    case ENOENT:
    case ENOTDIR:
      code = Errc::not_found;
      break;
    case EEXIST:
      code = Errc::exists;
      break;
    case ENOSPC:
    case EDQUOT:
      code = Errc::no_space;
      break;
    case EACCES:
    case EPERM:
    case ELOOP:
    case EXDEV:
      code = Errc::refused;
      break;
    case EWOULDBLOCK:
      code = Errc::busy;
      break;
    default:
      break;
  }
  return Unexpected(Error{code, std::move(what), sys});
}

}  // namespace ethos::base
