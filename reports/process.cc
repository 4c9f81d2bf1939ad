// SPDX-License-Identifier: Apache-2.0
#include "reports/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>

extern char** environ;  // POSIX: unistd.h declares it for GNU programs only

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;
using base::UniqueFd;

constexpr std::size_t kMaxErrors = 4096;

struct Pipe {
  UniqueFd read, write;
};
base::Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return base::fail_errno("pipe", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// The caller may ignore SIGPIPE; a program started by it must not inherit that.
class Attributes {
 public:
  explicit Attributes(bool own_group) {
    posix_spawnattr_init(&attributes_);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    int flags = POSIX_SPAWN_SETSIGDEF;
    if (own_group) flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

// Reads what is there; false at the end of the stream. Beyond `limit` bytes are read and dropped.
bool drain(const UniqueFd& fd, std::string& into, std::size_t limit) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  const std::size_t room = limit - std::min(limit, into.size());
  into.append(buffer.data(), std::min(static_cast<std::size_t>(count), room));
  return true;
}

// The child, until it is waited for. With a deadline it leads a group that is killed when it ends:
// a browser's helpers would otherwise hold the pipes open.
class Child {
 public:
  Child(pid_t pid, int timeout_ms) : pid_(pid), timeout_ms_(timeout_ms) {}

  // How long poll may wait; ends what is due. Call before each poll.
  int look() {
    if (timeout_ms_ == 0) return -1;
    siginfo_t info{};
    const bool has_ended =
        ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == pid_;
    const auto spent = std::chrono::steady_clock::now() - start_;
    if (!has_ended && spent > std::chrono::milliseconds(timeout_ms_)) is_late_ = true;
    // Not yet reaped, so the group cannot be anybody else's.
    if (has_ended || is_late_) ::kill(-pid_, SIGKILL);
    return kSliceMs;
  }
  base::Result<int> wait(const std::string& path) {
    int status = 0;
    // It may have closed its pipes and go on.
    for (;;) {
      const pid_t done = ::waitpid(pid_, &status, timeout_ms_ == 0 ? 0 : WNOHANG);
      if (done == pid_) break;
      if (done < 0 && errno != EINTR) return base::fail_errno(path, errno);
      if (timeout_ms_ != 0) ::poll(nullptr, 0, look());
    }
    if (is_late_) {
      return fail(Errc::io,
                  path + ": not done within " + std::to_string(timeout_ms_ / 1000) + " s");
    }
    if (!WIFEXITED(status)) return fail(Errc::io, path + ": ended by a signal");
    return WEXITSTATUS(status);
  }

 private:
  static constexpr int kSliceMs = 50;
  pid_t pid_;
  int timeout_ms_;
  bool is_late_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void read_both(Pipe& out, Pipe& err, ProcessResult& result, std::size_t max_output, Child& child) {
  std::array<pollfd, 2> fds = {{{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}}};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const int ready = ::poll(fds.data(), fds.size(), child.look());
    if (ready < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (ready == 0) continue;
    // One byte more than allowed tells "too much" from "just enough".
    if (fds[0].revents != 0 && !drain(out.read, result.output, max_output + 1)) fds[0].fd = -1;
    if (fds[1].revents != 0 && !drain(err.read, result.errors, kMaxErrors)) fds[1].fd = -1;
  }
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

base::Result<ProcessResult> run_program(const std::string& path,
                                        const std::vector<std::string>& arguments,
                                        std::size_t max_output, const ProcessOptions& options) {
  auto out = make_pipe();
  if (!out) return base::Unexpected(std::move(out).error());
  auto err = make_pipe();
  if (!err) return base::Unexpected(std::move(err).error());
  Actions actions;
  posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), out->write.get(), 1);
  posix_spawn_file_actions_adddup2(actions.get(), err->write.get(), 2);
  // Onto itself: that takes the close-on-exec mark off (POSIX.1-2024, as glibc does since 2.29).
  for (const int fd : options.keep) posix_spawn_file_actions_adddup2(actions.get(), fd, fd);
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), path);
  std::vector<char*> argv = pointers_to(words);
  std::vector<std::string> settings = options.environment.value_or(std::vector<std::string>());
  std::vector<char*> variables = pointers_to(settings);
  Attributes attributes(options.timeout_ms != 0);
  pid_t pid = -1;
  const int spawned = ::posix_spawn(&pid, path.c_str(), actions.get(), attributes.get(),
                                    argv.data(), options.environment ? variables.data() : environ);
  if (spawned != 0) return base::fail_errno(path, spawned);
  out->write.reset();
  err->write.reset();

  Child child(pid, options.timeout_ms);
  ProcessResult result;
  read_both(*out, *err, result, max_output, child);
  const auto status = child.wait(path);
  if (!status) return base::Unexpected(status.error());
  if (result.output.size() > max_output) return fail(Errc::too_large, path + ": said too much");
  result.status = *status;
  return result;
}

base::Result<ScratchText> ScratchText::make(std::string_view text) {
  UniqueFd fd(::memfd_create("ethos", MFD_CLOEXEC));
  if (!fd.is_open()) return base::fail_errno("memfd_create", errno);
  while (!text.empty()) {
    const ssize_t count = ::write(fd.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return base::fail_errno("memfd", errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return ScratchText(std::move(fd));
}

base::Result<std::string> sibling_path(const std::string& name) {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t length = ::readlink("/proc/self/exe", buffer.data(), buffer.size());
  if (length <= 0 || static_cast<std::size_t>(length) >= buffer.size()) {
    return base::fail_errno("/proc/self/exe", length < 0 ? errno : ENAMETOOLONG);
  }
  const std::string self(buffer.data(), static_cast<std::size_t>(length));
  return self.substr(0, self.rfind('/') + 1) + name;
}

}  // namespace ethos::reports
