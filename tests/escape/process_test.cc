// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
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

const sandbox::LimitEvent* find_limit(const support::CageRun& r, const std::string& name) {
  for (const auto& l : r.sink.limits)
    if (l.name == name) return &l;
  return nullptr;
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
  support::run(r, hostile_plan(dir, {"scan-processes", std::string(secret.rbegin(), secret.rend())}));
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  const Answers answers(r.out());
  for (const char* name : {"pid1_mem", "pid1_environ", "pid1_maps", "pid1_stack", "pid1_syscall", "pid1_auxv",
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
  for (const char* name : {"traceme", "attach_init", "vm_read", "vm_write", "pidfd_getfd", "kcmp"}) {
    CAPTURE(name);
    CHECK(answers.of(name) == EPERM);
  }
  CHECK(answers.of("init_alive") == 0);
  CHECK(r.result()->ending == Ending::exited);
  for (const char* call : {"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp"})
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

TEST_CASE("escape: a fork bomb is stopped and recorded", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"fork-bomb"});
  support::set_limit(plan, "pids", 40, sandbox::Enforcer::supervisor);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::limit);
  CHECK(r.result()->limit == "pids");
  CHECK(r.result()->processes_left == 0);
  const auto* limit = find_limit(r, "pids");
  REQUIRE(limit != nullptr);
  CHECK(limit->mark == sandbox::Mark::supervisor);
  CHECK(limit->observed <= 40);
}

TEST_CASE("escape: the process limit counts exactly", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"fork-until-refused"});
  support::set_limit(plan, "pids", 30, sandbox::Enforcer::supervisor);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  CHECK(r.out().find("made=28\n") != std::string::npos);  // pid 1 and the tool count too
  CHECK(Answers(r.out()).of("last") == EAGAIN);
  const auto* limit = find_limit(r, "pids");
  REQUIRE(limit != nullptr);
  CHECK(limit->action == sandbox::LimitAction::refused);
}

TEST_CASE("escape: a memory hog meets its limit and leaves a record", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"eat-memory"});
  support::set_limit(plan, "memory_bytes", 96U << 20, sandbox::Enforcer::rlimit);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->status == 42);  // mmap refused
  const auto* limit = find_limit(r, "memory_bytes");
  REQUIRE(limit != nullptr);
  CHECK(limit->by == sandbox::Enforcer::rlimit);
}

TEST_CASE("escape: many processes below the limit of one are stopped by their sum", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"eat-memory-together", "8", "24"});
  support::set_limit(plan, "memory_bytes", 64U << 20, sandbox::Enforcer::rlimit);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::limit);
  CHECK(r.result()->limit == "memory_bytes");
  CHECK(r.result()->processes_left == 0);
}

TEST_CASE("escape: an output flood ends the run or is cut", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"flood-output"});
  support::set_limit(plan, "output_bytes", 100'000, sandbox::Enforcer::supervisor);
  support::CageRun r{};
  support::run(r, plan);
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::limit);
  CHECK(r.result()->limit == "output_bytes");
  CHECK(r.out().size() == 100'000);
  CHECK(r.result()->out.is_truncated);

  plan.truncate_output = true;
  support::set_limit(plan, "wall_ms", 400, sandbox::Enforcer::supervisor);
  support::CageRun t{};
  support::run(t, plan);
  CHECK(t.result()->ending == Ending::wall_timeout);
  CHECK(t.out().size() == 100'000);
  CHECK(t.result()->out.bytes > 100'000);
  REQUIRE(find_limit(t, "output_bytes") != nullptr);
  CHECK(find_limit(t, "output_bytes")->action == sandbox::LimitAction::truncated);
}

TEST_CASE("escape: a caller who reads nothing cannot stop the clock", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  auto plan = hostile_plan(dir, {"flood-output"});
  support::set_limit(plan, "wall_ms", 500, sandbox::Enforcer::supervisor);
  support::set_limit(plan, "output_bytes", 1U << 30, sandbox::Enforcer::supervisor);
  sandbox::LaunchOptions options;
  options.stdout_fd = ends[1];
  options.stderr_fd = -1;
  support::KeepingSink sink;
  // After the end what is pending is still offered to the caller: read it, late.
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    char buffer[65536];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    for (int idle = 0; idle < 20;) {
      if (read(ends[0], buffer, sizeof buffer) > 0) {
        idle = 0;
      } else {
        ++idle;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
  });
  const auto outcome = sandbox::run_cage(plan, options, sink);
  reader.join();
  close(ends[0]);
  close(ends[1]);
  const auto* result = std::get_if<sandbox::RunResult>(&outcome);
  REQUIRE(result != nullptr);
  CHECK(result->ending == Ending::wall_timeout);
  CHECK(result->ended_ns - result->started_ns < 1'000'000'000);
  CHECK(result->out.passed < 2U << 20);
}

TEST_CASE("escape: a stopped process group still meets the deadline", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"stop-all"});
  support::set_limit(plan, "wall_ms", 400, sandbox::Enforcer::supervisor);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::wall_timeout);
  CHECK(r.result()->processes_left == 0);
  REQUIRE(find_limit(r, "wall_ms") != nullptr);
}

TEST_CASE("escape: no core is dumped", "[escape][kernel]") {
  REQUIRE_CAGE();
  rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &unlimited);
  const support::ScratchDir dir;
  dir.write("out/x", "1");
  auto plan = hostile_plan(dir, {"dump-core"});
  support::grant_write(plan, "out");
  plan.cwd = dir.path() + "/out";
  const std::string before = dir.snapshot();
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::signaled);
  CHECK(r.result()->status == SIGSEGV);
  CHECK(dir.snapshot() == before);
}

TEST_CASE("escape: a file over its limit ends the run as a limit", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"big-file", "/tmp/big"});
  support::set_limit(plan, "file_bytes", 1U << 20, sandbox::Enforcer::rlimit);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  CHECK(r.result()->ending == Ending::limit);
  CHECK(r.result()->limit == "file_bytes");
  REQUIRE(find_limit(r, "file_bytes") != nullptr);
  CHECK(find_limit(r, "file_bytes")->mark == sandbox::Mark::kernel);
}

TEST_CASE("escape: a full scratch is evidence", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"big-file", "/tmp/big"});
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  CHECK(r.result()->status == ENOSPC);
  CHECK(find_limit(r, "scratch_bytes") != nullptr);
}

TEST_CASE("escape: a killed supervisor leaves no process and no change", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/x", "1");
  const std::string name = "eth-k" + std::to_string(getpid());
  auto plan = hostile_plan(dir, {"daemonise", name});
  const std::string program = plan.argv[0];
  plan.argv = {"/bin/sh", "-c", "echo y > out/y; " + program + " daemonise " + name + "; sleep 1000"};
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
      dir.path(), {"/bin/bash", "-c", "for i in $(seq 60); do echo $i | cat | cat | wc -l; done | sort -u"});
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->status == 0);
  CHECK(r.out() == "1\n");
  CHECK(r.err().empty());
}
