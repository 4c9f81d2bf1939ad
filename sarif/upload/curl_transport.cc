// SPDX-License-Identifier: Apache-2.0
#include "sarif/upload/curl_transport.h"

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
#include <cstring>
#include <vector>

#include "ledger/base/unique_fd.h"

namespace ethos::sarif {
namespace {

using base::Errc;
using base::fail;
using base::fail_errno;

// Where the child finds the body.
constexpr int kBodyFd = 3;
constexpr std::size_t kMaxComplaint = 4096;
// Longer than the 300 seconds that curl has by its configuration.
constexpr int kPatienceMs = 330'000;

struct Pipe {
  base::UniqueFd read;
  base::UniqueFd write;
};

base::Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("pipe", errno);
  return Pipe{base::UniqueFd(ends[0]), base::UniqueFd(ends[1])};
}

void add_line(std::string& config, std::string_view key, std::string_view value) {
  config += key;
  config += " = \"";
  for (const char c : value) {
    if (c == '"' || c == '\\') config.push_back('\\');
    config.push_back(c);
  }
  config += "\"\n";
}

// The configuration with the token in it; the caller wipes it.
std::string config_for(const HttpRequest& request, std::string_view token) {
  std::string config;
  // Room for all, so that no copy of the token is left behind by growing.
  config.reserve(1024 + request.url.size() + token.size() * 2);
  add_line(config, "url", request.url);
  add_line(config, "proto", "=https,http");
  config += "silent\nshow-error\ngloboff\n";
  add_line(config, "connect-timeout", "30");
  add_line(config, "max-time", "300");
  add_line(config, "user-agent", "ethos-sarif/" ETHOS_VERSION);
  add_line(config, "header", "Accept: application/vnd.github+json");
  add_line(config, "header", "X-GitHub-Api-Version: 2022-11-28");
  if (request.body_fd >= 0) {
    add_line(config, "header", "Content-Type: application/json");
    add_line(config, "header", "Expect:");
    add_line(config, "data-binary", "@/dev/fd/" + std::to_string(kBodyFd));
  }
  config +=
      "write-out = \"\\n%{http_code}\\t%header{retry-after}\\t%header{x-ratelimit-remaining}\\t"
      "%header{x-ratelimit-reset}\\t%header{x-github-request-id}\"\n";
  config += "header = \"Authorization: Bearer ";
  config += token;
  config += "\"\n";
  return config;
}

std::vector<std::string> child_environment() {
  std::vector<std::string> out;
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "all_proxy",
                           "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE"}) {
    if (const char* value = std::getenv(name); value != nullptr) {
      out.push_back(std::string(name) + "=" + value);
    }
  }
  return out;
}

class Child {
 public:
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  base::Result<void> start(const std::string& program, const std::vector<std::string>& arguments,
                           int in, int out, int err, int body) {
    posix_spawn_file_actions_t actions;
    if (::posix_spawn_file_actions_init(&actions) != 0) return fail_errno(program, ENOMEM);
    ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    if (body >= 0) ::posix_spawn_file_actions_adddup2(&actions, body, kBodyFd);
    std::vector<char*> argv;
    for (const std::string& one : arguments) argv.push_back(const_cast<char*>(one.c_str()));
    argv.push_back(nullptr);
    const auto variables = child_environment();
    std::vector<char*> envp;
    for (const std::string& one : variables) envp.push_back(const_cast<char*>(one.c_str()));
    envp.push_back(nullptr);
    const int error =
        ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), envp.data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (error == 0) return {};
    pid_ = -1;
    return fail_errno(program, error);
  }

  // Exit status, or 128 and the signal.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
};

// Fills the child's standard input and empties both of its outputs at the same time, each up to
// its limit; what comes beyond is read and dropped.
base::Result<void> talk(std::string_view input, base::UniqueFd in, const base::UniqueFd& out,
                        const base::UniqueFd& err, std::string& answer, std::string& complaint) {
  bool out_open = true;
  bool err_open = true;
  const auto take = [](int fd, std::string& into, std::size_t most) {
    std::array<char, std::size_t{16} << 10U> buffer{};
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    const std::size_t room = most - std::min(most, into.size());
    into.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
    return got > 0;
  };
  while (out_open || err_open) {
    std::array<pollfd, 3> fds = {pollfd{in.get(), POLLOUT, 0},
                                 pollfd{out_open ? out.get() : -1, POLLIN, 0},
                                 pollfd{err_open ? err.get() : -1, POLLIN, 0}};
    const int ready = ::poll(fds.data(), fds.size(), kPatienceMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return fail_errno("poll", errno);
    if (ready == 0)
      return fail(Errc::io, "no answer within " + std::to_string(kPatienceMs / 1000) + " s");
    if (fds[0].revents != 0) {
      const ssize_t put = ::write(in.get(), input.data(), input.size());
      if (put > 0) input.remove_prefix(static_cast<std::size_t>(put));
      const bool has_failed = put < 0 && errno != EINTR && errno != EAGAIN;
      if (input.empty() || has_failed) in.reset();
    }
    // The status line comes last: it has to fit, whatever stands before it.
    if (fds[1].revents != 0) out_open = take(out.get(), answer, kMaxResponse + 4096);
    if (fds[2].revents != 0) err_open = take(err.get(), complaint, kMaxComplaint);
  }
  return {};
}

// "\n200\t\t59\t1700000000\tABCD" behind the body.
base::Result<HttpResponse> parse_answer(std::string answer) {
  const std::size_t line = answer.rfind('\n');
  HttpResponse response;
  if (answer.size() > kMaxResponse || line == std::string::npos) {
    return fail(Errc::too_large, "the answer is not one of the API");
  }
  std::vector<std::string> fields(1);
  for (const char c : std::string_view(answer).substr(line + 1)) {
    if (c == '\t') {
      fields.emplace_back();
    } else {
      fields.back().push_back(c);
    }
  }
  const std::string& code = fields[0];
  const auto done = std::from_chars(code.data(), code.data() + code.size(), response.status);
  if (fields.size() != 5 || done.ec != std::errc{} || response.status < 100) {
    return fail(Errc::malformed, "the answer is not one of the API");
  }
  answer.resize(line);
  response.body = std::move(answer);
  response.retry_after = fields[1];
  response.rate_limit_remaining = fields[2];
  response.rate_limit_reset = fields[3];
  response.request_id = fields[4];
  return response;
}

}  // namespace

bool is_token(std::string_view token) {
  return !token.empty() && token.size() <= 4096 &&
         std::all_of(token.begin(), token.end(),
                     [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

bool is_api_url(std::string_view url) {
  const bool is_plain = std::all_of(url.begin(), url.end(), [](char c) {
    return c > 0x20 && c < 0x7F && std::string_view("\"\\@?#{}").find(c) == std::string_view::npos;
  });
  if (!is_plain || url.size() > 2048) return false;
  const auto host_of = [url](std::string_view scheme) {
    const std::string_view rest = url.substr(scheme.size());
    return rest.substr(0, std::min(rest.find('/'), rest.size()));
  };
  constexpr std::string_view kHttps = "https://";
  constexpr std::string_view kHttp = "http://";
  if (url.starts_with(kHttps)) return !host_of(kHttps).empty();
  if (!url.starts_with(kHttp)) return false;
  std::string_view host = host_of(kHttp);
  const std::size_t port = host.rfind(':');
  if (port != std::string_view::npos && !host.ends_with(']')) host = host.substr(0, port);
  return host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

base::Result<HttpResponse> CurlTransport::send(const HttpRequest& request) {
  auto in = make_pipe();
  auto out = make_pipe();
  auto err = make_pipe();
  if (!in) return base::Unexpected(std::move(in).error());
  if (!out) return base::Unexpected(std::move(out).error());
  if (!err) return base::Unexpected(std::move(err).error());
  // A child that ends early must not end this program.
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  Child child;
  // -q: no configuration of the user's comes in between.
  auto started = child.start(program_, {program_, "-q", "--config", "-"}, in->read.get(),
                             out->write.get(), err->write.get(), request.body_fd);
  in->read.reset();
  out->write.reset();
  err->write.reset();
  std::string answer;
  std::string complaint;
  base::Result<void> talked;
  if (started) {
    const auto* bytes = reinterpret_cast<const char*>(token_.bytes().data());
    std::string config = config_for(request, std::string_view(bytes, token_.size()));
    ::fcntl(in->write.get(), F_SETFL, O_NONBLOCK);
    talked = talk(config, std::move(in->write), out->read, err->read, answer, complaint);
    ::explicit_bzero(config.data(), config.size());
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  if (!started) return base::Unexpected(std::move(started).error());
  if (!talked) return base::Unexpected(std::move(talked).error());
  const int status = child.wait();
  if (status != 0) {
    const std::size_t end = complaint.find('\n');
    return fail(Errc::io, complaint.empty() ? "curl ended with status " + std::to_string(status)
                                            : complaint.substr(0, end));
  }
  return parse_answer(std::move(answer));
}

}  // namespace ethos::sarif
