// SPDX-License-Identifier: Apache-2.0
#include "verify/standard_files.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iostream>
#include <ostream>
#include <system_error>

namespace ethos::verify {

bool prepare_standard_files() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (int fd = 0; fd < 3; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free number is this one: all below it are taken.
    if (open("/dev/null", O_RDONLY) != fd) return false;
  }
  return true;
}

namespace {

// The reader went away, or the caller closed the descriptor: nobody to whom anything is lost.
bool is_nobody_there() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLNVAL)) != 0) return true;
  return (fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

}  // namespace

int finish_output(const char* program, std::ostream& out, int status, int lost) {
  errno = 0;
  out.flush();
  const int error = errno;
  if (out.good()) return status;
  if (!is_nobody_there())
    std::cerr << program << ": standard output could not be written"
              << (error == 0 ? "" : ": " + std::generic_category().message(error)) << '\n';
  return lost;
}

}  // namespace ethos::verify
