// SPDX-License-Identifier: Apache-2.0
// The descriptors a launch needs before the clone: the tool's three streams, the channel to the
// set-up process, the sealed init.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "sandbox/file_rights.h"
#include "sandbox/init_image.h"
#include "sandbox/launch.h"

namespace ethos::sandbox {
namespace {

using base::UniqueFd;

// A new open file description for a file of our own, read-only.
UniqueFd reopen_for_reading(int fd) {
  const OwnRights own;
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  UniqueFd out(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!out.is_open()) return out;
  const int flags = fcntl(out.get(), F_GETFL);
  fcntl(out.get(), F_SETFL, flags & ~O_NONBLOCK);
  const off_t at = lseek(fd, 0, SEEK_CUR);
  if (at > 0) lseek(out.get(), at, SEEK_SET);
  return out;
}

// Larger files are carried through a pipe.
constexpr off_t kMaxInput = 256 << 20;

// A copy of a file of the caller, from where reading would go on; also of one without a name, which
// may be open elsewhere. Whoever holds a descriptor of a file and owns it may change its mode,
// times and attributes, however it was opened, and may open it again for writing; the copy is
// sealed. EFBIG above kMaxInput.
UniqueFd copy_for_reading(int fd, off_t size) {
  if (size > kMaxInput) {
    errno = EFBIG;
    return {};
  }
  const UniqueFd copy = with_own_rights(
      [] { return UniqueFd(memfd_create("ethos-input", MFD_CLOEXEC | MFD_ALLOW_SEALING)); });
  if (!copy.is_open()) return {};
  off_t at = std::max<off_t>(0, lseek(fd, 0, SEEK_CUR));
  for (off_t total = 0;;) {
    const ssize_t n = sendfile(copy.get(), fd, &at, 1 << 20);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return {};
    if (n == 0) break;
    total += n;
    if (total <= kMaxInput) continue;
    errno = EFBIG;  // it grows
    return {};
  }
  if (fcntl(copy.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    return {};
  lseek(copy.get(), 0, SEEK_SET);
  return reopen_for_reading(copy.get());
}

SetupDenial refused_input(int error, const char* cause) {
  return {std::string(step_name(Step::options)),
          error,
          "stdin",
          cause,
          "give it through a pipe: cat FILE | ethos-run ...",
          {}};
}

}  // namespace

// Pipes of our own for the output: the tool never holds a descriptor of the caller, whose flags it
// could change. Owned by the tool's uid, so that it may open /dev/stdout.
std::optional<Launch::Failure> Launch::open_streams() {
  // Reads what the caller gave, as he would.
  if (auto failed = open_stdin()) return failed;
  const OwnRights own;
  for (auto [read_end, write_end] :
       {std::pair{&out_read_, &out_write_}, std::pair{&err_read_, &err_write_}}) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return RunnerFailure{"pipe", errno};
    read_end->reset(ends[0]);
    write_end->reset(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (plan_.identity.is_mapped_by_root &&
        fchown(ends[1], plan_.identity.host_uid, plan_.identity.host_gid) != 0)
      return RunnerFailure{"fchown pipe", errno};
  }
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return RunnerFailure{"socketpair", errno};
  channel_.reset(pair[0]);
  child_channel_.reset(pair[1]);
  auto init = sealed_init();
  if (!init) return RunnerFailure{init.error().what, init.error().sys};
  // Clear of 0 to 2, which are replaced before it is executed.
  init_.reset(fcntl(init->get(), F_DUPFD_CLOEXEC, 10));
  if (!init_.is_open()) return RunnerFailure{"init", errno};
  if (!shared_.is_mapped()) return RunnerFailure{"shared memory", ENOMEM};
  return std::nullopt;
}

// A pipe of our own: what the tool makes of it by opening it again is seen by nobody but itself.
std::optional<Launch::Failure> Launch::open_input_pipe(off_t at) {
  const OwnRights own;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return RunnerFailure{"pipe", errno};
  stdin_.reset(ends[0]);
  input_write_.reset(ends[1]);
  input_at_ = at;
  fcntl(ends[1], F_SETFL, O_WRONLY | O_NONBLOCK);
  if (plan_.identity.is_mapped_by_root &&
      fchown(ends[0], plan_.identity.host_uid, plan_.identity.host_gid) != 0)
    return RunnerFailure{"fchown pipe", errno};
  return std::nullopt;
}

// No descriptor of the caller's goes into the cage, however harmless it looks: /proc/self/fd/0
// opens the object behind it anew, and an ordinary user's tool has the right to all that is his.
std::optional<Launch::Failure> Launch::open_stdin() {
  struct stat found {};
  const int fd = options_.stdin_fd;
  if (fd >= 0 && fstat(fd, &found) != 0) return denial(Step::options, errno, "stdin");
  const mode_t type = found.st_mode & S_IFMT;
  if (fd < 0 || (type == S_IFCHR && found.st_rdev == makedev(1, 3))) {
    stdin_.reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!stdin_.is_open()) return RunnerFailure{"/dev/null", errno};
    return std::nullopt;
  }
  if (type != S_IFREG && type != S_IFIFO)
    return denial(Step::options, EINVAL, "stdin is neither a file, a pipe nor /dev/null");
  if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
    return denial(Step::options, EINVAL, "stdin is open for writing");
  if (type == S_IFIFO) return open_input_pipe(-1);
  stdin_ = copy_for_reading(fd, found.st_size);
  if (stdin_.is_open()) return std::nullopt;
  if (errno == EFBIG) return open_input_pipe(std::max<off_t>(0, lseek(fd, 0, SEEK_CUR)));
  return refused_input(errno, "standard input could not be copied");
}

}  // namespace ethos::sandbox
