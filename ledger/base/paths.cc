// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/paths.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

namespace ethos::base {
namespace {

Result<UniqueFd> openat2_retry(int root, const std::string& path, int flags, mode_t mode,
                               std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags | O_CLOEXEC));
  how.mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? mode : 0;
  how.resolve = resolve;
  // EAGAIN: the kernel could not prove that a racing rename stayed inside; a few tries are enough.
  for (int tries = 0; tries < 32; ++tries) {
    const long fd = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    if (errno != EINTR && errno != EAGAIN) break;
  }
  return fail_errno(path, errno);
}

}  // namespace

Result<UniqueFd> open_beneath(const UniqueFd& root, const std::string& path, int flags,
                              mode_t mode) {
  if (path.find('\0') != std::string::npos) return fail(Errc::malformed, "path with a NUL byte");
  return openat2_retry(root.get(), path, flags, mode,
                       RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

Result<UniqueFd> open_no_symlinks(const std::string& path, int flags, mode_t mode) {
  if (path.find('\0') != std::string::npos) return fail(Errc::malformed, "path with a NUL byte");
  return openat2_retry(AT_FDCWD, path, flags, mode, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

Result<UniqueFd> open_path(const std::string& path, int flags, mode_t mode) {
  if (path.find('\0') != std::string::npos) return fail(Errc::malformed, "path with a NUL byte");
  for (;;) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (fd >= 0) return UniqueFd(fd);
    if (errno != EINTR) return fail_errno(path, errno);
  }
}

Result<UniqueFd> require_regular(UniqueFd fd, const std::string& name) {
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return fail_errno(name, errno);
  if (!S_ISREG(st.st_mode)) return fail(Errc::refused, name + ": is not a regular file");
  return fd;
}

Result<UniqueFd> open_regular(const std::string& path, int flags, mode_t mode) {
  auto fd = open_path(path, flags | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, mode);
  if (fd) return require_regular(std::move(*fd), path);
  // A fifo without a reader (ENXIO) and a link (ELOOP) are no regular files either.
  if (fd.error().sys == ENXIO || fd.error().sys == ELOOP)
    return fail(Errc::refused, path + ": is not a regular file");
  return fd;
}

SplitPath split_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {".", std::string(path)};
  const std::string_view parent = slash == 0 ? "/" : path.substr(0, slash);
  return {std::string(parent), std::string(path.substr(slash + 1))};
}

Result<std::string> absolute_path(std::string_view path) {
  std::string whole;
  if (path.empty() || path.front() != '/') {
    std::array<char, PATH_MAX> cwd{};
    if (::getcwd(cwd.data(), cwd.size()) == nullptr) return fail_errno("current directory", errno);
    whole = std::string(cwd.data()) + "/";
  }
  whole += path;
  std::string out;
  std::size_t at = 0;
  while (at < whole.size()) {
    const std::size_t end = std::min(whole.find('/', at), whole.size());
    const std::string_view part = std::string_view(whole).substr(at, end - at);
    if (!part.empty() && part != ".") out.append("/").append(part);
    at = end + 1;
  }
  return out.empty() ? std::string("/") : out;
}

Result<void> make_directories(const std::string& path, mode_t mode) {
  for (std::size_t at = 1; at <= path.size(); ++at) {
    if (at < path.size() && path[at] != '/') continue;
    const std::string prefix = path.substr(0, at);
    if (::mkdir(prefix.c_str(), mode) != 0 && errno != EEXIST) {
      const int sys = errno;
      // An ancestor we may not write to can exist all the same (EROFS, EACCES): ask.
      struct stat st {};
      if (::stat(prefix.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) return fail_errno(prefix, sys);
    }
  }
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return fail_errno(path, errno);
  if (!S_ISDIR(st.st_mode)) return fail(Errc::refused, path + ": not a directory");
  return {};
}

}  // namespace ethos::base
