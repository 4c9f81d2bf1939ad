// SPDX-License-Identifier: Apache-2.0
// Memory that no process limit counts, where there is no memory cgroup.
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>

#include "sandbox/limit_watch.h"
#include "sandbox/shared_memory.h"
#include "sandbox/task_list.h"
#include "tests/escape/escape_run.h"

using namespace ethos;
using sandbox::Ending;
using support::Answers;
using support::hostile_plan;

namespace {

const sandbox::LimitEvent* memory_event(const support::CageRun& r) {
  for (const auto& l : r.sink.limits)
    if (l.name == "memory_bytes") return &l;
  return nullptr;
}

void run_limited(support::CageRun& r, std::uint64_t mib, std::vector<std::string> args,
                 sandbox::Network network = sandbox::Network::none) {
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, std::move(args));
  plan.network = network;
  support::set_limit(plan, "memory_bytes", mib << 20, sandbox::Enforcer::rlimit);
  support::set_limit(plan, "open_files", 4096, sandbox::Enforcer::rlimit);
  // To take so much may take long where many others want the processors.
  support::set_limit(plan, "wall_ms", 90'000, sandbox::Enforcer::supervisor);
  support::run(r, plan);
}

void check_killed(const support::CageRun& r, bool is_measured = true) {
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::limit);
  CHECK(r.result()->limit == "memory_bytes");
  const auto* event = memory_event(r);
  REQUIRE(event != nullptr);
  CHECK(event->action == sandbox::LimitAction::killed);
  CHECK(event->mark == sandbox::Mark::supervisor);
  // Else what may be in sockets that cannot be asked has ended it: only what was measured is
  // stated.
  if (is_measured) CHECK(event->observed > event->value);
}

}  // namespace

TEST_CASE("escape: without a memory cgroup there are no files in memory", "[escape][kernel]") {
  REQUIRE_CAGE();
  for (const bool may_exec_memory : {false, true}) {
    const support::ScratchDir dir;
    auto plan = hostile_plan(dir, {"memory-files", "256"});
    plan.may_exec_memory = may_exec_memory;
    support::set_limit(plan, "memory_bytes", 64U << 20, sandbox::Enforcer::rlimit);
    support::set_limit(plan, "wall_ms", 500, sandbox::Enforcer::supervisor);
    support::CageRun r{};
    support::run(r, plan);
    CAPTURE(may_exec_memory, r.text());
    CHECK(Answers(r.out()).of("memfd") == ENOSYS);
    CHECK(Answers(r.out()).of("mib") == 0);
    CHECK(r.sink.denials.empty());  // a call that is not there, as in an old kernel
  }
}

TEST_CASE("escape: filled socket buffers count as memory", "[escape][kernel]") {
  REQUIRE_CAGE();
  SECTION("both ends open") {
    support::CageRun r{};
    run_limited(r, 48, {"socket-buffers", "400"});
    CAPTURE(r.text());
    check_killed(r);
  }
  SECTION("the sending ends closed") {
    support::CageRun r{};
    run_limited(r, 48, {"socket-buffers", "400", "closed"});
    CAPTURE(r.text());
    check_killed(r, false);
  }
  SECTION("few of them are no reason to end anything") {
    support::CageRun r{};
    run_limited(r, 256, {"socket-buffers", "12", "open", "short"});
    CAPTURE(r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(r.result()->ending == Ending::exited);
    CHECK(memory_event(r) == nullptr);
  }
}

TEST_CASE("escape: so many sockets that nobody could ask them all count as memory",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  support::CageRun r{};
  run_limited(r, 96, {"many-sockets", "50", "1000"});
  CAPTURE(r.text());
  check_killed(r, false);
  // Some 200 MiB of structures: no product of counts and sizes that never were.
  CHECK(memory_event(r)->observed < (2ULL << 30));
}

// Who looks at a connection must not become the one who closes it last.
TEST_CASE("escape: connections that linger do not stop the clock", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  auto plan = hostile_plan(dir, {"tcp-linger", "900"});
  plan.network = sandbox::Network::loopback;
  support::set_limit(plan, "memory_bytes", 8ULL << 30, sandbox::Enforcer::rlimit);
  support::set_limit(plan, "open_files", 4096, sandbox::Enforcer::rlimit);
  support::set_limit(plan, "wall_ms", 5'000, sandbox::Enforcer::supervisor);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.out() == "started\n");
  CHECK((r.result()->ending == Ending::wall_timeout || r.result()->ending == Ending::limit));
  CHECK(r.result()->processes_left == 0);
}

TEST_CASE("escape: what waits in TCP buffers of the loopback counts as memory",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  SECTION("in connections") {
    support::CageRun r{};
    run_limited(r, 64, {"tcp-buffers", "300", "open"}, sandbox::Network::loopback);
    CAPTURE(r.text());
    // What is in segments may cost four times its bytes.
    check_killed(r, false);
    CHECK(memory_event(r)->observed > memory_event(r)->value / 8);
    CHECK(memory_event(r)->observed < (2ULL << 30));
  }
  SECTION("in connections that nobody accepted, and whose senders have closed") {
    support::CageRun r{};
    run_limited(r, 64, {"tcp-buffers", "300", "queued"}, sandbox::Network::loopback);
    CAPTURE(r.text());
    check_killed(r, false);
  }
  SECTION("few of them are no reason to end anything") {
    support::CageRun r{};
    run_limited(r, 256, {"tcp-buffers", "10", "short"}, sandbox::Network::loopback);
    CAPTURE(r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(r.result()->ending == Ending::exited);
    CHECK(r.out() == "filled\n");
    CHECK(memory_event(r) == nullptr);
  }
}

TEST_CASE("escape: pages that processes share are counted once", "[escape][kernel]") {
  REQUIRE_CAGE();
  support::CageRun r{};
  // Nine processes, each with 2 x 40 MiB of the same pages: 80 MiB, not 720.
  run_limited(r, 192, {"shared-pages", "40"});
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.out() == "done\n");
  CHECK(r.result()->ending == Ending::exited);
  CHECK(memory_event(r) == nullptr);
}

TEST_CASE("escape: memory is looked at more often the less is left of it", "[escape][RES-02]") {
  constexpr std::uint64_t kMi = 1U << 20;
  const auto pause = [](std::uint64_t limit, std::uint64_t used, std::uint64_t tasks,
                        std::uint64_t look_us = 0) {
    return sandbox::memory_pause_ms(limit * kMi, used * kMi, tasks, 4, look_us * 1000);
  };
  CHECK(pause(2048, 0, 1) == 100);
  CHECK(pause(64, 0, 1) == 8);
  CHECK(pause(64, 32, 1) == 5);
  CHECK(pause(2048, 1900, 1) == 18);
  CHECK(pause(2048, 1900, 100) == 9);  // no more than there are processors
  CHECK(pause(64, 100, 1) == 5);
  CHECK(pause(64, 60, 1, 2'000) == 16);
  CHECK(pause(64, 60, 1, 30'000) == 100);
}

TEST_CASE("escape: processes that are many and large for a moment count together",
          "[escape][kernel][RES-02]") {
  REQUIRE_CAGE();
  support::CageRun r{};
  run_limited(r, 64, {"short-crowd", "4", "45"});
  CAPTURE(r.text());
  check_killed(r);
}

TEST_CASE("escape: page tables count as memory", "[escape][kernel]") {
  REQUIRE_CAGE();
  support::CageRun r{};
  run_limited(r, 48, {"page-tables"});
  CAPTURE(r.text());
  check_killed(r);
}

TEST_CASE("escape: memory of a process whose first thread has ended counts",
          "[escape][kernel][RES-02]") {
  REQUIRE_CAGE();
  support::CageRun r{};
  run_limited(r, 48, {"dead-leader", "96"});
  CAPTURE(r.text());
  check_killed(r);
}

TEST_CASE("escape: shared memory that no page table shows counts", "[escape][kernel][RES-02]") {
  REQUIRE_CAGE();
  support::CageRun r{};
  SECTION("given back") { run_limited(r, 48, {"hidden-shared", "96"}); }
  SECTION("by one that nobody may look into") {
    run_limited(r, 48, {"hidden-shared", "96", "opaque"});
  }
  SECTION("one page left of the mapping") {
    if (geteuid() != 0) {
      WARN("skipped: only root sees the kernel's file of shared memory");
      return;
    }
    run_limited(r, 48, {"hidden-shared", "96", "unmapped"});
  }
  CAPTURE(r.text());
  check_killed(r);
}

TEST_CASE("escape: a large shared mapping of which little is used ends nothing",
          "[escape][kernel][RES-02]") {
  REQUIRE_CAGE();
  // So much shared memory of the host's that the tool's has to be looked at.
  constexpr std::size_t kSize = 48U << 20;
  void* at = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(at != MAP_FAILED);
  std::memset(at, 1, kSize);
  if (sandbox::HostFiles().shared_memory_beside() > 160U << 20 && geteuid() != 0) {
    munmap(at, kSize);
    WARN("skipped: this host holds much shared memory, and only root sees whose it is");
    return;
  }
  support::CageRun r{};
  run_limited(r, 256, {"empty-shared", "1024"});
  munmap(at, kSize);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::exited);
  CHECK(Answers(r.out()).of("mapped") == 1);
  CHECK(memory_event(r) == nullptr);
}

namespace {

// As a user who is not root: `measure` in a process of its own, given a process that maps 32 MiB of
// shared memory and lets nobody look into it.
template <typename Measure>
std::uint64_t ask_of_opaque_process(Measure measure) {
  int answer[2];
  int ready[2];
  REQUIRE(pipe(answer) == 0);
  REQUIRE(pipe(ready) == 0);
  const auto leave_root = [] {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) _exit(2);
  };
  const pid_t opaque = fork();
  REQUIRE(opaque >= 0);
  if (opaque == 0) {
    leave_root();
    constexpr std::size_t kSize = 32U << 20;
    void* at = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || prctl(PR_SET_DUMPABLE, 0) != 0 || write(ready[1], "x", 1) != 1)
      _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  const pid_t asking = fork();
  REQUIRE(asking >= 0);
  if (asking == 0) {
    leave_root();
    const std::uint64_t bytes = measure(opaque);
    _exit(write(answer[1], &bytes, sizeof bytes) == sizeof bytes ? 0 : 1);
  }
  std::uint64_t out = 0;
  CHECK(read(answer[0], &out, sizeof out) == sizeof out);
  kill(opaque, SIGKILL);
  waitpid(opaque, nullptr, 0);
  waitpid(asking, nullptr, 0);
  for (const int fd : {answer[0], answer[1], ready[0], ready[1]}) close(fd);
  return out;
}

}  // namespace

TEST_CASE("escape: shared memory that cannot be told is taken for the worst",
          "[escape][kernel][RES-02]") {
  constexpr std::uint64_t kSize = 32U << 20;
  // Its whole address space.
  CHECK(ask_of_opaque_process([](pid_t pid) {
          return sandbox::measure_shared_memory(pid, sandbox::shared_memory_device()).possible;
        }) >= kSize);
  // Without the device's name: every mapping that is shared.
  void* at = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(at != MAP_FAILED);
  std::memset(at, 1, kSize);
  for (const char* device : {"", sandbox::shared_memory_device().c_str()}) {
    const auto use = sandbox::measure_shared_memory(getpid(), device);
    CHECK(use.known + use.possible >= kSize);
  }
  CHECK(sandbox::shared_memory_of_host() >= sandbox::HostFiles().shared_memory_beside());
  munmap(at, kSize);
}

TEST_CASE("escape: mappings without a page count as memory", "[escape][kernel][RES-02]") {
  REQUIRE_CAGE();
  SECTION("very many") {
    support::CageRun r{};
    run_limited(r, 48, {"mappings", "6"});
    CAPTURE(r.text());
    check_killed(r);
  }
  SECTION("those of a usual process end nothing") {
    support::CageRun r{};
    run_limited(r, 256, {"mappings", "2", "short"});
    CAPTURE(r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(r.result()->ending == Ending::exited);
    CHECK(memory_event(r) == nullptr);
  }
}

TEST_CASE("escape: without a memory cgroup no byte holds a page in a pipe or socket",
          "[escape][kernel][RES-11]") {
  REQUIRE_CAGE();
  for (const auto observe :
       {sandbox::Observe::off, sandbox::Observe::writes, sandbox::Observe::all}) {
    const support::ScratchDir dir;
    auto plan = hostile_plan(dir, {"held-pages"});
    plan.observe = observe;
    support::set_limit(plan, "memory_bytes", 64U << 20, sandbox::Enforcer::rlimit);
    support::CageRun r{};
    support::run(r, plan);
    CAPTURE(static_cast<int>(observe), r.text());
    const Answers got(r.out());
    CHECK(got.of("vmsplice") == ENOSYS);
    for (const char* name : {"splice_file", "splice_socket", "sendfile"})
      CHECK(got.of(name) == EINVAL);  // as of files that do not know it: programs copy
    CHECK(r.sink.find("splice") == nullptr);
  }
}

TEST_CASE("escape: memory that a child borrows until it execs counts once",
          "[escape][kernel][RES-02]") {
  REQUIRE_CAGE();
  support::CageRun r{};
  run_limited(r, 96, {"borrowed-memory", "60"});
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::exited);
  CHECK(Answers(r.out()).of("ended") == 1);
  CHECK(memory_event(r) == nullptr);
}

TEST_CASE("escape: a look at memory ends in time, and what it did not get to counts in full",
          "[escape][kernel]") {
  constexpr std::size_t kSize = std::size_t{64} << 20U;
  constexpr sandbox::LookBudget kNoTime(0, 0);
  // Two processes that share all of it: once, it is counted once.
  void* const private_pages =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* const shared_pages =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(private_pages != MAP_FAILED);
  REQUIRE(shared_pages != MAP_FAILED);
  std::memset(private_pages, 1, kSize);
  std::memset(shared_pages, 1, kSize);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pause();
    _exit(0);
  }
  const auto none =
      sandbox::measure_shared_memory(getpid(), sandbox::shared_memory_device(), kNoTime);
  CHECK(none.known == 0);
  CHECK(none.possible >= 4 * kSize);  // both address spaces
  const std::uint64_t exact = sandbox::measure_memory_once(getpid(), 0);
  const std::uint64_t hasty = sandbox::measure_memory_once(getpid(), 0, kNoTime);
  CAPTURE(exact, hasty);
  CHECK(exact >= kSize);
  CHECK(hasty >= 3 * kSize);
  CHECK(hasty > exact);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  munmap(private_pages, kSize);
  munmap(shared_pages, kSize);
}
