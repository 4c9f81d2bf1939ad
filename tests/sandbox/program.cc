// SPDX-License-Identifier: Apache-2.0
#include "tests/sandbox/program.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ethos::support {
namespace fs = std::filesystem;

namespace {

void need(bool is_ok, const char* what) {
  if (!is_ok) throw std::runtime_error(std::string(what) + ": " + std::to_string(errno));
}

}  // namespace

Site::Site(std::optional<uid_t> uid) : uid_(uid) {
  std::string name = "/tmp/ethos-site-XXXXXX";
  need(::mkdtemp(name.data()) != nullptr, "mkdtemp");
  root_ = name;
  fs::permissions(root_, fs::perms::all & ~fs::perms::group_write & ~fs::perms::others_write);
  for (const char* below : {"work", "home"}) {
    fs::create_directory(root_ / below);
    if (uid_) need(::chown((root_ / below).c_str(), *uid_, *uid_) == 0, "chown");
  }
  if (uid_) need(::chown(root_.c_str(), *uid_, *uid_) == 0, "chown");
}

Site::~Site() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void Site::file(const std::string& below_workspace, const std::string& content, mode_t mode) const {
  const fs::path at = root_ / "work" / below_workspace;
  fs::create_directories(at.parent_path());
  std::ofstream(at) << content;
  need(::chmod(at.c_str(), mode) == 0, "chmod");
  if (!uid_) return;
  for (fs::path p = at; p != root_; p = p.parent_path())
    need(::chown(p.c_str(), *uid_, *uid_) == 0, "chown");
}

std::string Site::read(const std::string& below) const {
  std::ifstream in(root_ / below);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Started Site::start(const std::string& name, const std::vector<std::string>& words,
                    int input) const {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  need(::pipe2(out.data(), O_CLOEXEC) == 0 && ::pipe2(err.data(), O_CLOEXEC) == 0, "pipe");
  const std::string program =
      name.starts_with('/') ? name : std::string(ETHOS_BIN) + "/" + name;
  std::vector<std::string> environment = environment_;
  environment.push_back("HOME=" + path("home"));
  environment.emplace_back("PATH=/usr/bin:/bin");
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::string own = program;
  argv.push_back(own.data());
  std::vector<std::string> copy = words;
  for (std::string& word : copy) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (std::string& variable : environment) envp.push_back(variable.data());
  envp.push_back(nullptr);
  const pid_t pid = ::fork();
  need(pid >= 0, "fork");
  if (pid == 0) {
    const int in = input >= 0 ? input : ::open("/dev/null", O_RDONLY);
    ::dup2(in, 0);
    ::dup2(out[1], 1);
    ::dup2(err[1], 2);
    const bool is_user =
        !uid_ || (::setgroups(0, nullptr) == 0 && ::setresgid(*uid_, *uid_, *uid_) == 0 &&
                  ::setresuid(*uid_, *uid_, *uid_) == 0);
    if (!is_user || ::chdir(workspace().c_str()) != 0) ::_exit(99);
    ::execve(program.c_str(), argv.data(), envp.data());
    ::_exit(98);
  }
  ::close(out[1]);
  ::close(err[1]);
  return {pid, out[0], err[0]};
}

Ended Site::wait(Started started) {
  Ended ended;
  std::array<pollfd, 2> fds{{{started.out, POLLIN, 0}, {started.err, POLLIN, 0}}};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) break;
    for (pollfd& fd : fds) {
      if (fd.fd < 0 || fd.revents == 0) continue;
      std::array<char, 65536> buffer{};
      const ssize_t n = ::read(fd.fd, buffer.data(), buffer.size());
      if (n > 0) {
        (fd.fd == started.out ? ended.out : ended.err)
            .append(buffer.data(), static_cast<std::size_t>(n));
      } else {
        ::close(fd.fd);
        fd.fd = -1;
      }
    }
  }
  int status = 0;
  need(::waitpid(started.pid, &status, 0) == started.pid, "waitpid");
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

Ended Site::program(const std::string& name, const std::vector<std::string>& words,
                    const std::optional<std::string>& input) const {
  if (!input) return wait(start(name, words));
  std::array<int, 2> in{};
  need(::pipe2(in.data(), O_CLOEXEC) == 0, "pipe");
  const Started started = start(name, words, in[0]);
  ::close(in[0]);
  need(::write(in[1], input->data(), input->size()) == static_cast<ssize_t>(input->size()),
       "write");
  ::close(in[1]);
  return wait(started);
}

Ended Site::run(const std::vector<std::string>& words,
                const std::optional<std::string>& input) const {
  return program("ethos-run", words, input);
}

std::vector<sandbox::JsonNode> Site::records(const std::string& type) const {
  const Ended shown = program("ethos-ledger", {"show", "--json"});
  if (shown.status != 0) throw std::runtime_error("ethos-ledger show: " + shown.err);
  std::vector<sandbox::JsonNode> out;
  std::istringstream lines(shown.out);
  for (std::string line; std::getline(lines, line);) {
    auto record = sandbox::parse_jsonc(line);
    if (!record) throw std::runtime_error(record.error().what);
    if (type.empty() || text_at(*record, {"type"}) == type) out.push_back(std::move(*record));
  }
  return out;
}

std::string text_at(const sandbox::JsonNode& node, std::initializer_list<const char*> keys) {
  const sandbox::JsonNode* at = &node;
  for (const char* key : keys) {
    at = at->find(key);
    if (at == nullptr) return "";
  }
  if (at->kind == sandbox::JsonNode::Kind::boolean) return at->flag ? "true" : "false";
  return at->text;
}

}  // namespace ethos::support
