// SPDX-License-Identifier: Apache-2.0
#include "sandbox/output_files.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {

using base::Errc;
using base::Result;

namespace {

// A reader that went away is an error like a full disk: not the signal that ends the runner.
Result<void> write_standard_output(std::string_view bytes) {
  struct sigaction ignored {};
  struct sigaction before {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignored, &before);
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const ssize_t n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd watch{STDOUT_FILENO, POLLOUT, 0};
      if (::poll(&watch, 1, -1) < 0 && errno != EINTR) error = errno;
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  if (error != 0) return base::fail_errno("standard output", error);
  return {};
}

// Before the tool runs: a fault that is told after an hour's work has cost the hour. What comes up
// meanwhile is still met when the file is written.
Result<void> check_writable(const OutputFile& file) {
  struct stat found {};
  const bool is_there = ::lstat(file.path.c_str(), &found) == 0;
  if (is_there && S_ISDIR(found.st_mode))
    return base::fail(Errc::refused, file.path + ": is a directory");
  if (is_there && S_ISLNK(found.st_mode) && !file.is_in_workspace)
    static_cast<void>(::stat(file.path.c_str(), &found));
  // Written to as it is; everything else is replaced.
  const bool is_stream = is_there && (S_ISCHR(found.st_mode) || S_ISFIFO(found.st_mode));
  const std::string asked = is_stream ? file.path : base::split_path(file.path).parent;
  const int how = is_stream ? W_OK : W_OK | X_OK;
  if (::faccessat(AT_FDCWD, asked.c_str(), how, AT_EACCESS) != 0)
    return base::fail_errno(file.path, errno);
  return {};
}

}  // namespace

Result<OutputFile> check_output(const std::string& option, const std::string& path,
                                const Workspace& workspace, const Plan* plan,
                                const std::vector<std::string>& ledger_paths) {
  const auto refuse = [&](const char* why) {
    return base::fail(Errc::refused, option + " " + path + " " + why);
  };
  if (path == "-") return OutputFile{option, "", false};
  auto given = base::absolute_path(path);
  if (!given) return base::Unexpected(std::move(given).error());
  const auto split = base::split_path(*given);
  if (split.name.empty() || split.name == "." || split.name == "..")
    return refuse("is no file name");
  // The parent as it is now; a link planted in it later is met again when the file is written.
  auto parent = real_path(split.parent);
  if (!parent) return base::Unexpected(std::move(parent).error().with_context(option));
  OutputFile out{option, (*parent == "/" ? "" : *parent) + "/" + split.name, false};
  const auto as_given = normalise_path(*given);
  const auto inside = relative_to(workspace, out.path);
  out.is_in_workspace = inside.has_value();
  // A path that is in the workspace as it is written, but leads out of it, passed a link of the
  // workspace's.
  if (!inside && as_given && is_at_or_below(*as_given, workspace.path))
    return refuse("leads out of the workspace through a symbolic link");
  for (const std::string& l : ledger_paths)
    if (is_at_or_below(out.path, l)) return refuse("belongs to the ledger");
  if (inside && has_git_component(*inside)) return refuse("lies in .git");
  if (auto writable = check_writable(out); !writable)
    return base::Unexpected(std::move(writable).error().with_context(option));
  if (plan == nullptr) return out;
  for (const BasedPath& never : plan->never_write)
    if (inside && is_at_or_below(*inside, never.path)) return refuse("is a file of the policy");
  for (const Mount& mount : plan->mounts) {
    const bool is_granted = mount.kind == MountKind::staged ||
                            (mount.kind == MountKind::bind && !mount.read_only && mount.no_dev);
    if (is_granted && is_at_or_below(out.path, mount.at))
      return refuse("lies where the tool may write");
  }
  return out;
}

Result<void> write_output(const OutputFile& file, std::string_view bytes) {
  if (file.is_standard_output()) {
    auto done = write_standard_output(bytes);
    return done;
  }
  base::ReplaceOptions options;
  options.sync = base::Sync::none;
  options.parents = file.is_in_workspace ? base::Parents::no_symlinks : base::Parents::follow;
  return base::replace_file(file.path, base::as_bytes(bytes), options);
}

}  // namespace ethos::sandbox
