// SPDX-License-Identifier: Apache-2.0
// Quotas that a cage shares with its caller, and the death of its first process.
#include <signal.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>
#include <string>

#include "tests/escape/escape_run.h"

using namespace ethos;
using sandbox::Ending;
using support::Answers;
using support::hostile_plan;

TEST_CASE("escape: watchers of files leave the caller most of its own",
          "[escape][kernel][RES-14]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"watches"});
  support::set_limit(plan, "open_files", 1024, sandbox::Enforcer::rlimit);
  for (auto& mount : plan.mounts)
    if (mount.kind == sandbox::MountKind::scratch) mount.inodes = 30'000;
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  const Answers got(r.out());
  CHECK(got.of("inotify_init") == EMFILE);
  CHECK(got.of("instances") >= 8);  // tools that watch still can
  CHECK(got.of("instances") <= 32);
  CHECK(got.of("watches") >= 1000);
  CHECK(got.of("watches") <= 8192);
}

TEST_CASE("escape: pending signals and message queues have a share", "[escape][kernel][RES-14]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"queues"}));
  CAPTURE(r.text());
  const Answers got(r.out());
  CHECK(got.of("sigqueue") == EAGAIN);
  CHECK(got.of("pending") <= 2048);
  CHECK(got.of("raise_pending") == EPERM);
  CHECK(got.of("queue_bytes") <= 204'800);
}

namespace {

// Kills the cage's first process from outside as soon as the tool runs.
class KillingSink final : public sandbox::EvidenceSink {
 public:
  bool on_barrier(const sandbox::Enforced&) override { return true; }
  bool on_exec(const sandbox::ExecEvent& event) override {
    if (!event.is_tool) return true;
    std::ifstream status("/proc/" + std::to_string(event.pid) + "/status");
    for (std::string word; status >> word;) {
      if (word != "PPid:") continue;
      pid_t first = 0;
      status >> first;
      if (first > 1) ::kill(first, SIGKILL);
      break;
    }
    return true;
  }
  bool on_denial(const sandbox::Denial&) override { return true; }
  bool on_limit(const sandbox::LimitEvent&) override { return true; }
  bool on_gap(const sandbox::Gap& gap) override {
    gaps.push_back(gap);
    return true;
  }
  std::vector<sandbox::Gap> gaps;
};

}  // namespace

TEST_CASE("escape: a cage whose first process is killed is no tool that ended",
          "[escape][kernel][SIG-05]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"daemon"});
  plan.argv = {"/bin/sleep", "30"};
  sandbox::LaunchOptions options;
  options.stdout_fd = options.stderr_fd = -1;
  KillingSink sink;
  const auto outcome = sandbox::run_cage(plan, options, sink);
  const auto* result = std::get_if<sandbox::RunResult>(&outcome);
  REQUIRE(result != nullptr);
  CHECK(result->ending == Ending::evidence);
  CHECK(result->detail.find("first process") != std::string::npos);
  CHECK(result->processes_left == 0);
  REQUIRE(sink.gaps.size() == 1);
  CHECK(sink.gaps[0].reason == "source_lost");
}

TEST_CASE("escape: what a tool used is told, whoever waited for it", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  for (const char* end : {"by-itself", "flood"}) {
    CAPTURE(end);
    auto plan = hostile_plan(dir, {"use-unwaited", "250", "32", end});
    support::set_limit(plan, "output_bytes", 100'000, sandbox::Enforcer::supervisor);
    support::CageRun r{};
    support::run(r, plan);
    REQUIRE(r.result() != nullptr);
    const auto& usage = r.result()->usage;
    const auto ms = [](const timeval& t) { return t.tv_sec * 1000 + t.tv_usec / 1000; };
    // Told in hundredths of a second, user and system time each rounded down.
    CHECK(ms(usage.ru_utime) + ms(usage.ru_stime) >= 230);
    CHECK(usage.ru_maxrss >= 32 * 1024);
  }
}
