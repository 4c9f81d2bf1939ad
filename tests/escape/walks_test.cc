// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "ledger/base/unique_fd.h"
#include "tests/escape/escape_run.h"
#include "tests/escape/walk_acts.h"

using namespace ethos;
using support::Answers;
using support::hostile_plan;

namespace {

bool has_ending(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void fill(const support::ScratchDir& dir) {
  dir.write("a.txt", "precious");
  dir.write("sub/y", "1");
  dir.write(".env", "KEY=1");
  dir.write(".git/config", "[core]");
  dir.write("out/kept", "1");
  dir.write("shut/kept", "1");
  // As the tool's own uid needs it to change an owner to what it is.
  REQUIRE(symlink("a.txt", (dir.path() + "/to_a").c_str()) == 0);
  REQUIRE(symlink("../out", (dir.path() + "/sub/to_out").c_str()) == 0);
}

sandbox::Plan walk_plan(const support::ScratchDir& dir, const std::string& act) {
  auto plan = hostile_plan(dir, {"walk", act, dir.path()});
  support::hide(plan, ".env", false);
  support::hide(plan, ".git", true);
  support::hide(plan, "shut", false);
  support::grant_write(plan, "out");
  // With a limit that no cgroup holds there are no files in memory.
  std::erase_if(plan.limits, [](const auto& limit) { return limit.name == "memory_bytes"; });
  return plan;
}

}  // namespace

TEST_CASE("escape: every path is judged where the kernel's walk ends", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  fill(dir);
  const std::string before = dir.snapshot();
  for (const auto observe : {sandbox::Observe::writes, sandbox::Observe::all}) {
    for (const hostile::WalkAct& act : hostile::kWalkActs) {
      auto plan = walk_plan(dir, act.name);
      plan.observe = observe;
      sandbox::LaunchOptions options;
      options.commit_staged = false;
      support::CageRun r{};
      support::run(r, plan, options);
      const std::string name = act.name;
      CAPTURE(name, static_cast<int>(observe), r.text());
      CHECK(Answers(r.out()).of("result") == act.error);
      CHECK(r.sink.gaps.empty());
      if (act.denied == nullptr) {
        CHECK(r.sink.denials.empty());
        continue;
      }
      REQUIRE(r.sink.denials.size() == 1);
      CHECK(has_ending(r.sink.denials[0].object, act.denied));
      CHECK(r.sink.denials[0].outcome == sandbox::Outcome::denied);
    }
  }
  CHECK(dir.snapshot() == before);
}

// The kernel alone, without a supervisor, agrees with every answer: nothing is let through that it
// would not refuse, and nothing is refused that it would allow.
TEST_CASE("escape: the kernel's own answers are the judge's", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  fill(dir);
  const std::string before = dir.snapshot();
  for (const hostile::WalkAct& act : hostile::kWalkActs) {
    const std::string name = act.name;
    if (name.starts_with("how_")) continue;  // no openat2 without an observer
    auto plan = walk_plan(dir, name);
    plan.observe = sandbox::Observe::off;
    sandbox::LaunchOptions options;
    options.commit_staged = false;
    support::CageRun r{};
    support::run(r, plan, options);
    CAPTURE(name, r.text());
    const int error = Answers(r.out()).of("result");
    if (act.denied == nullptr)
      CHECK(error == act.error);
    else
      CHECK(error > 0);
  }
  CHECK(dir.snapshot() == before);
}

namespace {

// A program of the host's whose loader is `loader`, named where `way` says.
std::string program_with_loader(const std::string& way, const std::string& loader) {
  std::ifstream file("/bin/true", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  REQUIRE(bytes.size() > sizeof(Elf64_Ehdr));
  const auto load = [&](std::size_t at, auto& out) {
    REQUIRE(at + sizeof out <= bytes.size());
    std::memcpy(&out, bytes.data() + at, sizeof out);
  };
  const auto store = [&](std::size_t at, const auto& value) {
    REQUIRE(at + sizeof value <= bytes.size());
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  Elf64_Ehdr header;
  load(0, header);
  const std::string table = bytes.substr(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
  if (way == "table") {
    bytes.resize((bytes.size() + 7) / 8 * 8);
    header.e_phoff = bytes.size();
    bytes += table;
  }
  if (way == "class") header.e_ident[EI_CLASS] = ELFCLASS32;
  store(0, header);
  const std::size_t name_at = bytes.size();
  bytes += loader + '\0';
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const std::size_t at = header.e_phoff + i * sizeof segment;
    load(at, segment);
    if (segment.p_type != PT_INTERP) continue;
    segment.p_offset = name_at;
    segment.p_filesz = segment.p_memsz = loader.size() + 1;
    store(at, segment);
    return bytes;
  }
  FAIL("/bin/true has no loader");
  return {};
}

}  // namespace

// The kernel reads headers and name wherever they are, and the class not at all.
TEST_CASE("escape: a loader is judged wherever in the file it is named",
          "[escape][kernel][EVD-60]") {
  REQUIRE_CAGE();
  namespace fs = std::filesystem;
  const auto observe = GENERATE(sandbox::Observe::writes, sandbox::Observe::all);
  struct Case {
    const char* loader;
    const char* rule;
  };
  for (const Case& c : {Case{"/hid/ld.so", "hidden"}, Case{"/plain/ld.so", "no-exec"}}) {
    for (const char* way : {"name", "table", "class"}) {
      const support::ScratchDir dir;
      for (const char* loader : {"hid/ld.so", "plain/ld.so"}) {
        dir.write(loader, "x");
        fs::permissions(dir.path() + "/" + loader, fs::perms(0755));
      }
      dir.write("bin/p", program_with_loader(way, dir.path() + c.loader));
      fs::permissions(dir.path() + "/bin/p", fs::perms(0755));
      auto plan = hostile_plan(dir, {"start", "path", dir.path() + "/bin/p"});
      const std::string bin = dir.path() + "/bin";
      support::add_bind(plan, bin, sandbox::NodeType::directory, true, false);
      plan.landlock.push_back({bin, {}, sandbox::NodeType::directory, sandbox::Access::read_exec});
      support::hide(plan, "hid", false);
      plan.observe = observe;
      support::CageRun r{};
      support::run(r, plan);
      const std::string rule = c.rule;
      const std::string where = way;
      CAPTURE(where, rule, r.text());
      CHECK(Answers(r.out()).of("exec") == EACCES);
      CHECK(r.sink.execs.size() == 1);
      const auto* denial = r.sink.find("execve", c.loader);
      REQUIRE(denial != nullptr);
      CHECK(denial->object == dir.path() + c.loader);
      CHECK(denial->rule == rule);
      CHECK(denial->error == EACCES);
    }
  }
}

// What costs the kernel one walk must not cost the supervisor one for each name on it: without that
// each of these opens takes it seconds, in which nobody looks at limits and signals.
TEST_CASE("escape: a long path over many links holds nobody up", "[escape][kernel][EVD-62]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/kept", "1");
  auto plan = hostile_plan(dir, {"long-paths", "60"});
  support::grant_write(plan, "out");
  plan.observe = sandbox::Observe::all;
  for (auto& limit : plan.limits)
    if (limit.name == "wall_ms") limit.value = 120'000;
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == sandbox::Ending::exited);
  CHECK(Answers(r.out()).of("opens") == 0);
  for (const auto& gap : r.sink.gaps) CHECK(gap.reason == "unreadable");
}

// A directory whose path no call can name is told by the first one above that can be named; how far
// that is, no tool decides. Without a bound each of these renames takes the supervisor half a
// second in one piece.
TEST_CASE("escape: a deep directory holds nobody up", "[escape][kernel][EVD-75]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("out/kept", "1");
  auto plan = hostile_plan(dir, {"deep-renames", "7", "3"});
  support::grant_write(plan, "out");
  for (auto& limit : plan.limits)
    if (limit.name == "wall_ms") limit.value = 120'000;
  for (auto& mount : plan.mounts)
    if (mount.inodes != 0) mount.inodes = 4'000;
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  REQUIRE(r.result() != nullptr);
  CHECK(r.result()->ending == sandbox::Ending::exited);
  CHECK(Answers(r.out()).of("renames") == 0);
  CHECK(r.sink.denials.empty());
  CHECK_FALSE(r.sink.gaps.empty());
  for (const auto& gap : r.sink.gaps) CHECK(gap.reason == "unreadable");
}

TEST_CASE("escape: what is refused in a deep directory is told by one above",
          "[escape][kernel][EVD-75]") {
  REQUIRE_CAGE();
  const int levels = GENERATE(60, 300, 900);
  const std::string name(100, 'd');
  const support::ScratchDir dir;
  dir.write("ro/kept", "1");
  base::UniqueFd at(open((dir.path() + "/ro").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < levels; ++i) {
    REQUIRE(mkdirat(at.get(), name.c_str(), 0755) == 0);
    at.reset(openat(at.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(at.is_open());
  }
  support::CageRun r{};
  support::run(r,
               hostile_plan(dir, {"make-below", dir.path() + "/ro", std::to_string(levels), name}));
  CAPTURE(levels, r.text());
  CHECK(Answers(r.out()).of("make") == EACCES);
  CHECK(r.sink.gaps.empty());
  REQUIRE(r.sink.denials.size() == 1);
  // The deepest that fits into a page.
  const std::string& told = r.sink.denials[0].object;
  CHECK(told.starts_with(dir.path() + "/ro/" + name));
  CHECK(told.size() > 3900);
}

TEST_CASE("escape: code of what cannot be mapped anywhere is no denial, of a device it is",
          "[escape][kernel][EVD-76]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("plugin", "x");
  auto plan = hostile_plan(dir, {"map-codes", dir.path() + "/plugin"});
  plan.observe = sandbox::Observe::all;
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  const Answers answers(r.out());
  CHECK(answers.of("path_only") == EBADF);
  CHECK(answers.of("write_only") == EACCES);
  CHECK(answers.of("closed") == EBADF);
  CHECK(answers.of("granted") == 0);
  const std::string refused[] = {dir.path() + "/plugin", "/dev/zero", "/tmp/w"};
  CHECK(answers.of("file") == EPERM);
  CHECK(answers.of("zero") == EPERM);
  CHECK(answers.of("scratch") == EPERM);
  std::vector<std::string> told;
  for (const auto& denial : r.sink.denials)
    if (denial.operation == "mmap") {
      CHECK(denial.rule == "no-exec");
      told.push_back(denial.object);
    }
  CHECK(told == std::vector<std::string>(std::begin(refused), std::end(refused)));
}

TEST_CASE("escape: a socket's name in a directory of others is refused as any other",
          "[escape][kernel][EVD-61]") {
  REQUIRE_CAGE();
  if (geteuid() != 0) {
    WARN("skipped: needs root to give directories away");
    return;
  }
  constexpr uid_t kStranger = 65099;
  const auto observe = GENERATE(sandbox::Observe::writes, sandbox::Observe::all);
  const support::ScratchDir dir;
  const std::string out = dir.path() + "/out";
  for (const char* name : {"/open", "/shut"}) {
    dir.write("out" + std::string(name) + "/kept", "1");
    REQUIRE(chown((out + name).c_str(), kStranger, kStranger) == 0);
    REQUIRE(chmod((out + name).c_str(), name == std::string("/open") ? 0777 : 0700) == 0);
  }
  auto plan = hostile_plan(dir, {"bind-names", out + "/open/s", out + "/shut/s", out + "/open/..",
                                 out + "/open/kept", out + "/own"});
  support::grant_write(plan, "out");
  plan.observe = observe;
  support::CageRun r{};
  support::run(r, plan);
  CAPTURE(r.text());
  const Answers answers(r.out());
  for (const char* name : {"/open/s", "/shut/s"}) {
    CHECK(answers.of(out + name) == EACCES);
    const auto* denial = r.sink.find("bind", name);
    REQUIRE(denial != nullptr);
    CHECK(denial->object == out + name);
    CHECK(denial->rule == "owner");
    CHECK(denial->error == EACCES);
  }
  CHECK(answers.of(out + "/open/..") == EADDRINUSE);
  CHECK(answers.of(out + "/open/kept") == EADDRINUSE);
  CHECK(answers.of(out + "/own") == 0);
  std::size_t binds = 0;
  for (const auto& denial : r.sink.denials) binds += denial.operation == "bind" ? 1U : 0U;
  CHECK(binds == 2);
}

TEST_CASE("escape: a program is judged and listed as the file that would start",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("plain", "#!/bin/sh\necho started\n");
  dir.write("no_right", "#!/bin/sh\n");
  dir.write("bin/good", "#!/bin/sh\necho started\n");
  dir.write("bin/bad_interpreter", "#! /elsewhere/interpreter -x\n");
  dir.write("bin/hidden_interpreter", "#!" + dir.path() + "/plain\n");
  dir.write("bin/lost_interpreter", "#!/usr/bin/no-such-interpreter\n");
  for (const char* name : {"plain", "bin/good", "bin/bad_interpreter", "bin/hidden_interpreter",
                           "bin/lost_interpreter"})
    REQUIRE(chmod((dir.path() + "/" + name).c_str(), 0755) == 0);
  REQUIRE(symlink("../plain", (dir.path() + "/bin/link").c_str()) == 0);
  struct Case {
    const char* way;
    const char* file;
    int error;           // 0: it starts
    const char* denied;  // end of the object
  };
  const Case cases[] = {
      {"path", "/bin/good", 0, nullptr},
      {"fd", "/bin/good", 0, nullptr},
      {"empty", "/bin/good", 0, nullptr},
      {"path", "/plain", EACCES, "/plain"},
      {"fd", "/plain", EACCES, "/plain"},
      {"empty", "/plain", EACCES, "/plain"},
      {"path", "/bin/link", EACCES, "/plain"},
      {"fd", "/bin/link", EACCES, "/plain"},
      {"path", "/bin/bad_interpreter", ENOENT, "/elsewhere/interpreter"},
      {"path", "/bin/hidden_interpreter", EACCES, "/plain"},
      {"path", "/bin/lost_interpreter", ENOENT, nullptr},
      {"path", "/bin/no-such-program", ENOENT, nullptr},
      {"path", "/no_right", EACCES, nullptr},
      {"path", "/bin", EACCES, nullptr},
  };
  for (const Case& c : cases) {
    auto plan = hostile_plan(dir, {"start", c.way, dir.path() + c.file});
    const std::string bin = dir.path() + "/bin";
    support::add_bind(plan, bin, sandbox::NodeType::directory, true, false);
    plan.landlock.push_back({bin, {}, sandbox::NodeType::directory, sandbox::Access::read_exec});
    support::CageRun r{};
    support::run(r, plan);
    const std::string way = c.way;
    const std::string file = c.file;
    CAPTURE(way, file, r.text());
    CHECK(r.sink.gaps.empty());
    if (c.error == 0) {
      CHECK(r.out() == "started\n");
      REQUIRE(r.sink.execs.size() == 2);  // the hostile program itself is the first
      CHECK(r.sink.execs[1].path == dir.path() + c.file);
    } else {
      CHECK(Answers(r.out()).of("exec") == c.error);
      CHECK(r.sink.execs.size() == 1);
    }
    REQUIRE(r.sink.denials.size() == (c.denied == nullptr ? 0 : 1));
    if (c.denied == nullptr) continue;
    CHECK(r.sink.denials[0].rule == "no-exec");
    CHECK(has_ending(r.sink.denials[0].object, c.denied));
  }
}

TEST_CASE("escape: set-id bits and device nodes are refused however they are asked for",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  support::CageRun r{};
  support::run(r, hostile_plan(dir, {"odd-modes"}));
  CAPTURE(r.text());
  const Answers answers(r.out());
  for (const char* name : {"open_setuid", "openat_setgid", "creat_setuid", "tmpfile_setuid",
                           "mknod_setuid", "mknod_device", "chmod_setuid"}) {
    CAPTURE(name);
    CHECK(answers.of(name) == EPERM);
  }
  CHECK(answers.of("open_existing") == 0);  // the mode of an open of what is there means nothing
  CHECK(answers.of("mkdir_setgid") == 0);   // nor do those bits of a new directory's
  for (const char* call : {"open", "openat", "creat", "mknodat", "chmod"}) {
    CAPTURE(call);
    REQUIRE(r.sink.find(call) != nullptr);
    CHECK(r.sink.find(call)->outcome == sandbox::Outcome::denied);
  }
}

TEST_CASE("escape: what was written before is judged anew behind a link", "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("a.txt", "precious");
  for (const auto observe : {sandbox::Observe::writes, sandbox::Observe::all}) {
    auto plan = support::base_plan(
        dir.path(),
        {"/bin/sh", "-c",
         "mkdir /tmp/a; for i in 1 2 3; do echo $i >/tmp/a/a.txt; done; mv /tmp/a /tmp/b; "
         "ln -s " +
             dir.path() + " /tmp/a; echo 4 >/tmp/a/a.txt; cat /tmp/b/a.txt"});
    plan.observe = observe;
    support::CageRun r{};
    support::run(r, plan);
    CAPTURE(static_cast<int>(observe), r.text());
    CHECK(r.out().find("3\n") != std::string::npos);
    CHECK(r.sink.gaps.empty());
    const auto* denial = r.sink.find("openat", "a.txt");
    REQUIRE(denial != nullptr);
    CHECK(denial->object == dir.path() + "/a.txt");
    CHECK(denial->outcome == sandbox::Outcome::denied);
  }
  CHECK(dir.read("a.txt") == "precious");
}

// Directories of a read grant are kept open for a moment; what the host does to their names counts
// all the same.
TEST_CASE("escape: a directory that the host made a link is judged as what it leads to",
          "[escape][kernel]") {
  REQUIRE_CAGE();
  const support::ScratchDir dir;
  dir.write("sub/b", "1");
  dir.write("shut/b", "SECRET");
  auto plan = support::base_plan(
      dir.path(),
      {"/bin/sh", "-c",
       "i=0; while [ ! -e go ] && [ $i -lt 300 ]; do cat sub/b " + dir.path() +
           "/sub/b; sleep 0.1; i=$((i+1)); done; sleep 0.3; cat " + dir.path() + "/sub/b"});
  plan.observe = sandbox::Observe::all;
  support::hide(plan, "shut", false);
  std::thread host([&dir] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    std::filesystem::rename(dir.path() + "/sub", dir.path() + "/old");
    std::filesystem::create_symlink("shut", dir.path() + "/sub");
    dir.write("go", "");
  });
  support::CageRun r{};
  support::run(r, plan);
  host.join();
  CAPTURE(r.text());
  CHECK(r.out().find("SECRET") == std::string::npos);
  const auto* denial = r.sink.find("openat", "/shut/b");
  REQUIRE(denial != nullptr);
  CHECK(denial->rule == "hidden");
}
