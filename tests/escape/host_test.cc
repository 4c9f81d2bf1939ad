// SPDX-License-Identifier: Apache-2.0
// What belongs to the whole machine stays as it is.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "ledger/base/unique_fd.h"
#include "tests/escape/escape_run.h"

using namespace ethos;
using sandbox::Ending;
using support::Answers;
using support::hostile_plan;

namespace {

std::string text_of(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::set<std::string> out;
  for (std::string line; std::getline(in, line);) out.insert(line);
  return out;
}

}  // namespace

TEST_CASE("escape: no file of the kernel rules or shows the host", "[escape][kernel]") {
  REQUIRE_CAGE();
  const std::string pattern = text_of("/proc/sys/kernel/core_pattern");
  for (const auto observe :
       {sandbox::Observe::off, sandbox::Observe::writes, sandbox::Observe::all}) {
    const support::ScratchDir dir;
    auto plan = hostile_plan(dir, {"kernel-files"});
    plan.observe = observe;
    support::CageRun r{};
    support::run(r, plan);
    CAPTURE(static_cast<int>(observe), r.text());
    const Answers got(r.out());
    REQUIRE(got.all().size() == 28);
    for (const auto& [name, error] : got.all()) {
      const std::string what = name;
      CAPTURE(what);
      CHECK(error > 0);
    }
    if (observe != sandbox::Observe::off)
      CHECK(r.sink.find("openat", "/proc/sys/kernel/core_pattern") != nullptr);
  }
  CHECK(text_of("/proc/sys/kernel/core_pattern") == pattern);
}

TEST_CASE("escape: devices and what stands at the top are the cage's own few", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  support::CageRun devices{};
  support::run(devices, hostile_plan(dir, {"list-names", "/dev"}));
  CAPTURE(devices.text());
  const auto found = lines_of(devices.out());
  for (const char* name : {"null", "zero", "full", "random", "urandom"})
    CHECK(found.count(name) == 1);
  for (const auto& name : found)
    CHECK(std::set<std::string>{".", "..", "null", "zero", "full", "random", "urandom", "fd",
                                "stdin", "stdout", "stderr", "shm", "up=0", "cwd /"}
              .count(name) == 1);
  CHECK(found.count("cwd /") == 1);
  support::CageRun top{};
  const std::vector<std::string> absent = {"/sys",  "/run",     "/boot",    "/root", "/srv",
                                           "/home", "/oldroot", "/newroot", "/.old", "/u0"};
  std::vector<std::string> args = {"stat-paths"};
  args.insert(args.end(), absent.begin(), absent.end());
  support::run(top, hostile_plan(dir, args));
  CAPTURE(top.text());
  for (const auto& path : absent) CHECK(Answers(top.out()).of(path) == ENOENT);
}

TEST_CASE("escape: nobody in the cage schedules its own process", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"scheduling"}));
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  const Answers answers(r.out());
  for (const char* name : {"sched_setscheduler", "sched_setparam", "sched_setaffinity",
                           "sched_setattr", "setpriority", "ioprio_set"}) {
    CAPTURE(name);
    CHECK(answers.of(name) == EPERM);
    const auto* denial = r.sink.find(name, "process 1");
    REQUIRE(denial != nullptr);
    CHECK(denial->object_mark == sandbox::Mark::kernel);
  }
  for (const char* name : {"sched_setattr_high", "setpriority_group", "setpriority_user",
                           "ioprio_set_group", "ioprio_set_user"})
    CHECK(answers.of(name) == EPERM);
  CHECK(answers.of("sched_core") == EINVAL);
  for (const char* name : {"own_affinity", "own_priority", "own_scheduler", "own_io", "self"})
    CHECK(answers.of(name) == 0);
}

TEST_CASE("escape: no priority, no huge page, no shared memory beyond the limits",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"priorities"}));
  CAPTURE(r.text());
  const Answers got(r.out());
  for (const char* name :
       {"fifo", "rr", "nice", "io_real_time", "oom_score", "huge_pages", "huge_file"})
    CHECK(got.of(name) > 0);
  support::CageRun shared{};
  support::run(shared, hostile_plan(dir, {"fill-shared"}));
  CAPTURE(shared.text());
  CHECK(Answers(shared.out()).of("full") == ENOSPC);
  CHECK(Answers(shared.out()).of("mib") < 1024);
  CHECK_FALSE(shared.sink.limits.empty());
}

TEST_CASE("escape: no file gives or takes privileges", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("data", "1");
  // Owned by whoever runs this; for root it is the classic set-user-id root program.
  const std::string copy = dir.path() + "/setid";
  std::filesystem::copy_file(support::hostile_program(), copy);
  REQUIRE(chmod(copy.c_str(), 06755) == 0);
  auto plan = hostile_plan(dir, {"privileges", copy, dir.path() + "/data"});
  support::add_bind(plan, copy, sandbox::NodeType::file, true, false);
  plan.landlock.push_back({copy, {}, sandbox::NodeType::file, sandbox::Access::read_exec});
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  const Answers got(r.out());
  REQUIRE(got.of("uid") >= 0);
  CHECK(got.of("uid_of_setid") == got.of("uid"));
  CHECK(got.of("euid_of_setid") == got.of("uid"));
  for (const char* name : {"setcap", "trusted", "immutable", "freeze", "clone_over"})
    CHECK(got.of(name) > 0);
  CHECK(dir.read("data") == "1");
  std::filesystem::remove(dir.path() + "/data");  // nothing made it immutable
}

TEST_CASE("escape: pages of a read grant stay as they are", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  const std::string content(4096, 'p');
  dir.write("data", content);
  auto plan = hostile_plan(dir, {"page-cache", dir.path() + "/data"});
  SECTION("without a memory cgroup") {}
  SECTION("where splicing is let through") {
    std::erase_if(plan.limits, [](const auto& limit) { return limit.name == "memory_bytes"; });
  }
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  CHECK(Answers(r.out()).of("shared_view") > 0);
  CHECK(dir.read("data") == content);
}

TEST_CASE("escape: signals reach nobody outside", "[escape][kernel]") {
  REQUIRE_CAGE();
  const pid_t bystander = fork();  // of the same user
  if (bystander == 0)
    for (;;) pause();
  const support::ScratchDir dir;
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"signal-all", std::to_string(bystander)}));
  CAPTURE(r.text());
  CHECK(Answers(r.out()).of("kill") == ESRCH);
  CHECK(Answers(r.out()).of("queue") == ESRCH);
  int status = 0;
  CHECK(waitpid(bystander, &status, WNOHANG) == 0);
  ::kill(bystander, SIGKILL);
  waitpid(bystander, &status, 0);
}

TEST_CASE("escape: the caller's signals, descriptors and their flags are not the tool's",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  int input[2] = {-1, -1};
  REQUIRE(pipe(input) == 0);
  // Far above what a loop over the usual numbers closes, and open across exec.
  rlimit files{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &files) == 0);
  const auto high = static_cast<int>(std::min<rlim_t>(files.rlim_cur, 60'000)) - 1;
  REQUIRE(dup2(input[1], high) == high);
  const auto old_child = signal(SIGCHLD, SIG_IGN);
  const auto old_pipe = signal(SIGPIPE, SIG_IGN);
  sandbox::LaunchOptions options;
  options.stdin_fd = input[0];
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"inherited"}), options);
  signal(SIGCHLD, old_child);
  signal(SIGPIPE, old_pipe);
  CAPTURE(r.text());
  const auto lines = lines_of(r.out());
  CHECK(lines.count("SigIgn:\t0000000000000000") == 1);
  CHECK(lines.count("SigBlk:\t0000000000000000") == 1);
  CHECK(Answers(r.out()).of("descriptors") == 3);
  CHECK((fcntl(input[0], F_GETFL) & O_NONBLOCK) == 0);
  CHECK((fcntl(input[1], F_GETFL) & O_NONBLOCK) == 0);
  for (const int fd : {input[0], input[1], high}) close(fd);
}

TEST_CASE("escape: a storm of signals makes no notified call fail", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"signal-storm", "2000"}));
  CAPTURE(r.text());
  CHECK(Answers(r.out()).of("interrupted") == 0);
  CHECK(Answers(r.out()).of("failed") == 0);
}

TEST_CASE("escape: those who die in the middle of a call leave no stale evidence",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"die-in-calls", "200"}));
  CAPTURE(r.text());
  CHECK(r.out() == "done\n");
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::exited);
  for (const auto& denial : r.sink.denials) CHECK(denial.object == "/usr/none");
  for (const auto& gap : r.sink.gaps) CHECK(gap.reason == "target_gone");
}

TEST_CASE("escape: a parent that waits in vfork meets the deadline", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"vfork-sleep"});
  support::set_limit(plan, "wall_ms", 300, sandbox::Enforcer::supervisor);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::wall_timeout);
  CHECK(r.result()->processes_left == 0);
}
