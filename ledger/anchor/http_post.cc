// SPDX-License-Identifier: Apache-2.0
#include "ledger/anchor/http_post.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "ledger/base/unique_fd.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

constexpr std::size_t kMaxUrl = 2048;
constexpr std::size_t kMaxComplaint = 1024;
// The line that -w adds behind the body.
constexpr std::size_t kStatusRoom = 1024;

struct Pipe {
  base::UniqueFd read;
  base::UniqueFd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return base::fail_errno("pipe", errno);
  return Pipe{base::UniqueFd(ends[0]), base::UniqueFd(ends[1])};
}

std::vector<std::string> environment() {
  std::vector<std::string> out;
  for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY",
                           "all_proxy", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    if (const char* value = std::getenv(name); value != nullptr)
      out.push_back(std::string(name) + "=" + value);
  }
  return out;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

Result<pid_t> start(const std::vector<std::string>& arguments, int in, int out, int err) {
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return base::fail_errno("curl", ENOMEM);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  const auto variables = environment();
  auto argv = pointers(arguments);
  auto envp = pointers(variables);
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, arguments[0].c_str(), &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return base::fail_errno(arguments[0], error);
  return pid;
}

// Reads up to `most` bytes into `into` and drops the rest; false at the end.
bool take(int fd, std::string& into, std::size_t most) {
  std::array<char, 8192> buffer{};
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR;
  into.append(buffer.data(),
              std::min(most - std::min(most, into.size()), static_cast<std::size_t>(got)));
  return got > 0;
}

// Writes the body and reads both outputs until curl has closed them; it keeps its own time.
void talk(std::string_view body, base::UniqueFd in, const base::UniqueFd& out,
          const base::UniqueFd& err, std::string& answer, std::string& complaint) {
  bool out_open = true;
  bool err_open = true;
  if (body.empty()) in.reset();
  while (out_open || err_open) {
    std::array<pollfd, 3> fds = {pollfd{in.get(), POLLOUT, 0},
                                 pollfd{out_open ? out.get() : -1, POLLIN, 0},
                                 pollfd{err_open ? err.get() : -1, POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (fds[0].revents != 0) {
      const ssize_t put = ::write(in.get(), body.data(), body.size());
      if (put > 0) body.remove_prefix(static_cast<std::size_t>(put));
      if (body.empty() || (put < 0 && errno != EINTR && errno != EAGAIN)) in.reset();
    }
    if (fds[1].revents != 0) out_open = take(out.get(), answer, kMaxAnswerBytes + kStatusRoom);
    if (fds[2].revents != 0) err_open = take(err.get(), complaint, kMaxComplaint);
  }
}

// "\n200 text/plain" behind the body.
Result<HttpAnswer> parse_answer(std::string text) {
  const std::size_t line = text.rfind('\n');
  HttpAnswer out;
  if (line == std::string::npos || line > kMaxAnswerBytes)
    return fail(Errc::too_large, "the answer is over 128 KiB");
  const std::string status = text.substr(line + 1);
  const auto parsed = std::from_chars(status.data(), status.data() + status.size(), out.status);
  if (parsed.ec != std::errc{}) return fail(Errc::malformed, "curl gave no status");
  const std::size_t space = status.find(' ');
  if (space != std::string::npos) out.content_type = status.substr(space + 1);
  text.resize(line);
  out.body = std::move(text);
  return out;
}

}  // namespace

bool is_post_url(const std::string& url) {
  const bool is_plain = std::all_of(url.begin(), url.end(), [](char c) {
    return c > 0x20 && c < 0x7F && std::string_view("\"\\@#").find(c) == std::string_view::npos;
  });
  return is_plain && url.size() <= kMaxUrl &&
         ((url.starts_with("http://") && url.size() > 7) ||
          (url.starts_with("https://") && url.size() > 8));
}

Result<HttpAnswer> post_by_curl(const std::string& program, const HttpPost& post) {
  if (!is_post_url(post.url)) return fail(Errc::usage, "not a http or https URL");
  auto in = make_pipe();
  auto out = make_pipe();
  auto err = make_pipe();
  if (!in) return Unexpected(std::move(in).error());
  if (!out) return Unexpected(std::move(out).error());
  if (!err) return Unexpected(std::move(err).error());
  const std::vector<std::string> arguments{program,
                                           "-q",
                                           "--silent",
                                           "--show-error",
                                           "--globoff",
                                           "--proto",
                                           "=http,https",
                                           "--max-time",
                                           std::to_string(post.timeout_seconds),
                                           "--user-agent",
                                           "ethos-ledger/" ETHOS_VERSION,
                                           "--header",
                                           "Content-Type: " + post.content_type,
                                           "--header",
                                           "Expect:",
                                           "--data-binary",
                                           "@-",
                                           "--write-out",
                                           "\n%{http_code} %{content_type}",
                                           "--",
                                           post.url};
  // A child that ends early must not end this program.
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  auto pid = start(arguments, in->read.get(), out->write.get(), err->write.get());
  in->read.reset();
  out->write.reset();
  err->write.reset();
  std::string answer;
  std::string complaint;
  int status = 0;
  if (pid) {
    ::fcntl(in->write.get(), F_SETFL, O_NONBLOCK);
    talk(post.body, std::move(in->write), out->read, err->read, answer, complaint);
    while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  if (!pid) return Unexpected(std::move(pid).error());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    complaint = complaint.substr(0, complaint.find('\n'));
    return fail(Errc::io, complaint.empty() ? "curl failed" : complaint);
  }
  return parse_answer(std::move(answer));
}

}  // namespace ethos::ledger
