// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>

#include "ledger/base/paths.h"
#include "sandbox/commit_journal.h"
#include "sandbox/commit_rules.h"
#include "sandbox/commit_steps.h"
#include "sandbox/hostile_name.h"
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

// The last names of files whose bytes were waited for, in order.
std::vector<std::string>& waited_for() {
  static std::vector<std::string> names;
  return names;
}

}  // namespace

// Found by the linker before the library's.
extern "C" int fdatasync(int fd) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  if (readlink(link.c_str(), path.data(), path.size() - 1) > 0)
    waited_for().push_back(std::filesystem::path(path.data()).filename().string());
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}

namespace {

// Staged grants have two forms, and both must behave alike.
bool copies_layers = false;

// Runs a shell script with `out` granted for writing.
void run_script(support::CageRun& r, const support::ScratchDir& dir, const std::string& script,
                bool allow_delete = false, const std::string& grant = "out") {
  auto plan = support::base_plan(dir.path(), {"/bin/sh", "-c", script});
  support::grant_write(plan, grant, allow_delete);
  plan.hide_patterns = {"**/.env", "**/*.pem"};
  sandbox::LaunchOptions options;
  options.forces_copies = copies_layers;
  support::run(r, plan, options);
}

const sandbox::Artifact* find(const sandbox::RunResult& result, const std::string& path) {
  for (const auto& artifact : result.artifacts)
    if (artifact.where.path == path) return &artifact;
  return nullptr;
}

}  // namespace

TEST_CASE("staged: what the tool wrote comes out with its digest", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  copies_layers = GENERATE(false, true);
  const support::ScratchDir dir;
  dir.write("out/old.txt", "old\n");
  dir.write("out/same.txt", "same\n");
  struct stat before {};
  REQUIRE(stat((dir.path() + "/out/old.txt").c_str(), &before) == 0);
  support::CageRun r{};
  run_script(r, dir,
             "echo new > out/old.txt; echo x > out/a.txt; mkdir -p out/d/e; echo y > out/d/e/f; "
             "chmod 750 out/d; touch out/same.txt; ls out/old.txt");
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->is_committed);
  CHECK(r.result()->commit_refusals.empty());
  CHECK(dir.read("out/old.txt") == "new\n");
  CHECK(dir.read("out/a.txt") == "x\n");
  CHECK(dir.read("out/d/e/f") == "y\n");
  struct stat after {};
  REQUIRE(stat((dir.path() + "/out/d").c_str(), &after) == 0);
  CHECK((after.st_mode & 07777) == 0750);
  CHECK(after.st_uid == before.st_uid);
  REQUIRE(find(*r.result(), "out/old.txt") != nullptr);
  CHECK(find(*r.result(), "out/old.txt")->action == "replaced");
  CHECK(find(*r.result(), "out/old.txt")->bytes == 4);
  REQUIRE(find(*r.result(), "out/a.txt") != nullptr);
  CHECK(find(*r.result(), "out/a.txt")->action == "created");
  CHECK(find(*r.result(), "out/d/e/f") != nullptr);
  CHECK(find(*r.result(), "out/same.txt") == nullptr);
  // No temporary name is left.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path()))
    CHECK(entry.path().filename().string().find(".ethos") == std::string::npos);
}

TEST_CASE("staged: bytes are on the disk before their name is", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  copies_layers = GENERATE(false, true);
  const support::ScratchDir dir;
  dir.write("out/old.txt", "old\n");
  dir.write("out/same.txt", "same\n");
  waited_for().clear();
  support::CageRun r{};
  run_script(
      r, dir,
      std::string("echo new > out/old.txt; mkdir out/d; echo x > out/d/a; echo y > out/locked; "
                  "touch out/same.txt; chmod ") +
          // What an ordinary user cannot read stays in the layer.
          (geteuid() == 0 ? "200" : "600") + " out/locked");
  REQUIRE(r.result() != nullptr);
  REQUIRE(r.result()->is_committed);
  // Under the temporary name, or inside a directory that has one.
  const auto count = [](const std::string& beginning) {
    return std::ranges::count_if(
        waited_for(), [&](const std::string& name) { return name.starts_with(beginning); });
  };
  CHECK(count(".ethos-") == 2);
  CHECK(count("a") == 1);
  CHECK(waited_for().size() == 3);
  waited_for().clear();
  support::CageRun none{};
  run_script(none, dir, "touch out/same.txt; cat out/old.txt");
  REQUIRE(none.result() != nullptr);
  CHECK(waited_for().empty());
}

TEST_CASE("staged: one refused name keeps the whole grant in", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  copies_layers = GENERATE(false, true);
  struct Case {
    const char* script;
    const char* rule;
    const char* path;
  };
  const std::vector<Case> cases = {
      {"ln -s /etc/passwd out/link", "link", "out/link"},
      {"mkdir -p out/.git/hooks; echo x > out/.git/hooks/post-checkout", "git", "out/.git"},
      {"echo x > out/.GIT", "git", "out/.GIT"},
      {"mkdir 'out/GIT~1'", "git", "out/GIT~1"},
      {"echo x > out/sub; mkdir out/d; echo x > 'out/d/.gIt. '", "git", "out/d/.gIt. "},
      {"echo x > out/.ethos-commit-00-0", "policy", "out/.ethos-commit-00-0"},
      {"mkfifo out/pipe", "node", "out/pipe"},
      {"echo secret > out/.env", "hidden", "out/.env"},
      {"mkdir -p out/a; echo k > out/a/key.pem", "hidden", "out/a/key.pem"},
      {"rm out/keep", "delete", "out/keep"},
      {"rm -r out/dir; mkdir out/dir", "delete", "out/dir"},
      {"rm out/keep; mkdir out/keep", "delete", "out/keep"},
      {"truncate -s 60M out/sparse", "quota", "out/sparse"},
      {"mkdir out/m; for i in a b c d; do truncate -s 3M out/m/$i; done", "quota", "out/m/"},
      {"mkdir out/m; truncate -s 3M out/m/a; for i in b c d; do ln out/m/a out/m/$i; done", "quota",
       "out/m/"},
  };
  for (const Case& c : cases) {
    const support::ScratchDir dir;
    dir.write("out/keep", "1");
    dir.write("out/dir/inner", "2");
    const std::string before = dir.snapshot();
    support::CageRun r{};
    run_script(r, dir, std::string("echo good > out/good; ") + c.script);
    CAPTURE(c.script, r.text());
    REQUIRE(r.result() != nullptr);
    CHECK_FALSE(r.result()->is_committed);
    CHECK(r.result()->artifacts.empty());
    CHECK(dir.snapshot() == before);
    const auto found = std::find_if(
        r.sink.denials.begin(), r.sink.denials.end(),
        [&](const sandbox::Denial& d) { return d.where && d.where->path.starts_with(c.path); });
    REQUIRE(found != r.sink.denials.end());
    CHECK(found->phase == sandbox::Phase::commit);
    CHECK(found->rule == c.rule);
    CHECK(found->object_mark == sandbox::Mark::supervisor);
  }
}

TEST_CASE("staged: policy files are never brought out, whatever their case", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  copies_layers = GENERATE(false, true);
  for (const char* name : {"ethos.json", "Ethos.JSON"}) {
    const support::ScratchDir dir;
    dir.write("ethos.json", "{}");
    support::CageRun r{};
    run_script(r, dir, std::string("cp ethos.json tmp; echo evil >> tmp; mv tmp ") + name, false,
               ".");
    CAPTURE(name, r.text());
    REQUIRE(r.result() != nullptr);
    CHECK(dir.read("ethos.json") == "{}");
    CHECK_FALSE(dir.exists("Ethos.JSON"));
    REQUIRE_FALSE(r.sink.denials.empty());
    CHECK(r.sink.denials[0].rule == "policy");
  }
}

TEST_CASE("staged: removals happen only when the grant allows them", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  copies_layers = GENERATE(false, true);
  const support::ScratchDir dir;
  dir.write("out/keep", "1");
  dir.write("out/dir/inner", "2");
  dir.write("out/dir/deep/x", "3");
  dir.write("out/file", "4");
  support::CageRun r{};
  run_script(r, dir,
             "rm out/keep; rm -r out/dir; mkdir out/dir; echo n > out/dir/new; rm out/file; "
             "mkdir out/file; echo m > out/file/in",
             true);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->is_committed);
  CHECK_FALSE(dir.exists("out/keep"));
  CHECK_FALSE(dir.exists("out/dir/inner"));
  CHECK_FALSE(dir.exists("out/dir/deep"));
  CHECK(dir.read("out/dir/new") == "n\n");
  CHECK(dir.read("out/file/in") == "m\n");
}

TEST_CASE("staged: a directory that holds something hidden is not removed", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  copies_layers = GENERATE(false, true);
  const support::ScratchDir dir;
  dir.write("out/dir/.env", "secret");
  dir.write("out/dir/x", "1");
  const std::string before = dir.snapshot();
  support::CageRun r{};
  run_script(r, dir, "mv out/dir/x out/x; rm -rf out/dir; ls out", true);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(dir.snapshot() == before);
}

TEST_CASE("staged: a run that was killed brings out nothing", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/keep", "1");
  const std::string before = dir.snapshot();
  auto plan = support::base_plan(dir.path(), {"/bin/sh", "-c", "echo x > out/y; sleep 30"});
  support::grant_write(plan, "out");
  support::set_limit(plan, "wall_ms", 300, sandbox::Enforcer::supervisor);
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::wall_timeout);
  CHECK_FALSE(r.result()->is_committed);
  CHECK(dir.snapshot() == before);
}

TEST_CASE("staged: the layer's quota holds and is evidence", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/keep", "1");
  support::CageRun r{};
  run_script(r, dir, "head -c 20000000 /dev/zero > out/big; exit 3");
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->status == 3);
  const auto& limits = r.sink.limits;
  CHECK(std::any_of(limits.begin(), limits.end(),
                    [](const auto& l) { return l.name == "staged_bytes"; }));
  struct stat found {};
  if (stat((dir.path() + "/out/big").c_str(), &found) == 0) CHECK(found.st_size <= 4 << 20);
}

TEST_CASE("staged: the quota is one for all grants of a run", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  copies_layers = GENERATE(false, true);
  const support::ScratchDir dir;
  dir.write("a/was", "1");
  dir.write("b/was", "1");
  const bool is_sparse = GENERATE(false, true);
  CAPTURE(copies_layers, is_sparse);
  auto plan = support::base_plan(
      dir.path(), {"/bin/sh", "-c",
                   is_sparse ? "truncate -s 3M a/big b/big"
                             : "head -c 3145728 /dev/zero > a/big; head -c 3145728 /dev/zero > "
                               "b/big; sleep 20"});
  support::grant_write(plan, "a");
  support::grant_write(plan, "b");
  support::set_limit(plan, "staged_bytes", 4U << 20, sandbox::Enforcer::tmpfs);
  sandbox::LaunchOptions options;
  options.forces_copies = copies_layers;
  support::CageRun r{};
  support::run(r, plan, options);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK_FALSE(dir.exists("b/big"));
  if (is_sparse) {
    CHECK(r.result()->ending == Ending::exited);
    REQUIRE(r.result()->commit_refusals.size() == 1);
    CHECK(r.result()->commit_refusals[0].rule == "quota");
    CHECK_FALSE(r.result()->is_committed);
  } else {
    CHECK(r.result()->ending == Ending::limit);
    CHECK(r.result()->limit == "staged_bytes");
    CHECK_FALSE(dir.exists("a/big"));
  }
}

TEST_CASE("staged: a granted file is written in place and reported", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("report.xml", "old");
  support::CageRun r{};
  run_script(r, dir, "echo fresh > report.xml; echo no > neighbour; true", false, "report.xml");
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(dir.read("report.xml") == "fresh\n");
  CHECK_FALSE(dir.exists("neighbour"));
  REQUIRE(find(*r.result(), "report.xml") != nullptr);
  CHECK(r.sink.find("openat", "neighbour") != nullptr);
}

TEST_CASE("staged: a granted file is reported whatever the tool makes of its mode",
          "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("report.xml", "old");
  support::CageRun r{};
  run_script(r, dir, "echo fresh > report.xml; chmod 0200 report.xml", false, "report.xml");
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::exited);
  const auto* artifact = find(*r.result(), "report.xml");
  REQUIRE(artifact != nullptr);
  CHECK(artifact->bytes == 6);
  CHECK(r.result()->unread_artifacts == 0);
}

TEST_CASE("staged: a granted file too long to be read is counted", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("report.xml", "old");
  dir.write("out/was", "1");
  auto plan = support::base_plan(dir.path(),
                                 {"/bin/sh", "-c", "echo 1 > out/new; truncate -s 8T report.xml"});
  support::grant_write(plan, "report.xml");
  support::grant_write(plan, "out");
  std::erase_if(plan.limits, [](const auto& limit) { return limit.name == "file_bytes"; });
  sandbox::LaunchOptions options;
  options.commit_ms = 300;
  support::CageRun r{};
  support::run(r, plan, options);
  CAPTURE(r.text());
  struct stat found {};
  if (stat((dir.path() + "/report.xml").c_str(), &found) != 0 || found.st_size < 1LL << 40) {
    WARN("skipped: files here cannot be that long");
    return;
  }
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == Ending::evidence);
  CHECK(r.result()->unread_artifacts == 1);
  CHECK(r.result()->artifacts.empty());
  CHECK_FALSE(dir.exists("out/new"));
  REQUIRE(r.sink.gaps.size() == 1);
  CHECK(r.sink.gaps[0].reason == "artifact_unread");
}

TEST_CASE("staged: a copied grant keeps links, times and empty directories", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  copies_layers = true;
  const support::ScratchDir dir;
  dir.write("out/a", "1");
  dir.write("out/d/b", "2");
  REQUIRE(symlink("a", (dir.path() + "/out/link").c_str()) == 0);
  REQUIRE(mkfifo((dir.path() + "/out/pipe").c_str(), 0644) == 0);
  const std::string before = dir.snapshot();
  support::CageRun r{};
  run_script(r, dir,
             "cat out/link; readlink out/link; test out/a -ot /usr && test -d out/d; mv out/d "
             "out/e; mv out/e out/d");
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.out() == "1a\n");
  CHECK(r.result()->is_committed);
  CHECK(r.result()->artifacts.empty());
  CHECK(dir.snapshot() == before);
}

TEST_CASE("staged: a grant too big to copy is refused with the reason", "[sandbox][kernel]") {
  REQUIRE_CAGE();
  copies_layers = true;
  const support::ScratchDir dir;
  dir.write("out/big", std::string(17U << 20, 'x'));
  support::CageRun r{};
  run_script(r, dir, "true");
  CAPTURE(r.text());
  REQUIRE(r.refusal() != nullptr);
  CHECK(r.refusal()->step == "mount_staged");
  CHECK(r.refusal()->error == E2BIG);
  CHECK(r.refusal()->cause.find("16 MiB") != std::string::npos);
}

TEST_CASE("hostile names: every spelling of .git is known", "[sandbox]") {
  for (const char* name : {".git", ".GIT", ".Git.", ".git ", "git~1", "GIT~1", ".g\u200cit",
                           ".git\ufeff", ".git::$INDEX_ALLOCATION", ".gi\u206at. ."})
    CHECK(sandbox::is_git_lookalike(name));
  for (const char* name : {".gitignore", "git", ".gi", "agit", ".git2", "git~2", ".gît", ""})
    CHECK_FALSE(sandbox::is_git_lookalike(name));
}

// plan.md N-16: what a verifier could not compare again stays inside.
TEST_CASE("hostile names: hide patterns have a budget for all names of a run", "[sandbox]") {
  ethos::sandbox::Plan plan;
  plan.workspace = "/w";
  plan.hide_patterns = {"**/*.pem", "/secrets/"};
  const ethos::sandbox::CommitRules roomy(plan);
  CHECK_FALSE(roomy.refuses("/w/out/a", false));
  CHECK(roomy.refuses("/w/out/a.pem", false)->rule == "hidden");
  // Five components (1 and each slash) and 17 bytes; "out/a" has two names: 5 * 3 + (34 + 25) / 16.
  const ethos::sandbox::CommitRules two(plan, 36);
  CHECK_FALSE(two.refuses("/w/out/a", false));
  CHECK_FALSE(two.refuses("/w/out/b", false));
  const auto third = two.refuses("/w/out/c", false);
  REQUIRE(third);
  CHECK(third->rule == "quota");
  plan.hide_patterns.clear();
  const ethos::sandbox::CommitRules none(plan, 0);
  CHECK_FALSE(none.refuses("/w/out/a", false));
}

TEST_CASE("commit journal: round trip, and nothing else is taken for one", "[sandbox]") {
  using sandbox::CommitStep;
  sandbox::CommitJournal journal{"/w/o ut\n", 7, 9, {}};
  journal.steps = {{CommitStep::Kind::exchange, ".t-0", "a b", 1, 2},
                   {CommitStep::Kind::create, "d/.t-1", "d/\n", 3, 0},
                   {CommitStep::Kind::remove, ".t-2", "gone", 0, 4},
                   {CommitStep::Kind::discard, ".t-3", "x", 5, 6}};
  const std::string text = encode_journal(journal);
  const auto parsed = sandbox::parse_journal(text);
  REQUIRE(parsed);
  CHECK(encode_journal(*parsed) == text);
  CHECK(parsed->steps.size() == 4);
  auto largest = journal;
  largest.device = largest.inode = UINT64_MAX;
  for (auto& step : largest.steps)
    step = {CommitStep::Kind::exchange, step.temp, step.final, UINT64_MAX, UINT64_MAX};
  CHECK(encode_journal(largest).size() == sandbox::max_journal_size(journal));
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const auto part = sandbox::parse_journal(text.substr(0, cut));
    if (part) CHECK(text[cut - 1] == '\n');  // whole lines only
  }
  for (const std::string& bad : {std::string("x") + text, text + "create 1 2 zz 00\n",
                                 text + "other 1 2 00 00\n", text + "create -1 2 00 00\n"})
    CHECK_FALSE(sandbox::parse_journal(bad));
}

TEST_CASE("commit journal: a commit cut off after any step is undone", "[sandbox]") {
  using sandbox::CommitStep;
  for (std::size_t done = 0; done <= 3; ++done) {
    const support::ScratchDir dir;
    const support::ScratchDir state;
    dir.write("replaced", "old");
    dir.write("gone", "bye");
    dir.write("sub/x", "1");
    const std::string before = dir.snapshot();
    dir.write(".t-0", "new");
    dir.write("sub/.t-1/inner", "made");
    struct stat grant {};
    REQUIRE(stat(dir.path().c_str(), &grant) == 0);
    const auto fd = base::open_path(dir.path(), O_RDONLY | O_DIRECTORY);
    REQUIRE(fd);
    const auto inode = [&](const char* name) { return sandbox::inode_at(fd->get(), name); };
    sandbox::CommitJournal journal{dir.path(), grant.st_dev, grant.st_ino, {}};
    journal.steps = {
        {CommitStep::Kind::exchange, ".t-0", "replaced", inode(".t-0"), inode("replaced")},
        {CommitStep::Kind::create, "sub/.t-1", "sub/made", inode("sub/.t-1"), 0},
        {CommitStep::Kind::remove, ".t-2", "gone", 0, inode("gone")}};
    for (std::size_t i = 0; i < done; ++i)
      REQUIRE(sandbox::apply_step(fd->get(), journal.steps[i]) == 0);
    state.write("journal", encode_journal(journal));
    const auto undone = sandbox::roll_back_commit(state.path() + "/journal");
    CAPTURE(done);
    REQUIRE(undone);
    CHECK(*undone == 3);
    CHECK(dir.snapshot() == before);
    CHECK_FALSE(state.exists("journal"));
  }
}

TEST_CASE("commit journal: for another directory it changes nothing", "[sandbox]") {
  const support::ScratchDir dir;
  const support::ScratchDir state;
  dir.write("a", "1");
  const std::string before = dir.snapshot();
  sandbox::CommitJournal journal{dir.path(), 1, 2, {}};
  journal.steps = {{sandbox::CommitStep::Kind::discard, "a", "b", 0, 0}};
  state.write("journal", encode_journal(journal));
  CHECK_FALSE(sandbox::roll_back_commit(state.path() + "/journal"));
  CHECK(dir.snapshot() == before);
  CHECK(state.exists("journal"));
  REQUIRE(::mkfifo((state.path() + "/fifo").c_str(), 0600) == 0);
  CHECK_FALSE(sandbox::roll_back_commit(state.path() + "/fifo"));  // refused, not waited for
  const auto absent = sandbox::roll_back_commit(state.path() + "/none");
  REQUIRE(absent);
  CHECK(*absent == 0);
}

TEST_CASE("commit journal: what cannot be undone is said, and its journal stays", "[sandbox]") {
  using sandbox::CommitStep;
  const support::ScratchDir dir;
  const support::ScratchDir state;
  dir.write("replaced", "old");
  dir.write(".t-0", "new");
  dir.write(".t-1", "made");
  struct stat grant {};
  REQUIRE(stat(dir.path().c_str(), &grant) == 0);
  const auto fd = base::open_path(dir.path(), O_RDONLY | O_DIRECTORY);
  REQUIRE(fd);
  const auto inode = [&](const char* name) { return sandbox::inode_at(fd->get(), name); };
  sandbox::CommitJournal journal{dir.path(), grant.st_dev, grant.st_ino, {}};
  journal.steps = {
      {CommitStep::Kind::exchange, ".t-0", "replaced", inode(".t-0"), inode("replaced")},
      {CommitStep::Kind::create, ".t-1", "made", inode(".t-1"), 0}};
  for (const CommitStep& step : journal.steps) REQUIRE(sandbox::apply_step(fd->get(), step) == 0);
  // Somebody took the name that the second one would have to go back to.
  dir.write(".t-1", "somebody's");
  state.write("journal", encode_journal(journal));
  const auto undone = sandbox::roll_back_commit(state.path() + "/journal");
  REQUIRE_FALSE(undone);
  CHECK(undone.error().message().find("1 of 2 changes could not be undone") != std::string::npos);
  CHECK(state.exists("journal"));
  CHECK(dir.read("replaced") == "old");
  CHECK(dir.read("made") == "made");
  CHECK(dir.read(".t-1") == "somebody's");
  // Once that is out of the way it goes on from there.
  std::filesystem::remove(dir.path() + "/.t-1");
  CHECK(sandbox::roll_back_commit(state.path() + "/journal"));
  CHECK_FALSE(dir.exists("made"));
  CHECK_FALSE(state.exists("journal"));
}
