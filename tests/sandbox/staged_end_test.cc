// SPDX-License-Identifier: Apache-2.0
// How bringing out ends: interrupted, too late, too deep, too much.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "sandbox/sha256.h"
#include "tests/support/cage_plan.h"

using namespace ethos;
using sandbox::Ending;

#define REQUIRE_CAGE()                                         \
  if (const auto why = support::why_no_cage(); !why.empty()) { \
    WARN("skipped: no cage here: " << why);                    \
    return;                                                    \
  }                                                            \
  static_cast<void>(0)

namespace {

sandbox::Plan shell_plan(const support::ScratchDir& dir, const std::string& script) {
  return support::base_plan(dir.path(), {"/bin/sh", "-c", script});
}

// The paths of all records of refused outputs.
std::vector<const sandbox::Denial*> refusals(const support::CageRun& r) {
  std::vector<const sandbox::Denial*> out;
  for (const auto& d : r.sink.denials)
    if (d.phase == sandbox::Phase::commit) out.push_back(&d);
  return out;
}

// Two grants with something of each kind to bring out.
sandbox::Plan two_grants(const support::ScratchDir& dir) {
  auto plan = shell_plan(dir,
                         "echo new > one/kept; echo a > one/a; mkdir one/d; echo b > one/d/b; "
                         "rm one/gone; echo same > one/same; echo new > two/kept; echo c > two/c");
  support::grant_write(plan, "one", true);
  support::grant_write(plan, "two");
  return plan;
}

void fill_two(const support::ScratchDir& dir) {
  for (const char* name : {"one/kept", "one/gone", "two/kept"}) dir.write(name, "old\n");
  dir.write("one/same", "same\n");
}

}  // namespace

TEST_CASE("staged: a signal at any step leaves every grant as it was", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir state;
  const std::string journal = state.path() + "/run.journal";
  std::size_t steps = 0;
  {
    const support::ScratchDir dir;
    fill_two(dir);
    sandbox::LaunchOptions options;
    options.commit_journal = journal;
    options.commit_probe = [&] { ++steps; };
    support::CageRun r{};
    support::run(r, two_grants(dir), options);
    CAPTURE(r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(r.result()->is_committed);
    CHECK(r.result()->artifacts.size() == 7);
    CHECK(dir.read("one/kept") == "new\n");
    CHECK(dir.read("two/c") == "c\n");
    CHECK_FALSE(dir.exists("one/gone"));
  }
  REQUIRE(steps > 20);
  for (std::size_t at = 1; at <= steps; ++at) {
    const support::ScratchDir dir;
    fill_two(dir);
    const std::string before = dir.snapshot();
    std::size_t now = 0;
    sandbox::LaunchOptions options;
    options.commit_journal = journal;
    options.commit_probe = [&] {
      if (++now == at) pthread_kill(pthread_self(), SIGTERM);
    };
    support::CageRun r{};
    support::run(r, two_grants(dir), options);
    CAPTURE(at, r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(r.result()->ending == Ending::interrupted);
    CHECK(r.result()->has_tool_ended);
    CHECK(r.result()->status == SIGTERM);
    CHECK_FALSE(r.result()->is_committed);
    CHECK(r.result()->artifacts.empty());
    CHECK(dir.snapshot() == before);
    CHECK(std::filesystem::is_empty(state.path()));
  }
}

TEST_CASE("staged: what takes too long is refused as a whole", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  fill_two(dir);
  const std::string before = dir.snapshot();
  sandbox::LaunchOptions options;
  options.commit_ms = 20;
  std::size_t looks = 0;
  options.commit_probe = [&] {
    const timespec nap{0, 1'500'000};
    if (++looks > 10) nanosleep(&nap, nullptr);
  };
  support::CageRun r{};
  support::run(r, two_grants(dir), options);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::exited);
  CHECK_FALSE(r.result()->is_committed);
  CHECK(r.result()->artifacts.empty());
  CHECK(dir.snapshot() == before);
  const auto refused = refusals(r);
  REQUIRE_FALSE(refused.empty());
  CHECK(refused[0]->rule == "time");
  CHECK(refused[0]->reason.find("20 ms") != std::string::npos);
}

TEST_CASE("staged: looking through a directory that is to be removed can be given up at each entry",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  constexpr std::size_t kFiles = 300;
  for (std::size_t i = 0; i < kFiles; ++i) dir.write("out/d/e/" + std::to_string(i), "1");
  for (const bool forces_copies : {false, true}) {
    auto plan = support::base_plan(dir.path(), {"/bin/sh", "-c", "rm -rf out/d"});
    support::grant_write(plan, "out", true);
    const std::string before = dir.snapshot();
    std::size_t looks = 0;
    sandbox::LaunchOptions options;
    options.forces_copies = forces_copies;
    // Once many looks have been taken, a signal: nothing is removed.
    options.commit_probe = [&] {
      if (++looks == kFiles) pthread_kill(pthread_self(), SIGTERM);
    };
    support::CageRun r{};
    support::run(r, plan, options);
    CAPTURE(forces_copies, looks, r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(r.result()->ending == Ending::interrupted);
    CHECK(dir.snapshot() == before);
  }
}

TEST_CASE("staged: holes come out as holes, with the digest of what they read as",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/kept", "1");
  auto plan =
      shell_plan(dir,
                 "truncate -s 1500000 out/hole; truncate -s 1500000 out/mixed; "
                 "printf middle > /tmp/m; dd if=/tmp/m of=out/mixed bs=1 seek=700000 conv=notrunc; "
                 "printf x > out/full");
  support::grant_write(plan, "out");
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  REQUIRE(r.result()->is_committed);
  std::string mixed(1'500'000, '\0');
  mixed.replace(700'000, 6, "middle");
  CHECK(dir.read("out/mixed") == mixed);
  CHECK(dir.read("out/hole") == std::string(1'500'000, '\0'));
  CHECK(dir.read("out/full") == "x");
  for (const auto& [name, content] :
       {std::pair("out/mixed", mixed), std::pair("out/full", std::string("x"))}) {
    const auto found = std::ranges::find_if(
        r.result()->artifacts, [&n = name](const auto& a) { return a.where.path == n; });
    REQUIRE(found != r.result()->artifacts.end());
    CHECK(found->bytes == content.size());
    CHECK(found->sha256 == sandbox::sha256(content));
  }
  struct stat hole {};
  struct stat middle {};
  REQUIRE(stat((dir.path() + "/out/hole").c_str(), &hole) == 0);
  REQUIRE(stat((dir.path() + "/out/mixed").c_str(), &middle) == 0);
  CHECK(hole.st_blocks * 512 < 300'000);
  CHECK(middle.st_blocks * 512 < 600'000);
}

TEST_CASE("staged: a tree too deep, or a path too long, is refused with its limit",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/kept", "1");
  const std::string before = dir.snapshot();
  struct Case {
    const char* script;
    const char* limit;
  };
  for (const Case& c :
       {Case{"p=out; i=0; while [ $i -lt 140 ]; do p=$p/d; i=$((i+1)); done; mkdir -p $p", "128"},
        Case{"n=$(printf %0200d 0); cd out; i=0; "
             "while [ $i -lt 20 ]; do mkdir $n; cd -P $n; i=$((i+1)); done; touch x",
             "3072"}}) {
    auto plan = shell_plan(dir, c.script);
    support::grant_write(plan, "out");
    support::CageRun r{};
    support::run(r, plan);
    CAPTURE(c.limit, r.text());
    REQUIRE(r.result() != nullptr);
    CHECK_FALSE(r.result()->is_committed);
    CHECK(dir.snapshot() == before);
    const auto refused = refusals(r);
    REQUIRE(refused.size() == 1);
    CHECK(refused[0]->rule == "depth");
    CHECK(refused[0]->object.size() <= 3072 + dir.path().size());
    CHECK(refused[0]->reason.find(c.limit) != std::string::npos);
    CHECK(refused[0]->reason.find("archive") != std::string::npos);
  }
}

TEST_CASE("staged: more changes than a journal can hold are refused before any is made",
          "[sandbox][kernel][slow]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  // The journal names each new file of a directory that was there with its whole path.
  std::string deep = "out";
  for (int i = 0; i < 14; ++i) deep += "/" + std::string(200, 'd');
  dir.write(deep + "/kept", "1");
  const std::string before = dir.snapshot();
  auto plan = shell_plan(
      dir, "cd " + deep + " && i=0; while [ $i -lt 6200 ]; do : > f$i; i=$((i+1)); done");
  support::grant_write(plan, "out");
  for (auto& mount : plan.mounts)
    if (mount.kind == sandbox::MountKind::staged)
      mount.inodes = 10'000, mount.size_bytes = 64U << 20;
  const support::ScratchDir state;
  sandbox::LaunchOptions options;
  options.commit_journal = state.path() + "/run.journal";
  support::CageRun r{};
  support::run(r, plan, options);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK_FALSE(r.result()->is_committed);
  CHECK(dir.snapshot() == before);
  CHECK(std::filesystem::is_empty(state.path()));
  const auto refused = refusals(r);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0]->rule == "quota");
  CHECK(refused[0]->reason.find("undo") != std::string::npos);
}
