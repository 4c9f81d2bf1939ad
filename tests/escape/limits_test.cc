// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <thread>

#include "tests/escape/escape_run.h"

using namespace ethos;
using sandbox::Ending;
using support::Answers;
using support::hostile_plan;

namespace {

const sandbox::LimitEvent* find_limit(const support::CageRun& r, const std::string& name) {
  for (const auto& l : r.sink.limits)
    if (l.name == name) return &l;
  return nullptr;
}

}  // namespace

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

TEST_CASE("escape: no signal makes a fork fail", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"fork-with-handler", "2000"});
  support::set_limit(plan, "pids", 64, sandbox::Enforcer::supervisor);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  CHECK(Answers(r.out()).of("fork") == 0);
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

TEST_CASE("escape: many processes below the limit of one are stopped by their sum",
          "[escape][kernel]") {
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

TEST_CASE("escape: what a tool leaves in its pipe counts", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"write-and-leave", "60000"});
  support::set_limit(plan, "output_bytes", 1024, sandbox::Enforcer::supervisor);
  for (int round = 0; round < 3; ++round) {
    support::CageRun r{};
    support::run(r, plan);
    REQUIRE(r.result() != nullptr);
    CHECK(r.result()->ending == Ending::limit);
    CHECK(r.result()->limit == "output_bytes");
    CHECK(r.out().size() == 1024);
    REQUIRE(find_limit(r, "output_bytes") != nullptr);
  }
  plan.truncate_output = true;
  support::CageRun t{};
  support::run(t, plan);
  REQUIRE(t.result() != nullptr);
  CHECK(t.result()->ending == Ending::exited);
  CHECK(t.out().size() == 1024);
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
  CHECK(find_limit(r, "file_bytes")->mark == sandbox::Mark::supervisor);
  CHECK(find_limit(r, "file_bytes")->observed == 1U << 20);
}

TEST_CASE("escape: a signal that the tool sends itself makes no limit reached",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = support::base_plan(dir.path(), {"/bin/sh", "-c", "echo x > /tmp/x; kill -XFSZ $$"});
  support::set_limit(plan, "file_bytes", 1U << 20, sandbox::Enforcer::rlimit);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  CHECK(r.result()->ending == Ending::signaled);
  CHECK(r.result()->status == SIGXFSZ);
  CHECK(find_limit(r, "file_bytes") == nullptr);
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
