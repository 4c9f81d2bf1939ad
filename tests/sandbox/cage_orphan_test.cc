// SPDX-License-Identifier: Apache-2.0
// What becomes of the set-up process when its supervisor is killed, at every step of both. This
// program defines the hook of the marks (ledger/base/step_mark.h), which is called in both.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

#include "ledger/base/step_mark.h"
#include "sandbox/raw_syscall.h"
#include "sandbox/steps.h"
#include "tests/support/cage_plan.h"

using namespace ethos;

namespace {

// Shared by the test, the supervisor (its fork) and the set-up process.
struct Board {
  std::atomic<int> is_reached{0};
  std::atomic<int> may_go_on{0};
  std::atomic<long> lock_word{0};  // what the set-up process finds at the lock's number
};

Board* board = nullptr;
const char* wanted = nullptr;
base::Side wanted_side = base::Side::child;
int lock_fd = -1;

void sleep_a_little() {
  const timespec pause{0, 2'000'000};
  sandbox::raw::call(SYS_nanosleep, &pause, nullptr);
}

}  // namespace

// No libc state: the set-up process runs in the supervisor's memory.
extern "C" void ethos_step_mark(int side, const char* name) {
  if (wanted == nullptr || side != static_cast<int>(wanted_side) || std::strcmp(name, wanted) != 0)
    return;
  board->lock_word = sandbox::raw::call(SYS_fcntl, lock_fd, F_GETFD);
  board->is_reached = 1;
  if (wanted_side == base::Side::supervisor)
    sandbox::raw::call(SYS_kill, sandbox::raw::call(SYS_getpid), SIGKILL);
  while (board->may_go_on == 0) sleep_a_little();
}

namespace {

constexpr int kTries = 5000;  // of 2 ms

// Runs a cage in a fork and kills it where the mark is passed. False: the mark was never passed.
bool kill_at(const support::ScratchDir& dir, base::Side side, const char* name) {
  board->is_reached = 0;
  board->may_go_on = 0;
  board->lock_word = 0;
  CAPTURE(name);
  const pid_t supervisor = fork();
  REQUIRE(supervisor >= 0);
  if (supervisor == 0) {
    wanted = name;
    wanted_side = side;
    const int lock = open((dir.path() + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    lock_fd = fcntl(lock, F_DUPFD_CLOEXEC, 200);  // where the set-up process opens nothing itself
    close(lock);
    if (flock(lock_fd, LOCK_EX | LOCK_NB) != 0) _exit(3);
    auto plan = support::base_plan(dir.path(), {"/bin/sleep", "100"});
    support::grant_write(plan, "out");
    support::set_limit(plan, "wall_ms", 300, sandbox::Enforcer::supervisor);
    support::CageRun r{};
    support::run(r, plan);
    _exit(0);
  }
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < kTries && board->is_reached == 0 && ended == 0; ++i) {
    ended = waitpid(supervisor, &status, WNOHANG);
    sleep_a_little();
  }
  if (ended == 0) {
    kill(supervisor, SIGKILL);
    REQUIRE(waitpid(supervisor, &status, 0) == supervisor);
  }
  // Exit status 3: a run before this one still holds the lock.
  if (WIFEXITED(status)) CHECK(WEXITSTATUS(status) == 0);
  // The supervisor is dead and waited for. Only where the signal is not set yet, or was taken away
  // by the change of uid, is the set-up process let go on: it has to see by itself that it is late.
  for (const char* early : {"first instruction", "parent_death"})
    if (std::strcmp(name, early) == 0) board->may_go_on = 1;
  return board->is_reached != 0;
}

// Orphans come to this process. Whether all ended by themselves; those who do not are ended.
bool are_all_gone() {
  for (int i = 0; i < kTries; ++i) {
    const pid_t got = waitpid(-1, nullptr, WNOHANG | __WALL);
    if (got < 0 && errno == ECHILD) return true;
    if (got == 0) sleep_a_little();
  }
  std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
  for (pid_t pid = 0; children >> pid;) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, __WALL);
  }
  return false;
}

bool is_lock_free(const support::ScratchDir& dir) {
  const int fd = open((dir.path() + "/lock").c_str(), O_RDWR | O_CLOEXEC);
  const bool is_free = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0;
  if (fd >= 0) close(fd);
  return is_free;
}

struct Setting {
  Setting() {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    void* at =
        mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) std::abort();
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): what is owned is the mapping
    board = ::new (at) Board;
    dir.write("out/x", "1");
  }
  support::ScratchDir dir;
};

}  // namespace

TEST_CASE("cage: the set-up process dies with its supervisor at every step of its own",
          "[sandbox][kernel]") {
  if (const auto why = support::why_no_cage(); !why.empty()) {
    WARN("skipped: no cage here: " << why);
    return;
  }
  const Setting setting;
  unsigned reached = 0;
  const auto try_at = [&](const char* name) {
    CAPTURE(name);
    const bool is_reached = kill_at(setting.dir, base::Side::child, name);
    CHECK(are_all_gone());
    CHECK(is_lock_free(setting.dir));
    if (!is_reached) return;
    ++reached;
    if (std::strcmp(name, "first instruction") != 0) CHECK(board->lock_word == -EBADF);
  };
  try_at("first instruction");
  for (auto i = static_cast<unsigned>(sandbox::Step::id_map);
       i <= static_cast<unsigned>(sandbox::Step::init); ++i) {
    const auto step = static_cast<sandbox::Step>(i);
    // The supervisor's own step.
    if (step != sandbox::Step::id_mapped_mount) try_at(sandbox::step_name(step).data());
  }
  CHECK(reached >= 20);
}

TEST_CASE("cage: the set-up process dies with its supervisor at every step of the supervisor",
          "[sandbox][kernel]") {
  if (const auto why = support::why_no_cage(); !why.empty()) {
    WARN("skipped: no cage here: " << why);
    return;
  }
  const Setting setting;
  for (const char* name :
       {"open granted trees", "clone", "id maps and mapped trees", "while the child builds",
        "wait for the child", "wait for the barrier", "read back", "release", "wait for a call"}) {
    CAPTURE(name);
    const bool is_reached = kill_at(setting.dir, base::Side::supervisor, name);
    CHECK(are_all_gone());
    CHECK(is_lock_free(setting.dir));
    CHECK((is_reached || (geteuid() != 0 && std::strstr(name, "trees") != nullptr)));
  }
}
