// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#include "tests/escape/escape_run.h"

using namespace ethos;
using sandbox::Ending;
using support::Answers;
using support::hostile_plan;

namespace {

// Processes of the whole machine whose command name is `name`.
int count_named(const std::string& name) {
  int count = 0;
  DIR* dir = opendir("/proc");
  while (const dirent* entry = readdir(dir)) {
    std::ifstream in("/proc/" + std::string(entry->d_name) + "/comm");
    std::string comm;
    if (std::getline(in, comm) && comm == name) ++count;
  }
  closedir(dir);
  return count;
}

std::chrono::milliseconds duration_of(const support::CageRun& r) {
  return std::chrono::milliseconds((r.result()->ended_ns - r.result()->started_ns) / 1'000'000);
}

}  // namespace

TEST_CASE("escape: no process inside ever held the supervisor's memory", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  // In memory and in the environment of the supervisor, which the test itself is.
  const std::string secret = "signing-key-" + std::to_string(getpid()) + "-0123456789abcdef";
  setenv("ETHOS_TEST_SECRET", secret.c_str(), 1);
  support::CageRun r{};
  support::run(r,
               hostile_plan(dir, {"scan-processes", std::string(secret.rbegin(), secret.rend())}));
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  const Answers answers(r.out());
  for (const char* name :
       {"pid1_mem", "pid1_environ", "pid1_maps", "pid1_stack", "pid1_syscall", "pid1_auxv",
        "pid1_mem_write", "pid1_root", "pid1_cwd", "pid1_exe", "pid1_fd/0", "pid1_ns/net"}) {
    CAPTURE(name);
    CHECK(answers.of(name) > 0);
  }
  CHECK(answers.of("processes") == 2);  // pid 1 and itself
  CHECK(answers.of("secrets") == 0);
  unsetenv("ETHOS_TEST_SECRET");
}

TEST_CASE("escape: only the standard descriptors are open", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("secret", "x");
  const int low = open((dir.path() + "/secret").c_str(), O_RDWR);
  const int high = fcntl(low, F_DUPFD, 900);
  REQUIRE(high >= 900);
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"descriptors"}));
  close(low);
  close(high);
  CAPTURE(r.text());
  CHECK(r.out() == "open 0\nopen 1\nopen 2\n");
}

TEST_CASE("escape: a caller without standard descriptors leaks none", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  const auto plan = hostile_plan(dir, {"descriptors"});
  const pid_t child = fork();
  if (child == 0) {
    for (int fd = 0; fd < 3; ++fd) close(fd);
    support::CageRun r{};
    support::run(r, plan);
    _exit(r.out() == "open 0\nopen 1\nopen 2\n" ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("escape: no process can be traced, read or taken over", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"trace"}));
  CAPTURE(r.text());
  const Answers answers(r.out());
  for (const char* name :
       {"traceme", "attach_init", "vm_read", "vm_write", "pidfd_getfd", "kcmp"}) {
    CAPTURE(name);
    CHECK(answers.of(name) == EPERM);
  }
  CHECK(answers.of("init_alive") == 0);
  CHECK(r.result()->ending == Ending::exited);
  for (const char* call :
       {"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp"})
    CHECK(r.sink.find(call) != nullptr);
}

TEST_CASE("escape: only pid 1 can say how the tool ended", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"forge-report"}));
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::exited);
  CHECK(r.result()->status == 9);
}

TEST_CASE("escape: a daemon that holds the output dies with the run", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  const std::string name = "eth-d" + std::to_string(getpid());
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"daemonise", name}));
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::exited);
  CHECK(r.out() == "parent done\n");
  CHECK(duration_of(r) < std::chrono::seconds(5));
  CHECK(r.result()->processes_left == 0);
  CHECK_FALSE(r.result()->processes_left_source.empty());
  CHECK(count_named(name) == 0);
}

TEST_CASE("escape: a killed supervisor leaves no process and no change", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/x", "1");
  const std::string name = "eth-k" + std::to_string(getpid());
  auto plan = hostile_plan(dir, {"daemonise", name});
  const std::string program = plan.argv[0];
  plan.argv = {"/bin/sh", "-c",
               "echo y > out/y; " + program + " daemonise " + name + "; sleep 1000"};
  support::grant_write(plan, "out");
  const std::string before = dir.snapshot();
  const pid_t supervisor = fork();
  if (supervisor == 0) {
    support::CageRun r{};
    support::run(r, plan);
    _exit(0);
  }
  for (int i = 0; i < 500 && count_named(name) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  REQUIRE(count_named(name) == 1);
  REQUIRE(kill(supervisor, SIGKILL) == 0);
  REQUIRE(waitpid(supervisor, nullptr, 0) == supervisor);
  for (int i = 0; i < 300 && count_named(name) != 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(count_named(name) == 0);
  CHECK(dir.snapshot() == before);
}

TEST_CASE("escape: signals to the supervisor end the run", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  for (const int sig : {SIGINT, SIGTERM, SIGHUP}) {
    const auto plan = support::base_plan(dir.path(), {"/bin/sleep", "1000"});
    const pid_t supervisor = fork();
    if (supervisor == 0) {
      support::CageRun r{};
      support::run(r, plan);
      const auto* result = r.result();
      const bool is_right = result != nullptr && result->ending == Ending::interrupted &&
                            result->status == sig && result->processes_left == 0;
      _exit(is_right ? 0 : 1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    REQUIRE(kill(supervisor, sig) == 0);
    int status = 0;
    REQUIRE(waitpid(supervisor, &status, 0) == supervisor);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}

TEST_CASE("escape: a run ends when its evidence cannot be kept", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = support::base_plan(dir.path(), {"/bin/sh", "-c", "echo x > /usr/x; sleep 100"});
  support::CageRun r{};
  r.sink.accepts_denials = false;
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::evidence);
  CHECK(duration_of(r) < std::chrono::seconds(10));
}

TEST_CASE("cage: pipelines survive notified forks", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = support::base_plan(
      dir.path(),
      {"/bin/bash", "-c", "for i in $(seq 60); do echo $i | cat | cat | wc -l; done | sort -u"});
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->status == 0);
  CHECK(r.out() == "1\n");
  CHECK(r.err().empty());
}

TEST_CASE("escape: children that nobody waits for are gone", "[escape][kernel][RES-15]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"orphans", "600"});
  support::set_limit(plan, "pids", 32, sandbox::Enforcer::supervisor);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  CHECK(Answers(r.out()).of("refused") == 0);
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->processes_left == 0);
}

// Which of them the kernel opens it decides by its own rules, and tells no supervisor.
TEST_CASE("escape: what the cage's first process keeps to itself leaves a record, and nothing else",
          "[escape][kernel][EVD-36]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"open-first-process"});
  plan.observe = sandbox::Observe::all;
  support::CageRun r{};
  support::run(r, plan);
  const Answers answers(r.out());
  CAPTURE(r.text());
  CHECK(r.sink.gaps.empty());
  CHECK(answers.of("/proc/1/status") == 0);
  CHECK(answers.of("/proc/1/no-such-thing") == ENOENT);
  for (const char* name : {"cwd", "root", "exe", "ns/mnt", "maps", "cwd/x", "cwd/y", "root/usr",
                           "map_files/400000-401000", "fdinfo/999", "task/1/cwd"}) {
    CAPTURE(name);
    CHECK(answers.of("/proc/1/" + std::string(name)) == EACCES);
  }
  std::set<std::string> refused;
  for (const auto& [path, error] : answers.all())
    if (error == EACCES || error == EPERM) refused.insert(path);
  std::set<std::string> recorded;
  for (const auto& denial : r.sink.denials) {
    if (!denial.object.starts_with("/proc/1/")) continue;
    CHECK(denial.rule == "permission");
    CHECK(denial.error == EACCES);
    recorded.insert(denial.object);
  }
  // What ".." behind a link leads to has no name.
  if (refused.erase("/proc/1/task/1/cwd/..") == 1) CHECK(recorded.contains("/proc/1/task/1/cwd"));
  CHECK(refused == recorded);
}
