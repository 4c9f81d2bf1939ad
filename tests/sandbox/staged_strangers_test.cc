// SPDX-License-Identifier: Apache-2.0
// Bringing out while others write in the same directory, what `git` would take for a repository,
// and a runner that is killed between the clean-ups of two grants.
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "sandbox/dead_runs.h"
#include "tests/support/cage_plan.h"

using namespace ethos;

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

// The first temporary name in `dir`, whole; empty when there is none.
std::string temporary(const std::string& dir) {
  for (const auto& entry : std::filesystem::directory_iterator(dir))
    if (entry.path().filename().string().starts_with(".ethos-commit-"))
      return entry.path().string();
  return {};
}

}  // namespace

TEST_CASE("staged: what a stranger puts in the place of a prepared output does not come out",
          "[sandbox][kernel][SYM-05]") {
  REQUIRE_CAGE();
  // By the stranger: the whole output, or something in an output directory.
  const bool is_inner = GENERATE(false, true);
  const bool is_directory = is_inner || GENERATE(false, true);
  const support::ScratchDir dir;
  dir.write("out/kept", "old\n");
  auto plan = shell_plan(
      dir, is_directory ? "mkdir -p out/d/sub; echo mine > out/d/sub/f" : "echo mine > out/f");
  support::grant_write(plan, "out");
  std::string moved;
  sandbox::LaunchOptions options;
  options.commit_probe = [&] {
    const std::string name = temporary(dir.path() + "/out");
    if (!moved.empty() || name.empty()) return;
    const std::string target = is_inner ? name + "/sub" : name;
    if (is_inner && !std::filesystem::exists(target + "/f")) return;
    if (!is_inner && is_directory && !std::filesystem::exists(target + "/sub/f")) return;
    moved = dir.path() + "/moved";
    std::filesystem::rename(target, moved);
    if (is_directory) {
      std::filesystem::create_directory(target);
      dir.write(target.substr(dir.path().size() + 1) + "/f", "forged\n");
    } else {
      dir.write(target.substr(dir.path().size() + 1), "forged\n");
    }
  };
  support::CageRun r{};
  support::run(r, plan, options);
  CAPTURE(is_inner, is_directory, r.text());
  REQUIRE(r.result() != nullptr);
  REQUIRE_FALSE(moved.empty());
  CHECK_FALSE(r.result()->is_committed);
  CHECK(r.result()->artifacts.empty());
  CHECK_FALSE(dir.exists("out/d"));
  CHECK_FALSE(dir.exists("out/f"));
  CHECK(dir.read("out/kept") == "old\n");
  const auto refused = std::ranges::find_if(
      r.sink.denials, [](const sandbox::Denial& d) { return d.phase == sandbox::Phase::commit; });
  REQUIRE(refused != r.sink.denials.end());
  CAPTURE(refused->reason);
  CHECK(refused->reason.find("somebody else") != std::string::npos);
}

TEST_CASE("staged: what the host changed meanwhile is not lost", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/f", "old\n");
  auto plan = shell_plan(dir, "echo mine > out/f");
  support::grant_write(plan, "out");
  bool is_done = false;
  sandbox::LaunchOptions options;
  options.commit_probe = [&] {
    if (is_done || temporary(dir.path() + "/out").empty()) return;
    is_done = true;
    dir.write("out/edited", "by the host\n");
    std::filesystem::rename(dir.path() + "/out/edited", dir.path() + "/out/f");
  };
  support::CageRun r{};
  support::run(r, plan, options);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  REQUIRE(is_done);
  CHECK_FALSE(r.result()->is_committed);
  CHECK(dir.read("out/f") == "by the host\n");
  CHECK(temporary(dir.path() + "/out").empty());
}

TEST_CASE("staged: a directory that git takes for a repository keeps the grant in",
          "[sandbox][kernel][GIT-06]") {
  REQUIRE_CAGE();
  const bool copies = GENERATE(false, true);
  struct Case {
    const char* script;
    bool is_refused;
  };
  const std::vector<Case> cases = {
      {"mkdir -p out/r/objects out/r/refs out/r/hooks; echo 'ref: refs/heads/x' > out/r/HEAD; "
       "printf '[core]\\nfsmonitor=evil\\n' > out/r/config",
       true},
      {"mkdir -p out/a/r/Objects out/a/r/REFS; echo x > out/a/r/head", true},
      {"mkdir out/r; echo x > out/r/HEAD; echo ../elsewhere > out/r/commondir", true},
      {"echo x > out/r/objects; chmod +x out/r/objects; echo x > out/r/refs; echo x > out/r/HEAD "
       "2>/dev/null || { mkdir -p out/r; : > out/r/objects; : > out/r/refs; : > out/r/HEAD; }",
       true},
      // The host has a part of it.
      {"echo x > out/half/HEAD", true},
      {"mkdir -p out/bare/hooks; echo evil > out/bare/hooks/post-checkout", true},
      {"echo evil >> out/bare/config", true},
      // The grant's own directory.
      {"mkdir out/objects out/refs; echo x > out/HEAD", true},
      {"mkdir -p out/r/objects out/r/refs; echo no head > out/r/x", false},
      {"echo x > out/HEAD; mkdir out/objects", false},
      // Beside a repository that nobody touched, or that was opened and not changed.
      {"cat out/bare/config > /tmp/c; cat /tmp/c > out/bare/config; echo y > out/other", false},
  };
  for (const Case& c : cases) {
    const support::ScratchDir dir;
    dir.write("out/keep", "1");
    dir.write("out/half/objects/x", "1");
    dir.write("out/half/refs/x", "1");
    for (const char* name : {"HEAD", "config", "objects/x", "refs/x"})
      dir.write(std::string("out/bare/") + name, "1\n");
    const std::string before = dir.snapshot();
    auto plan = shell_plan(dir, c.script);
    support::grant_write(plan, "out");
    sandbox::LaunchOptions options;
    options.forces_copies = copies;
    support::CageRun r{};
    support::run(r, plan, options);
    CAPTURE(copies, c.script, r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(r.result()->is_committed != c.is_refused);
    if (!c.is_refused) {
      CHECK(dir.snapshot() != before);
      continue;
    }
    CHECK(dir.snapshot() == before);
    CHECK(std::ranges::any_of(r.sink.denials, [](const sandbox::Denial& d) {
      return d.phase == sandbox::Phase::commit && d.rule == "git";
    }));
  }
}

TEST_CASE("staged: a repository that two make together does not come out", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  struct Case {
    std::string script;
    std::vector<std::string> others;
  };
  const Case c = GENERATE(values<Case>({
      {"echo x > out/foo/HEAD; echo evil > out/foo/config", {"objects/k", "refs/k"}},
      {"mkdir out/foo/objects out/foo/refs; echo evil > out/foo/refs/x", {"HEAD"}},
      {"echo x > out/foo/HEAD", {"commondir"}},
  }));
  const support::ScratchDir dir;
  dir.write("out/foo/kept", "1\n");
  auto plan = shell_plan(dir, c.script);
  support::grant_write(plan, "out");
  bool is_made = false;
  bool is_locked = false;
  sandbox::LaunchOptions options;
  // The others' part comes when ours was judged already.
  options.commit_probe = [&] {
    const std::string foo = dir.path() + "/out/foo";
    const base::UniqueFd grant(open((dir.path() + "/out").c_str(), O_RDONLY | O_CLOEXEC));
    is_locked = is_locked || flock(grant.get(), LOCK_EX | LOCK_NB) != 0;
    if (is_made || temporary(foo).empty()) return;
    for (const std::string& name : c.others) dir.write("out/foo/" + name, "theirs\n");
    is_made = true;
  };
  support::CageRun r{};
  support::run(r, plan, options);
  CAPTURE(c.script, r.text());
  REQUIRE(r.result() != nullptr);
  REQUIRE(is_made);
  CHECK(is_locked);
  CHECK_FALSE(r.result()->is_committed);
  CHECK(r.result()->artifacts.empty());
  CHECK_FALSE(dir.exists("out/foo/config"));
  CHECK(temporary(dir.path() + "/out/foo").empty());
  for (const std::string& name : c.others) CHECK(dir.read("out/foo/" + name) == "theirs\n");
  CHECK(std::ranges::any_of(r.sink.denials, [](const sandbox::Denial& d) {
    return d.phase == sandbox::Phase::commit && d.rule == "git";
  }));
  const base::UniqueFd grant(open((dir.path() + "/out").c_str(), O_RDONLY | O_CLOEXEC));
  CHECK(flock(grant.get(), LOCK_EX | LOCK_NB) == 0);
}

TEST_CASE("staged: killed between the clean-ups of two grants, a later run completes both",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  for (const char* name : {"one/f", "two/f", "two/gone"}) dir.write(name, "old\n");
  auto plan = shell_plan(dir, "echo new > one/f; echo new > two/f; echo n > two/g; rm two/gone");
  support::grant_write(plan, "one");
  support::grant_write(plan, "two", true);
  const support::ScratchDir state;
  const ledger::LedgerFiles files = ledger::LedgerFiles::at(state.path() + "/l");
  std::filesystem::create_directory(files.runs());
  const std::string run = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const pid_t runner = fork();
  if (runner == 0) {
    sandbox::LaunchOptions options;
    options.commit_journal = sandbox::journal_of(files, run);
    options.decided_probe = [] { ::kill(getpid(), SIGKILL); };
    support::CageRun r{};
    support::run(r, plan, options);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(runner, &status, 0) == runner);
  REQUIRE(WIFSIGNALED(status));
  std::ostringstream said;
  REQUIRE(sandbox::undo_dead_commits(files, said));
  CAPTURE(said.str());
  CHECK(said.str().find("completed") != std::string::npos);
  for (const char* name : {"one/f", "two/f"}) CHECK(dir.read(name) == "new\n");
  CHECK(dir.read("two/g") == "n\n");
  CHECK_FALSE(dir.exists("two/gone"));
  for (const char* name : {"one", "two"}) CHECK(temporary(dir.path() + "/" + name).empty());
  for (const auto& entry : std::filesystem::directory_iterator(files.runs()))
    CHECK(entry.path().filename().string() == run);
}

TEST_CASE("staged: an ordinary user's tool changes what belongs to another group of his",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  if (geteuid() != 0) {
    WARN("skipped: only root can make a user with a second group");
    return;
  }
  const support::ScratchDir dir;
  constexpr uid_t kUser = 65501;
  constexpr gid_t kGroup = 65777;
  for (const char* name : {"out/f", "out/d/x", "out/shared/y"}) dir.write(name, "old\n");
  for (const char* name : {"", "/out", "/out/d", "/out/shared", "/out/f", "/out/d/x"})
    REQUIRE(chown((dir.path() + name).c_str(), kUser, *name == '\0' ? kUser : kGroup) == 0);
  REQUIRE(chmod((dir.path() + "/out/shared").c_str(), 02775) == 0);
  const pid_t user = fork();
  if (user == 0) {
    if (setgroups(1, &kGroup) != 0 || setresgid(kUser, kUser, kUser) != 0 ||
        setresuid(kUser, kUser, kUser) != 0 || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0)
      _exit(9);
    auto plan = shell_plan(dir,
                           "set -e; echo new >> out/f; echo new > out/d/y; "
                           "echo new >> out/d/x; mkdir out/shared/z; echo new > out/shared/n");
    support::grant_write(plan, "out");
    support::CageRun r{};
    support::run(r, plan);
    const auto* result = r.result();
    _exit(result == nullptr ? 8 : !result->is_committed ? 7 : result->status);
  }
  int status = 0;
  REQUIRE(waitpid(user, &status, 0) == user);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(dir.read("out/f") == "old\nnew\n");
  CHECK(dir.read("out/d/y") == "new\n");
  for (const char* name : {"out/f", "out/d/x", "out/shared/n", "out/shared/z"}) {
    struct stat found {};
    CAPTURE(name);
    REQUIRE(stat((dir.path() + "/" + name).c_str(), &found) == 0);
    CHECK(found.st_uid == kUser);
    CHECK(found.st_gid == kGroup);
  }
}
