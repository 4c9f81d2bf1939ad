// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "sandbox/based_path.h"
#include "sandbox/steps.h"
#include "tests/support/cage_plan.h"

using namespace ethos;
using sandbox::Ending;

namespace {

std::size_t open_descriptors() {
  std::size_t count = 0;
  DIR* dir = opendir("/proc/self/fd");
  while (readdir(dir) != nullptr) ++count;
  closedir(dir);
  return count;
}

}  // namespace

#define REQUIRE_CAGE()                                         \
  if (const auto why = support::why_no_cage(); !why.empty()) { \
    WARN("skipped: no cage here: " << why);                    \
    return;                                                    \
  }                                                            \
  static_cast<void>(0)

TEST_CASE("cage: /bin/true runs to its end and leaves nothing", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  const std::size_t before = open_descriptors();
  {
    support::CageRun r{};
    support::run(r, support::base_plan(dir.path(), {"/bin/true"}));
    CAPTURE(r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(r.result()->ending == Ending::exited);
    CHECK(r.result()->status == 0);
    CHECK(r.result()->processes_left == 0);
    CHECK(r.result()->is_cgroup_gone);
    REQUIRE(r.sink.barriers.size() == 1);
    CHECK(r.sink.denials.empty());
    REQUIRE(r.sink.execs.size() == 1);
    CHECK(r.sink.execs[0].is_tool);
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("cage: a cgroup of its own only where it was asked for or counts something",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  const auto found = sandbox::find_cgroup_parent("");
  if (!found) {
    WARN("skipped: no usable cgroup here");
    return;
  }
  const sandbox::Plan plan = support::base_plan(dir.path(), {"/bin/true"});
  for (const bool is_asked_for : {false, true}) {
    sandbox::LaunchOptions options;
    if (is_asked_for) options.cgroup_parent = found->path;
    support::CageRun r{};
    support::run(r, plan, options);
    CAPTURE(is_asked_for, r.text());
    // Another one's subtree, of a group that may not be entered from here.
    if (is_asked_for && r.refusal() != nullptr) continue;
    const bool has_leaf = is_asked_for || !found->controllers.empty();
    REQUIRE(r.result() != nullptr);
    REQUIRE(r.sink.barriers.size() == 1);
    CHECK(r.sink.barriers[0].cgroup.is_present == has_leaf);
    CHECK(r.result()->processes_left == 0);
    CHECK(r.result()->processes_left_source ==
          (has_leaf ? "cgroup.events populated" : "seccomp listener hang-up"));
  }
}

TEST_CASE("cage: the barrier shows what the kernel enforces", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  support::CageRun r{};
  const auto plan = support::base_plan(dir.path(), {"/bin/true"});
  support::run(r, plan);
  REQUIRE(r.sink.barriers.size() == 1);
  const sandbox::Enforced& e = r.sink.barriers[0];
  CHECK(e.status.no_new_privs);
  CHECK(e.status.seccomp_mode == 2);
  CHECK(e.status.cap_bounding == 0);
  CHECK(e.status.cap_effective == 0);
  CHECK(e.namespaces.size() == 7);
  for (const auto& ns : e.namespaces) CHECK(ns.is_own);
  CHECK(e.is_listener_live);
  CHECK(e.uid_map.size() == 1);
  REQUIRE(e.fds.size() == 4);
  CHECK(e.fds[0].kind == "null");
  CHECK(e.fds[1].kind == "pipe");
  CHECK(e.fds[2].kind == "pipe");
  CHECK(e.fds[3].kind == "init");
  CHECK(e.seccomp.name == "writes-none");
  CHECK(e.seccomp.bytes.size() % 8 == 0);
  CHECK(e.probes.size() >= 9);
  for (const auto& probe : e.probes) {
    CAPTURE(probe.name, probe.error);
    CHECK(probe.is_expected);
  }
  CHECK(sandbox::compare(plan, e).empty());
}

// The old root is taken away by one call or, when nothing granted lies in a directory at its top,
// by two: either way the cage must see the plan's mounts and nothing else.
TEST_CASE("cage: a grant of the host's root, with mounts below it, is refused",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = support::base_plan(dir.path(), {"/all/usr/bin/true"});
  std::erase_if(plan.mounts, [](const auto& m) { return !m.source.empty(); });
  std::erase_if(plan.landlock, [](const auto& rule) {
    return rule.at != "/proc" && rule.at != "/tmp" && rule.at != "/dev" && rule.at != "/dev/shm";
  });
  plan.links = {{"/lib", "all/usr/lib"}, {"/lib64", "all/usr/lib64"}, {"/usr", "all/usr"}};
  plan.cwd = "/tmp";
  support::add_bind(plan, "/", sandbox::NodeType::directory, true, false);
  plan.mounts.back().at = "/all";
  plan.mounts.back().where = sandbox::based_path("/all", plan.workspace);
  plan.landlock.push_back({"/all", sandbox::based_path("/all", plan.workspace),
                           sandbox::NodeType::directory, sandbox::Access::read_exec});
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  const auto* refusal = r.refusal();
  REQUIRE(refusal != nullptr);
  CHECK(refusal->step == "mount_bind");
}

TEST_CASE("cage: calls one after the other keep neither the clock nor the output waiting",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("a.txt", "1");
  auto plan = support::base_plan(
      dir.path(), {"/bin/sh", "-c",
                   "i=0; while [ $i -lt 2000 ]; do read x <a.txt; i=$((i+1)); done; echo so far; "
                   "while :; do read x <" +
                       dir.path() + "/a.txt; done"});
  plan.observe = sandbox::Observe::all;
  support::set_limit(plan, "wall_ms", 1'500, sandbox::Enforcer::supervisor);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::wall_timeout);
  CHECK(r.out() == "so far\n");
  CHECK(r.sink.gaps.empty());
  CHECK(r.sink.denials.empty());
}

TEST_CASE("cage: what the tool's ids may not read and root could is a denial",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  if (geteuid() != 0) return;
  constexpr uid_t kStranger = 65099;
  const support::ScratchDir dir;
  for (const char* file : {"m600", "d700/s", "list", "out/m600", "open"}) {
    dir.write(file, "1\n");
    REQUIRE(chown((dir.path() + "/" + file).c_str(), kStranger, kStranger) == 0);
  }
  REQUIRE(chown((dir.path() + "/d700").c_str(), kStranger, kStranger) == 0);
  REQUIRE(chmod((dir.path() + "/d700").c_str(), 0700) == 0);
  REQUIRE(chmod((dir.path() + "/m600").c_str(), 0600) == 0);
  REQUIRE(chmod((dir.path() + "/out/m600").c_str(), 0600) == 0);
  // A list that takes away: nothing for root, whose files are the tool's, all for others.
  const std::array<std::uint16_t, 22> list{2,      0,      1,    6, 0xffff, 0xffff, 2,    0,
                                           0,      0,      4,    4, 0xffff, 0xffff, 0x10, 4,
                                           0xffff, 0xffff, 0x20, 4, 0xffff, 0xffff};
  const bool has_list = setxattr((dir.path() + "/list").c_str(), "system.posix_acl_access",
                                 list.data(), sizeof list, 0) == 0;
  auto plan = support::base_plan(
      dir.path(),
      {"/bin/sh", "-c", "for f in m600 d700/s list out/m600 open; do cat $f $PWD/$f; done 2>&1"});
  support::grant_write(plan, "out");
  plan.observe = sandbox::Observe::all;
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  std::map<std::string, std::uint64_t> refused;
  for (const auto& denial : r.sink.denials)
    if (denial.rule == "permission") refused[denial.object] += denial.count;
  std::map<std::string, std::uint64_t> expected{
      {dir.path() + "/m600", 2}, {dir.path() + "/d700/s", 2}, {dir.path() + "/out/m600", 2}};
  if (has_list) expected[dir.path() + "/list"] = 2;
  CHECK(refused == expected);
  CHECK(r.out().ends_with("1\n1\n"));
}

TEST_CASE("cage: what the tool may not change as it belongs to others is a denial",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  if (geteuid() != 0) return;
  constexpr uid_t kStranger = 65099;
  const support::ScratchDir dir;
  const std::string out = dir.path() + "/out/";
  for (const char* file : {"f", "group", "open/f", "shut/f", "own"}) {
    dir.write(std::string("out/") + file, "1\n");
    REQUIRE(chmod((out + file).c_str(), 0666) == 0);
  }
  for (const char* theirs : {"f", "open", "open/f", "shut", "shut/f"})
    REQUIRE(chown((out + theirs).c_str(), kStranger, kStranger) == 0);
  REQUIRE(chown((out + "group").c_str(), 0, kStranger) == 0);
  REQUIRE(chmod((out + "open").c_str(), 0777) == 0);
  REQUIRE(chmod((out + "shut").c_str(), 0700) == 0);
  for (const auto observe : {sandbox::Observe::writes, sandbox::Observe::all}) {
    auto plan = support::base_plan(
        dir.path(),
        {"/bin/sh", "-c",
         "cd out; for p in '' $PWD/; do echo 2 >${p}f; echo 2 >>${p}group; chmod 600 ${p}f; "
         "touch ${p}f; rm -f ${p}f; mv ${p}f ${p}g; ln ${p}f ${p}l; mkdir ${p}open/d; "
         "echo 2 >${p}open/new; mv ${p}own ${p}open/; rm -f ${p}open/gone; echo 2 >${p}shut/f; "
         "rm -f ${p}shut/gone; echo 2 >${p}own; rm ${p}own; echo >${p}own; cat ${p}f; done 2>&-"});
    support::grant_write(plan, "out");
    plan.observe = observe;
    support::CageRun r{};
    support::run(r, plan);
    CAPTURE(r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(r.out() == "1\n1\n");
    std::set<std::string> refused;
    std::map<std::string, std::uint64_t> acts;  // a slow run tells of the same in two records
    for (const auto& denial : r.sink.denials) {
      if (!denial.object.starts_with(out)) continue;
      CHECK(denial.rule == "owner");
      CHECK(denial.error == EACCES);
      refused.insert(denial.operation + " " + denial.object.substr(out.size()));
      acts[denial.operation + " " + denial.object] += denial.count;
    }
    for (const auto& act : acts) {
      CAPTURE(act.first);
      CHECK(act.second % 2 == 0);
    }
    for (const char* act : {"openat f", "openat group", "fchmodat f", "utimensat f", "unlinkat f",
                            "linkat f", "mkdir open/d", "openat open/new", "openat shut/f"})
      CHECK(refused.count(act) == 1);
    CAPTURE(Catch::rangeToString(refused));
    CHECK(refused.count("unlinkat open/gone") == 0);
    CHECK(std::ranges::none_of(refused, [](const std::string& act) {
      return act.ends_with(" own") || act.ends_with(" open");
    }));
  }
}

TEST_CASE("cage: exit codes, signals and missing programs are told apart", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("plain.txt", "not a program");
  struct Case {
    std::vector<std::string> argv;
    Ending ending;
    int status;
  };
  const std::vector<Case> cases = {
      {{"/bin/sh", "-c", "exit 7"}, Ending::exited, 7},
      {{"/bin/sh", "-c", "exit 127"}, Ending::exited, 127},
      {{"/bin/sh", "-c", "kill -9 $$"}, Ending::signaled, SIGKILL},
      {{"/usr/bin/no-such-program"}, Ending::not_found, ENOENT},
      {{"/etc/passwd"}, Ending::not_executable, EACCES},
      {{dir.path() + "/plain.txt"}, Ending::not_executable, EACCES},
  };
  for (const Case& c : cases) {
    support::CageRun r{};
    support::run(r, support::base_plan(dir.path(), c.argv));
    CAPTURE(c.argv, r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(r.result()->ending == c.ending);
    CHECK(r.result()->status == c.status);
  }
}

TEST_CASE("cage: a failure of each set-up step refuses and leaves nothing", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("a.txt", "hello");
  dir.write("out/x", "1");
  const std::string before = dir.snapshot();
  const std::size_t descriptors = open_descriptors();
  const bool is_root = geteuid() == 0;
  for (auto i = 1U; i < static_cast<unsigned>(sandbox::Step::last); ++i) {
    const auto step = static_cast<sandbox::Step>(i);
    if (step == sandbox::Step::id_mapped_mount && !is_root) continue;
    auto plan = support::base_plan(dir.path(), {"/bin/sh", "-c", "echo ran > out/y"});
    support::grant_write(plan, "out");
    sandbox::LaunchOptions options;
    options.fault = {std::string(sandbox::step_name(step)), EIO};
    support::CageRun r{};
    support::run(r, plan, options);
    CAPTURE(sandbox::step_name(step), r.text());
    REQUIRE(r.refusal() != nullptr);
    CHECK(r.refusal()->step == sandbox::step_name(step));
    CHECK_FALSE(r.refusal()->cause.empty());
    CHECK_FALSE(r.refusal()->fix.empty());
    CHECK(r.sink.barriers.empty());
    CHECK(r.sink.execs.empty());
    CHECK(dir.snapshot() == before);
    CHECK(open_descriptors() == descriptors);
  }
}

TEST_CASE("cage: nothing starts when the evidence before the start is not kept",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/x", "1");
  auto plan = support::base_plan(dir.path(), {"/bin/sh", "-c", "echo ran > out/y"});
  support::grant_write(plan, "out");
  support::CageRun r{};
  r.sink.accepts_barrier = false;
  support::run(r, plan);
  CHECK(std::holds_alternative<sandbox::RunnerFailure>(r.outcome));
  CHECK(r.sink.execs.empty());
  CHECK_FALSE(dir.exists("out/y"));
}

TEST_CASE("cage: a granted object that was replaced is refused", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/x", "1");
  auto plan = support::base_plan(dir.path(), {"/bin/true"});
  support::grant_write(plan, "out");
  REQUIRE(rename((dir.path() + "/out").c_str(), (dir.path() + "/old").c_str()) == 0);
  SECTION("by another directory") { dir.write("out/x", "2"); }
  SECTION("by a link") { REQUIRE(symlink("/etc", (dir.path() + "/out").c_str()) == 0); }
  SECTION("by nothing") {}
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.refusal() != nullptr);
  CHECK(r.refusal()->step == "source");
}
