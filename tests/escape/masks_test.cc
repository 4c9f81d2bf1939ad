// SPDX-License-Identifier: Apache-2.0
// The host changes hidden names while a tool runs, and what a tool looks for in a hidden
// repository.
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/escape/escape_run.h"

using namespace ethos;
using sandbox::Ending;
using support::Answers;
using support::hostile_plan;

namespace {

// Does something on the host as soon as the tool runs.
class ActingSink final : public sandbox::EvidenceSink {
 public:
  explicit ActingSink(std::function<void()> act) : act_(std::move(act)) {}
  bool on_barrier(const sandbox::Enforced&) override { return true; }
  bool on_exec(const sandbox::ExecEvent& event) override {
    if (event.is_tool) act_();
    return true;
  }
  bool on_denial(const sandbox::Denial&) override { return true; }
  bool on_limit(const sandbox::LimitEvent&) override { return true; }
  bool on_gap(const sandbox::Gap& gap) override {
    gaps.push_back(gap);
    return true;
  }
  std::vector<sandbox::Gap> gaps;

 private:
  std::function<void()> act_;
};

sandbox::RunResult run_while(const support::ScratchDir& dir, const std::string& script,
                             std::function<void()> act, std::vector<sandbox::Gap>& gaps) {
  auto plan = support::base_plan(dir.path(), {"/bin/sh", "-c", script});
  support::hide(plan, ".env", false);
  support::hide(plan, "secrets", false);
  support::hide(plan, ".git", true);
  sandbox::LaunchOptions options;
  options.stdout_fd = options.stderr_fd = -1;
  ActingSink sink(std::move(act));
  auto outcome = sandbox::run_cage(plan, options, sink);
  gaps = sink.gaps;
  auto* result = std::get_if<sandbox::RunResult>(&outcome);
  REQUIRE(result != nullptr);
  return std::move(*result);
}

void fill(const support::ScratchDir& dir) {
  dir.write(".env", "KEY=1");
  dir.write("secrets/key", "2");
  dir.write(".git/config", "[core]");
  dir.write(".git/HEAD", "ref: x");
  dir.write("a.txt", "1");
  dir.write("sub/b", "1");
}

}  // namespace

TEST_CASE("escape: a hidden name that the host changes ends the run", "[escape][kernel][FSR-07]") {
  REQUIRE_CAGE();
  namespace fs = std::filesystem;
  const std::string act =
      GENERATE("rename over", "remove", "rename away", "replace directory", "replace .git");
  const support::ScratchDir dir;
  fill(dir);
  const fs::path at = dir.path();
  std::vector<sandbox::Gap> gaps;
  const auto result = run_while(
      dir, "i=0; while [ $i -lt 300 ]; do sleep 0.1; i=$((i+1)); done",
      [&] {
        dir.write("new", "KEY=new");
        if (act == "rename over") fs::rename(at / "new", at / ".env");
        if (act == "remove") fs::remove(at / ".env");
        if (act == "rename away") {
          fs::rename(at / ".env", at / "was");
          fs::rename(at / "new", at / ".env");
        }
        const char* directory = act == "replace directory" ? "secrets" : ".git";
        if (act.starts_with("replace")) {
          fs::rename(at / directory, at / "was");
          fs::create_directory(at / directory);
        }
      },
      gaps);
  CAPTURE(act, result.detail);
  CHECK(result.ending == Ending::evidence);
  CHECK(result.detail.find(act == "replace directory" ? "/secrets"
                           : act == "replace .git"    ? "/.git"
                                                      : "/.env") != std::string::npos);
  REQUIRE(gaps.size() == 1);
  CHECK(gaps[0].reason == "mask_lost");
  CHECK(result.processes_left == 0);
}

// In a layer the mask stays where it was, and the file is seen under the name that the host gave
// it. A copied layer shows nothing of what the host does.
TEST_CASE("escape: a hidden name under a write grant that the host changes ends the run",
          "[escape][kernel][FSR-07]") {
  REQUIRE_CAGE();
  namespace fs = std::filesystem;
  const std::string act = GENERATE("rename over", "remove", "rename away", "in place");
  const bool is_copied = GENERATE(false, true);
  const support::ScratchDir dir;
  dir.write("out/sub/.env", "KEY=1");
  dir.write("out/a.txt", "1");
  const fs::path at = fs::path(dir.path()) / "out/sub";
  const bool is_told = act != "in place" && !is_copied;
  auto plan = support::base_plan(
      dir.path(), {"/bin/sh", "-c",
                   is_told ? "i=0; while [ $i -lt 300 ]; do sleep 0.1; i=$((i+1)); done"
                           : "sleep 0.8; cat out/sub/* out/sub/.env out/sub/was; true"});
  support::grant_write(plan, "out", true);
  support::hide(plan, "out/sub/.env", false);
  plan.hide_patterns = {"**/.env"};
  sandbox::LaunchOptions options;
  options.stdout_fd = options.stderr_fd = -1;
  options.keep_stdout = true;
  options.forces_copies = is_copied;
  ActingSink sink([&] {
    dir.write("out/new", "KEY=new");
    if (act == "rename over") fs::rename(at / "../new", at / ".env");
    if (act == "remove") fs::remove(at / ".env");
    if (act == "rename away") fs::rename(at / ".env", at / "was");
    if (act == "in place") dir.write("out/sub/.env", "KEY=2");
  });
  const auto outcome = sandbox::run_cage(plan, options, sink);
  const auto* result = std::get_if<sandbox::RunResult>(&outcome);
  REQUIRE(result != nullptr);
  CAPTURE(act, is_copied, result->detail, result->out.kept);
  CHECK(result->ending == (is_told ? Ending::evidence : Ending::exited));
  CHECK(sink.gaps.size() == (is_told ? 1U : 0U));
  if (is_told) CHECK(sink.gaps[0].reason == "mask_lost");
  CHECK(result->out.kept.find("KEY") == std::string::npos);
}

// The tool reads and leaves while the supervisor has many calls to answer: no event of the table of
// mounts comes before the word of its end.
TEST_CASE("escape: a hidden name that is read in the last moment is said",
          "[escape][kernel][FSR-07]") {
  REQUIRE_CAGE();
  namespace fs = std::filesystem;
  for (int round = 0; round < 6; ++round) {
    const support::ScratchDir dir;
    fill(dir);
    const fs::path at = dir.path();
    auto plan = support::hostile_plan(dir, {"read-and-leave", dir.path() + "/.env"});
    support::hide(plan, ".env", false);
    std::thread host([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
      dir.write("new", "KEY=new");
      fs::rename(at / "new", at / ".env");
    });
    support::CageRun r{};
    support::run(r, plan);
    host.join();
    CAPTURE(round, r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(r.result()->ending == Ending::evidence);
    CHECK(r.sink.gaps.size() == 1);
  }
}

TEST_CASE("escape: what else the host changes ends nothing", "[escape][kernel][FSR-07]") {
  REQUIRE_CAGE();
  namespace fs = std::filesystem;
  const support::ScratchDir dir;
  fill(dir);
  const fs::path at = dir.path();
  std::vector<sandbox::Gap> gaps;
  const auto result = run_while(
      dir, "sleep 1.5",
      [&] {
        dir.write("new", "2");
        fs::rename(at / "new", at / "a.txt");
        fs::remove_all(at / "sub");
        dir.write(".env", "KEY=changed in place");
        dir.write(".git/config", "[other]");
        dir.write("secrets/second", "3");
      },
      gaps);
  CAPTURE(result.detail);
  CHECK(result.ending == Ending::exited);
  CHECK(gaps.empty());
}

TEST_CASE("escape: a look into a hidden repository is a denial where the host has the file",
          "[escape][kernel][FSR-07]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  fill(dir);
  auto plan = support::base_plan(
      dir.path(), {"/bin/sh", "-c",
                   "for f in .git/config .git/none .git/HEAD/x; do : < $f; done 2>/dev/null; "
                   "ls .git; ls .git/objects; true"});
  support::hide(plan, ".git", true);
  plan.observe = sandbox::Observe::all;
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  const auto* denial = r.sink.find("openat", "/.git/config");
  REQUIRE(denial != nullptr);
  CHECK(denial->rule == "git");
  CHECK(denial->error == ENOENT);  // as of a file that nobody has
  CHECK(r.sink.find("openat", "/.git/none") == nullptr);
  CHECK(r.sink.find("openat", "/.git/objects") == nullptr);
  for (const auto& d : r.sink.denials) CHECK(d.object != dir.path() + "/.git");
}

TEST_CASE("escape: dotdot stops at the grant when the host moves directories away",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  namespace fs = std::filesystem;
  const support::ScratchDir dir;
  const support::ScratchDir elsewhere;
  dir.write("a/b/here", "1");
  elsewhere.write("secret", "stolen");
  auto plan = support::base_plan(
      dir.path(),
      {"/bin/sh", "-c",
       "cd -P a/b || exit 9; i=0; while [ $i -lt 200 ] && [ -e ../b ]; do sleep 0.05; "
       "i=$((i+1)); done; cat ../secret ../../secret 2>/dev/null; ls .. 2>/dev/null; echo end"});
  sandbox::LaunchOptions options;
  options.stdout_fd = options.stderr_fd = -1;
  options.keep_stdout = true;
  ActingSink sink(
      [&] { fs::rename(fs::path(dir.path()) / "a/b", fs::path(elsewhere.path()) / "c"); });
  const auto outcome = sandbox::run_cage(plan, options, sink);
  const auto* result = std::get_if<sandbox::RunResult>(&outcome);
  REQUIRE(result != nullptr);
  CAPTURE(result->out.kept);
  CHECK(result->out.kept.find("end") != std::string::npos);
  CHECK(result->out.kept.find("stolen") == std::string::npos);
  CHECK(result->out.kept.find("secret") == std::string::npos);
}

TEST_CASE("escape: a tool that moves what is hidden in its own layer reads nothing of it",
          "[escape][kernel][FSR-07]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/dir/.env", "KEY=1");
  dir.write("out/dir/x", "1");
  auto plan = support::base_plan(
      dir.path(), {"/bin/sh", "-c",
                   "mv out/dir out/moved; cat out/moved/.env out/dir/.env; cp -r out/moved /tmp/c; "
                   "cat /tmp/c/.env; sleep 0.5; exit 0"});
  support::grant_write(plan, "out", true);
  support::hide(plan, "out/dir/.env", false);
  plan.hide_patterns = {"**/.env"};
  sandbox::LaunchOptions options;
  options.forces_copies = GENERATE(false, true);
  support::CageRun r{};
  support::run(r, plan, options);
  CAPTURE(options.forces_copies, r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::exited);
  CHECK(r.out().find("KEY") == std::string::npos);
  CHECK(r.sink.gaps.empty());
  CHECK(dir.read("out/dir/.env") == "KEY=1");
  CHECK_FALSE(dir.exists("out/moved/.env"));
}

// A mask is no program, so that the kernel says no for a reason that every host could have.
TEST_CASE("escape: starting what is hidden is recorded as what it is", "[escape][kernel][EVD-35]") {
  REQUIRE_CAGE();
  namespace fs = std::filesystem;
  struct Case {
    const char* file;
    const char* denied;  // the object; nullptr: nothing is kept from the tool
    const char* rule;
    int error;
  };
  const Case cases[] = {
      {"/tool", "/tool", "hidden", EACCES},
      {"/plain", "/plain", "hidden", EACCES},
      {"/linked", "/tool", "hidden", EACCES},
      {"/by_tool", "/tool", "hidden", EACCES},
      {"/by_hook", "/.git/hooks/h", "git", ENOENT},
      {"/secrets/t", "/secrets/t", "hidden", EACCES},
      {"/secrets/missing", "/secrets/missing", "hidden", EACCES},
      {"/.git/hooks/h", "/.git/hooks/h", "git", ENOENT},
      {"/.git/hooks/missing", nullptr, nullptr, ENOENT},
      {"/secrets", nullptr, nullptr, EACCES},
      {"/.git", nullptr, nullptr, EACCES},
  };
  const auto observe = GENERATE(sandbox::Observe::writes, sandbox::Observe::all);
  const support::ScratchDir dir;
  for (const char* name : {"tool", "plain", "secrets/t", ".git/hooks/h"}) {
    dir.write(name, "#!/bin/true\n");
    fs::permissions(dir.path() + "/" + name, fs::perms(std::string(name) == "plain" ? 0644 : 0755));
  }
  fs::create_symlink("tool", dir.path() + "/linked");
  for (const auto& [name, by] : {std::pair("by_tool", "/tool"), {"by_hook", "/.git/hooks/h"}}) {
    dir.write(name, "#!" + dir.path() + by + "\n");
    fs::permissions(dir.path() + "/" + name, fs::perms(0755));
  }
  for (const Case& c : cases) {
    const std::string file = c.file;
    auto plan = hostile_plan(dir, {"start", "path", dir.path() + file});
    support::add_bind(plan, dir.path(), sandbox::NodeType::directory, true, false);
    plan.landlock.push_back(
        {dir.path(), {}, sandbox::NodeType::directory, sandbox::Access::read_exec});
    for (const char* name : {"tool", "plain", "secrets"}) support::hide(plan, name, false);
    support::hide(plan, ".git", true);
    plan.observe = observe;
    support::CageRun r{};
    support::run(r, plan);
    CAPTURE(file, static_cast<int>(observe), r.text());
    CHECK(r.sink.gaps.empty());
    CHECK(r.sink.execs.size() == 1);
    CHECK(Answers(r.out()).of("exec") == c.error);
    std::vector<sandbox::Denial> starts;
    for (const auto& denial : r.sink.denials)
      if (denial.operation == "execve") starts.push_back(denial);
    REQUIRE(starts.size() == (c.denied == nullptr ? 0 : 1));
    if (c.denied == nullptr) continue;
    CHECK(starts[0].object == dir.path() + c.denied);
    CHECK(starts[0].rule == c.rule);
    CHECK(starts[0].error == c.error);
  }
}
