// SPDX-License-Identifier: Apache-2.0
#include "ledger/service/cage_runner.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/file_io.h"
#include "ledger/dead_cgroup.h"
#include "ledger/run_lock.h"

namespace ethos::ledger::service {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using base::UniqueFd;

constexpr int kSpare = 16;  // above every number that is given out

Result<void> check_stream(const UniqueFd& fd, bool is_input) {
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return base::fail_errno("a stream", errno);
  const bool is_null = S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
  if (!is_null && !S_ISFIFO(st.st_mode))
    return fail(Errc::refused, "the streams of a run are pipes or /dev/null");
  const int flags = ::fcntl(fd.get(), F_GETFL);
  const bool is_usable =
      (flags & O_PATH) == 0 && (flags & O_ACCMODE) != (is_input ? O_WRONLY : O_RDONLY);
  return is_usable ? Result<void>() : fail(Errc::refused, "a stream is not open for what it is");
}

Result<void> check_descriptors(const std::vector<UniqueFd>& fds) {
  if (fds.size() != kBuildDescriptors)
    return fail(Errc::malformed, "a run needs its three streams and its directory");
  for (std::size_t i = 0; i < 3; ++i)
    if (auto ok = check_stream(fds[i], i == 0); !ok) return ok;
  struct stat st {};
  if (::fstat(fds[3].get(), &st) != 0 || !S_ISDIR(st.st_mode))
    return fail(Errc::refused, "the current directory is no directory");
  return {};
}

// What the runner's own libraries may hear of the caller's environment: where his files are. All
// else is data that the runner hands on to the tool where a declaration asks for it.
std::vector<std::string> runner_environment(const CallerOrder& order) {
  std::vector<std::string> out{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
  for (const std::string& variable : order.environment)
    for (const std::string_view name : {"HOME=/", "XDG_STATE_HOME=/"})
      if (variable.starts_with(name)) out.push_back(variable);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

Result<UniqueFd> order_file(const CallerOrder& order) {
  UniqueFd file(::memfd_create("ethos-order", MFD_CLOEXEC));
  if (!file.is_open()) return base::fail_errno("order of a runner", errno);
  if (auto ok = base::write_all(file, base::as_bytes(encode(order)), "order of a runner"); !ok)
    return Unexpected(std::move(ok).error());
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return base::fail_errno("order of a runner", errno);
  return file;
}

// In the child: nothing of the service's goes along but what is named, the key least of all.
[[noreturn]] void become_runner(const std::array<int, 6>& given, const char* program,
                                char* const* args, char* const* environment) {
  std::array<int, 6> spare{};
  for (std::size_t i = 0; i < given.size(); ++i) {
    spare[i] = ::fcntl(given[i], F_DUPFD_CLOEXEC, kSpare);
    if (spare[i] < 0) ::_exit(125);
  }
  for (std::size_t i = 0; i < spare.size(); ++i)
    if (::dup2(spare[i], static_cast<int>(i)) < 0) ::_exit(125);
  if (::syscall(SYS_close_range, static_cast<unsigned>(given.size()), ~0U, 0) != 0) ::_exit(125);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::setsid();
  ::umask(022);
  if (::chdir("/") == 0) ::execve(program, args, environment);
  ::_exit(125);
}

}  // namespace

Result<std::string> find_runner() {
  std::array<char, 4096> self{};
  const ssize_t n = ::readlink("/proc/self/exe", self.data(), self.size());
  if (n <= 0 || static_cast<std::size_t>(n) == self.size())
    return base::fail_errno("own executable", errno);
  std::string path(self.data(), static_cast<std::size_t>(n));
  path.replace(path.rfind('/') + 1, std::string::npos, "ethos-run");
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return base::fail_errno(path, errno);
  if (!S_ISREG(st.st_mode) || (st.st_mode & S_IXUSR) == 0 || st.st_uid != 0 ||
      (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(Errc::refused, path + ": is no program that root alone can change");
  return path;
}

Result<CageRunner> start_runner(const std::string& program, const CallerOrder& order,
                                const std::vector<UniqueFd>& descriptors) {
  if (auto ok = check_descriptors(descriptors); !ok) return Unexpected(std::move(ok).error());
  auto file = order_file(order);
  if (!file) return Unexpected(std::move(file).error());
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    return base::fail_errno("socket of a runner", errno);
  CageRunner out;
  out.socket = UniqueFd(pair[0]);
  const UniqueFd theirs(pair[1]);
  if (::fcntl(out.socket.get(), F_SETFL, O_NONBLOCK) != 0)
    return base::fail_errno("socket of a runner", errno);
  const std::array<int, 6> given{descriptors[0].get(), descriptors[1].get(), descriptors[2].get(),
                                 theirs.get(),         file->get(),          descriptors[3].get()};
  std::vector<std::string> args{"ethos-run", kRunnerWord};
  std::vector<std::string> environment = runner_environment(order);
  const std::vector<char*> arg_pointers = pointers(args);
  const std::vector<char*> environment_pointers = pointers(environment);
  out.pid = ::fork();
  if (out.pid < 0) return base::fail_errno("runner", errno);
  if (out.pid == 0)
    become_runner(given, program.c_str(), arg_pointers.data(), environment_pointers.data());
  out.pidfd = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, out.pid, 0)));
  out.order_bytes = encode(order).size();
  out.order = std::move(*file);
  if (out.pidfd.is_open()) return out;
  const int error = errno;
  ::kill(out.pid, SIGKILL);
  ::waitpid(out.pid, nullptr, 0);
  return base::fail_errno("runner", error);
}

void remove_left_groups(const UniqueFd& order, std::uint64_t order_bytes) {
  std::array<char, 8192> notes{};
  const ssize_t n =
      ::pread(order.get(), notes.data(), notes.size(), static_cast<off_t>(order_bytes));
  if (n <= 0) return;
  // As in a run's file, whose first line is a size.
  const std::string text = "0\n" + std::string(notes.data(), static_cast<std::size_t>(n));
  remove_dead_cgroups(order.get(), parse_run_file(text).cgroups);
}

}  // namespace ethos::ledger::service
