// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>

#include "ledger/base/unique_fd.h"
#include "tests/escape/escape_run.h"

using namespace ethos;
using support::Answers;
using support::hostile_plan;

namespace {

void check_all_refused(const Answers& answers,
                       std::initializer_list<const char*> may_succeed = {}) {
  REQUIRE(answers.all().size() > 5);
  for (const auto& answer : answers.all()) {
    const auto& name = answer.first;  // clang 14 cannot capture a structured binding
    const auto& error = answer.second;
    if (std::any_of(may_succeed.begin(), may_succeed.end(),
                    [&](const char* n) { return name == n; }))
      continue;
    CAPTURE(name);
    CHECK(error > 0);
  }
}

}  // namespace

TEST_CASE("escape: nothing of a read grant can be changed", "[escape][kernel]") {
  REQUIRE_CAGE();
  for (const auto observe :
       {sandbox::Observe::off, sandbox::Observe::writes, sandbox::Observe::all}) {
    const support::ScratchDir dir;
    dir.write("data.txt", "precious");
    dir.write("sub/x", "1");
    const std::string before = dir.snapshot();
    auto plan = hostile_plan(dir, {"change-paths", dir.path() + "/data.txt", dir.path() + "/sub"});
    plan.observe = observe;
    support::CageRun r{};
    support::run(r, plan);
    CAPTURE(static_cast<int>(observe), r.text());
    REQUIRE(r.result() != nullptr);
    // Some tools ask to change owner to what it is already: the kernel still says no.
    check_all_refused(Answers(r.out()));
    CHECK(dir.snapshot() == before);
    if (observe == sandbox::Observe::off) continue;
    for (const char* call : {"openat", "openat2", "truncate", "unlink", "rename", "link", "symlink",
                             "mkdir", "chmod", "chown", "utimensat", "setxattr"}) {
      CAPTURE(call);
      const auto* denial = r.sink.find(call, dir.path());
      REQUIRE(denial != nullptr);
      CHECK(denial->outcome == sandbox::Outcome::denied);
      CHECK(denial->object_mark == sandbox::Mark::advisory);
      CHECK(denial->operation_mark == sandbox::Mark::kernel);
      CHECK(denial->rule == "outside-grants");
      REQUIRE(denial->where);
      CHECK(denial->where->base == sandbox::Base::workspace);
    }
  }
}

TEST_CASE("escape: mode, owner and times of a device are refused and recorded", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  const auto states = [] {
    std::vector<struct stat> out;
    for (const char* name : {"null", "zero", "full", "random", "urandom"}) {
      out.emplace_back();
      REQUIRE(stat((std::string("/dev/") + name).c_str(), &out.back()) == 0);
    }
    return out;
  };
  const auto before = states();
  auto plan = hostile_plan(dir, {"device_rights"});
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  const Answers answers(r.out());
  CHECK(answers.of("open") == 0);
  for (const char* name : {"chmod", "fchmodat", "fchmod", "chown", "fchown"}) {
    CAPTURE(name);
    CHECK(answers.of(name) == EPERM);
    const auto* denial = r.sink.find(name, "/dev/");
    REQUIRE(denial != nullptr);
    CHECK(denial->rule == "permission");
    CHECK(denial->error == EPERM);
  }
  for (const auto& [name, call] :
       {std::pair{"utimensat", "utimensat"}, std::pair{"futimens", "utimensat"},
        std::pair{"utime", "utime"}, std::pair{"utimes", "utimes"},
        std::pair{"futimesat", "futimesat"}}) {
    CAPTURE(name);
    CHECK(answers.of(name) == EPERM);
    CHECK(r.sink.find(call, "/dev/") != nullptr);
  }
  const auto after = states();
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(before[i].st_mode == after[i].st_mode);
    CHECK(before[i].st_uid == after[i].st_uid);
    CHECK(before[i].st_mtim.tv_sec == after[i].st_mtim.tv_sec);
    CHECK(before[i].st_mtim.tv_nsec == after[i].st_mtim.tv_nsec);
    CHECK(before[i].st_ctim.tv_sec == after[i].st_ctim.tv_sec);
    CHECK(before[i].st_ctim.tv_nsec == after[i].st_ctim.tv_nsec);
  }
}

TEST_CASE("escape: an act on a hidden directory is recorded, however it is named",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("hid/key", "1");
  auto plan = hostile_plan(dir, {"hidden-dots", dir.path() + "/hid"});
  support::hide(plan, "hid", false);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  for (const char* name : {"symlink", "rename", "rmdir", "mkdir", "link"}) {
    CAPTURE(name);
    CHECK(Answers(r.out()).of(name) == EACCES);
    const auto* denial = r.sink.find(name, "/hid");
    REQUIRE(denial != nullptr);
    CHECK(denial->rule == "hidden");
  }
}

TEST_CASE("escape: arguments that only the kernel may read are judged all the same",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("a.txt", "1");
  const std::string before = dir.snapshot();
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"unreadable-arguments", dir.path()}));
  CAPTURE(r.text());
  const Answers got(r.out());
  for (const std::string which : {"write_", "exec_"}) {
    for (const char* name : {"creat", "mkdir", "how", "b"}) {
      CAPTURE(which, name);
      const std::string call = name == std::string("how") ? "openat2"
                               : name == std::string("b") ? "bind"
                                                          : name;
      CHECK(got.of(which + call) == EACCES);
      CHECK(r.sink.find(call.c_str(), dir.path() + "/" + which + name) != nullptr);
    }
    CHECK(got.of(which + "filter") == EINVAL);
  }
  CHECK(got.of("nowhere") == EFAULT);
  CHECK(got.of("flags_asked") == EFAULT);
  CHECK(dir.snapshot() == before);
}

TEST_CASE("escape: a path below a descriptor is judged where it leads", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("a.txt", "1");
  auto plan = support::base_plan(
      dir.path(), {"/bin/sh", "-c", "exec 5<. 6</tmp; echo x > /proc/self/fd/5/a.txt; echo x > /dev/fd/5/b.txt; "
                                    "echo x > /proc/$$/fd/5/c.txt; echo x > /dev/fd/6/fine && echo wrote"});
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  for (const char* name : {"/a.txt", "/b.txt", "/c.txt"})
    CHECK(r.sink.find("openat", dir.path() + name) != nullptr);
  CHECK(r.out() == "wrote\n");
  CHECK(dir.read("a.txt") == "1");
}

TEST_CASE("escape: nothing outside the grants can be read or made", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  const support::ScratchDir other("/var/tmp");  // /tmp is the cage's own inside
  other.write("secret", "s3cret");
  auto plan =
      hostile_plan(dir, {"read-paths", "/etc/shadow", "/root/.ssh/id_rsa", other.path() + "/secret",
                         "/proc/1/root/etc/shadow", "/proc/kcore", "/proc/keys", "/proc/kallsyms",
                         "/proc/sysrq-trigger", "/sys/kernel", "/dev/kmsg", "/dev/vda", "/run",
                         "/home", "/var/log", "/boot", "/proc/1/environ", "/etc/no-such-thing",
                         "/no-such-thing", "/var/no-such-thing", "/etc/no-such-thing/below"});
  SECTION("observing writes") {}
  SECTION("observing everything") { plan.observe = sandbox::Observe::all; }
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  check_all_refused(Answers(r.out()));
  if (plan.observe == sandbox::Observe::all) {
    const auto* denial = r.sink.find("openat", other.path());
    REQUIRE(denial != nullptr);
    CHECK(denial->error == ENOENT);  // no answer tells what exists
    // What the host has and the cage does not show, whatever the kernel would have answered.
    for (const char* withheld : {"/etc/shadow", "/home", "/dev/kmsg"}) {
      CAPTURE(withheld);
      if (access(withheld, F_OK) != 0) continue;
      const auto* read = r.sink.find("openat", withheld);
      REQUIRE(read != nullptr);
      CHECK(read->error == ENOENT);
      CHECK(read->rule == "outside-grants");
    }
    for (const char* shut : {"/proc/1/environ", "/proc/kallsyms"}) {
      CAPTURE(shut);
      const auto* read = r.sink.find("openat", shut);
      REQUIRE(read != nullptr);
      CHECK(read->error == EACCES);
      CHECK(read->rule == "permission");
    }
    // What the host does not have either is kept from nobody.
    CHECK(r.sink.find("openat", "no-such-thing") == nullptr);
  }
  auto writes = hostile_plan(
      dir, {"write-paths", "/x", "/usr/x", "/etc/x", "/etc/passwd", "/dev/x", "/proc/x",
            "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/self/oom_score_adj",
            other.path() + "/secret", "/sys/fs/cgroup/cgroup.procs", "/var/x", "/home/x"});
  support::CageRun w{};
  support::run(w, writes);
  CAPTURE(w.text());
  check_all_refused(Answers(w.out()));
  CHECK(w.sink.find("openat", "core_pattern") != nullptr);
  CHECK(other.read("secret") == "s3cret");
}

TEST_CASE("escape: what exists on the host cannot even be asked", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  const support::ScratchDir other("/var/tmp");  // /tmp is the cage's own inside
  other.write("secret", "s3cret");
  std::vector<std::string> asked = {"stat-paths", other.path(), other.path() + "/secret",
                                    "/etc/shadow"};
  for (const std::string top : {"/root", "/home", "/sys", "/run", "/var", "/boot"}) {
    // The parents of the hostile program itself are there, empty but for it.
    if (support::hostile_program().rfind(top + "/", 0) != 0) asked.push_back(top);
  }
  support::CageRun r{};
  support::run(r, hostile_plan(dir, std::move(asked)));
  CAPTURE(r.text());
  const Answers answers_of_run(r.out());
  for (const auto& [name, error] : answers_of_run.all()) {
    CAPTURE(name);
    CHECK(error == ENOENT);
  }
}

TEST_CASE("escape: .git and hidden files give no byte and take none", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write(".git/config", "[remote] token=abc");
  dir.write(".git/hooks/pre-commit", "#!/bin/sh");
  dir.write(".env", "KEY=1");
  dir.write("out/x", "1");
  chmod((dir.path() + "/.git/config").c_str(), 0644);
  const std::string before = dir.snapshot();
  const std::string git = dir.path() + "/.git";
  auto plan = hostile_plan(dir, {"write-paths", git + "/config", git + "/hooks/post-checkout",
                                 git + "/HEAD", dir.path() + "/.env", git});
  support::hide(plan, ".git", true);
  support::hide(plan, ".env", false);
  support::grant_write(plan, "out");
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  const Answers answers_of_run(r.out());
  for (const auto& [name, error] : answers_of_run.all()) CHECK(error > 0);
  CHECK(dir.snapshot() == before);
  const auto* denial = r.sink.find("openat", "post-checkout");
  REQUIRE(denial != nullptr);
  CHECK(denial->rule == "git");
  REQUIRE(r.sink.find("openat", ".env") != nullptr);
  CHECK(r.sink.find("openat", ".env")->rule == "hidden");

  plan.argv = {plan.argv[0], "read-paths", git + "/config", dir.path() + "/.env", git};
  support::CageRun reading{};
  support::run(reading, plan);
  CAPTURE(reading.text());
  const Answers answers(reading.out());
  CHECK(answers.of(git + "/config") == ENOENT);
  CHECK(answers.of(dir.path() + "/.env") > 0);
  CHECK(answers.of(git) == 0);  // an empty directory, so that tools find the root
}

TEST_CASE("escape: a file .git, as worktrees have it, is masked too", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write(".git", "gitdir: /elsewhere");
  auto plan = hostile_plan(dir, {"read-paths", dir.path() + "/.git"});
  support::hide(plan, ".git", true);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  CHECK(r.out().find("bytes=0") != std::string::npos);
  plan.argv = {plan.argv[0], "write-paths", dir.path() + "/.git"};
  support::CageRun w{};
  support::run(w, plan);
  CHECK(Answers(w.out()).of(dir.path() + "/.git") > 0);
  CHECK(dir.read(".git") == "gitdir: /elsewhere");
}

TEST_CASE("escape: links, /proc roots and dotdot lead nowhere", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("data.txt", "precious");
  const std::string before = dir.snapshot();
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"link-tricks", dir.path() + "/data.txt"}));
  CAPTURE(r.text());
  check_all_refused(Answers(r.out()), {"fchdir"});
  CHECK(dir.snapshot() == before);
  CHECK(r.sink.find("openat", "data.txt") != nullptr);
}

TEST_CASE("escape: a path that changes while it is judged opens nothing more", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("data.txt", "precious");
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"path-race", dir.path() + "/data.txt"}));
  CAPTURE(r.text());
  CHECK(Answers(r.out()).of("stolen") == 0);
  CHECK(dir.read("data.txt") == "precious");
}

TEST_CASE("escape: a flood of denials is counted to the last one", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"denial-flood", "20000"}));
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == sandbox::Ending::exited);
  std::uint64_t recorded = 0;
  for (const auto& d : r.sink.denials) recorded += d.count;
  std::uint64_t lost = 0;
  for (const auto& g : r.sink.gaps) lost += g.count;
  CHECK(r.sink.denials.size() <= 4096);
  CHECK(recorded + lost == 20000);
  CHECK(r.result()->denials == 20000);
  REQUIRE_FALSE(r.sink.gaps.empty());
  CHECK(r.sink.gaps[0].reason == "flood");
}

TEST_CASE("escape: the environment is the plan's and nothing else", "[escape][kernel]") {
  REQUIRE_CAGE();
  setenv("AWS_SECRET_ACCESS_KEY", "leak-me", 1);
  const support::ScratchDir dir;
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"environment"}));
  CAPTURE(r.text());
  CHECK(r.out().find("leak-me") == std::string::npos);
  CHECK(r.out().find("HOME=/tmp/home\nLANG=C.UTF-8\nPATH=/usr/bin:/bin\nTMPDIR=/tmp\nraw=") == 0);
  unsetenv("AWS_SECRET_ACCESS_KEY");
}

TEST_CASE("escape: two runs share nothing, and nothing survives a run", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir("/var/tmp");
  // A name of this process: another user of the host's /tmp may have any plain one.
  const std::string name = "x-escape-" + std::to_string(getpid());
  auto first = support::base_plan(dir.path(), {"/bin/sh", "-c", "echo secret > /tmp/" + name + "; echo s > /dev/shm/y; ls /tmp"});
  support::CageRun r{};
  support::run(r, first);
  CAPTURE(r.text());
  CHECK(r.out() == "home\n" + name + "\n");
  auto second = support::base_plan(dir.path(), {"/bin/sh", "-c", "ls /tmp /dev/shm"});
  support::CageRun s{};
  support::run(s, second);
  CHECK(s.out() == "/dev/shm:\n\n/tmp:\nhome\n");
  CHECK(access(("/tmp/" + name).c_str(), F_OK) != 0);
}

TEST_CASE("escape: the host's file behind standard input cannot be changed",
          "[escape][kernel][FDL-04]") {
  REQUIRE_CAGE();
  for (const auto observe :
       {sandbox::Observe::off, sandbox::Observe::writes, sandbox::Observe::all}) {
    const support::ScratchDir dir;
    const support::ScratchDir elsewhere;
    elsewhere.write("input", "some text");
    struct stat before {};
    const std::string path = elsewhere.path() + "/input";
    REQUIRE(stat(path.c_str(), &before) == 0);
    auto plan = hostile_plan(dir, {"standard-input"});
    plan.observe = observe;
    const base::UniqueFd input(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    sandbox::LaunchOptions options;
    options.stdin_fd = input.get();
    support::CageRun r{};
    support::run(r, plan, options);
    CAPTURE(static_cast<int>(observe), r.text());
    CHECK(Answers(r.out()).of("read") == 9);
    CHECK(Answers(r.out()).of("ftruncate") > 0);
    struct stat after {};
    REQUIRE(stat(path.c_str(), &after) == 0);
    CHECK(after.st_mode == before.st_mode);
    CHECK(after.st_ctim.tv_sec == before.st_ctim.tv_sec);
    CHECK(after.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
    CHECK(elsewhere.read("input") == "some text");
  }
}
