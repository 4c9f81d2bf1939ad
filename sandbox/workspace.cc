// SPDX-License-Identifier: Apache-2.0
#include "sandbox/workspace.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "ledger/base/paths.h"
#include "sandbox/file_rights.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;

int open_at(int directory, const char* path, int flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<std::uint32_t>(flags) | O_CLOEXEC;
  how.resolve = resolve;
  while (true) {
    const long fd = ::syscall(SYS_openat2, directory, path, &how, sizeof how);
    if (fd >= 0) return static_cast<int>(fd);
    // RESOLVE_BENEATH answers EAGAIN when somebody renames at the same time.
    if (errno != EINTR && errno != EAGAIN) return -errno;
  }
}

// What the cage makes itself, so that nothing of the host's can stand there.
bool is_reserved(const std::string& path) {
  static constexpr auto kTrees =
      std::to_array<std::string_view>({"/dev", "/proc", "/sys", "/run", "/boot"});
  return path == "/" || path == "/tmp" || std::ranges::any_of(kTrees, [&](std::string_view tree) {
           return is_at_or_below(path, tree);
         });
}

// Above the current directory only a repository of the caller's, root's or the directory's own
// owner counts: whoever may write into /var/tmp or a shared folder must not choose what a run works
// on.
std::string find_repository_top(const std::string& cwd) {
  struct stat here {};
  if (::lstat(cwd.c_str(), &here) != 0) return cwd;
  const auto is_ours = [&](const struct stat& st) {
    return st.st_uid == 0 || st.st_uid == file_uid() || st.st_uid == here.st_uid;
  };
  for (std::string at = cwd; at != "/"; at = base::split_path(at).parent) {
    struct stat git {};
    struct stat top {};
    // Only a name is looked for: nothing of the repository's content is believed.
    if (::lstat((at + "/.git").c_str(), &git) == 0 && ::lstat(at.c_str(), &top) == 0 &&
        is_ours(git) && is_ours(top))
      return at;
  }
  return cwd;
}

}  // namespace

bool is_base_runtime(std::string_view path) {
  static constexpr auto kTrees = std::to_array<std::string_view>({"/usr", "/bin", "/sbin", "/etc"});
  return path.starts_with("/lib") || std::ranges::any_of(kTrees, [&](std::string_view tree) {
           return is_at_or_below(path, tree);
         });
}

Result<std::string> real_path(const std::string& path) {
  const auto resolve = [](const std::string& p) -> std::optional<std::string> {
    const std::unique_ptr<char, decltype(&std::free)> text(::realpath(p.c_str(), nullptr),
                                                           &std::free);
    return text ? std::optional<std::string>(text.get()) : std::nullopt;
  };
  if (auto whole = resolve(path)) return *whole;
  const int error = errno;
  const auto [parent, name] = base::split_path(path);
  if (error != ENOENT || name.empty() || name == "." || name == "..")
    return base::fail_errno(path, error);
  auto above = resolve(parent);
  if (!above) return base::fail_errno(parent, errno);
  return (*above == "/" ? "" : *above) + "/" + name;
}

Result<std::string> current_directory() {
  std::array<char, 4096> buffer{};
  if (::getcwd(buffer.data(), buffer.size()) == nullptr)
    return base::fail_errno("current directory", errno);
  // "(unreachable)/..." is what getcwd says of a place outside the root.
  if (buffer[0] != '/') return base::fail(Errc::refused, "the current directory cannot be reached");
  return std::string(buffer.data());
}

Result<Workspace> open_workspace(const std::optional<std::string>& named, const std::string& cwd) {
  auto path = real_path(named ? *named : find_repository_top(cwd));
  if (!path) return base::Unexpected(std::move(path).error().with_context("workspace"));
  if (is_base_runtime(*path) || is_reserved(*path))
    return base::fail(
        Errc::refused,
        "workspace " + *path + ": it is a part of what every cage shows; work on a copy elsewhere");
  const int fd = open_at(AT_FDCWD, path->c_str(), O_PATH | O_DIRECTORY,
                         RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (fd < 0) return base::fail_errno("workspace " + *path, -fd);
  Workspace out;
  out.fd.reset(fd);
  out.path = std::move(*path);
  struct stat st {};
  if (::fstat(fd, &st) != 0) return base::fail_errno("workspace " + out.path, errno);
  out.device = st.st_dev;
  out.inode = st.st_ino;
  out.uid = st.st_uid;
  out.gid = st.st_gid;
  return out;
}

int open_granted(const Workspace& workspace, const std::string& path, int flags) {
  constexpr std::uint64_t kNoLinks = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  if (path.starts_with('/')) return open_at(AT_FDCWD, path.c_str(), flags, kNoLinks);
  return open_at(workspace.fd.get(), path.c_str(), flags, kNoLinks | RESOLVE_BENEATH);
}

std::optional<std::string> relative_to(const Workspace& workspace, const std::string& absolute) {
  const auto path = normalise_path(absolute, workspace.path);
  if (!path || path->starts_with('/')) return std::nullopt;
  return path;
}

}  // namespace ethos::sandbox
