// SPDX-License-Identifier: Apache-2.0
// What a run reads, writes and brings out.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/program_file.h"
#include "tests/sandbox/program.h"
#include "tests/sandbox/run_site.h"

using namespace ethos::support;
using ethos::sandbox::JsonNode;
namespace fs = std::filesystem;

TEST_CASE("ethos-run: what a tool writes is brought out of its grants only", "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    site.file("keep", "old\n");
    site.file(".env", "SECRET\n");
    site.file(".git/config", "[core]\n");
    const Ended ended = site.run({"--write", "out", "--hide", ".env", "--", "/bin/sh", "-c",
                                  "echo new > out/made; mkdir out/sub; echo more > out/sub/made; "
                                  "echo x > keep; cat .env .git/config; ls -A .git; true"});
    CHECK(ended.status == 0);
    CHECK(ended.out.empty());  // nothing hidden was shown
    CHECK(site.read("work/out/made") == "new\n");
    CHECK(site.read("work/out/sub/made") == "more\n");
    CHECK(site.read("work/keep") == "old\n");
    std::vector<std::string> artifacts;
    for (const JsonNode& r : site.records("artifact.exported"))
      artifacts.push_back(text_at(r, {"body", "action"}) + " " +
                          text_at(r, {"body", "path", "path"}));
    std::ranges::sort(artifacts);
    CHECK(artifacts ==
          std::vector<std::string>{"created out/made", "created out/sub", "created out/sub/made"});
    const auto denials = site.records("runtime.sandbox_denial");
    REQUIRE_FALSE(denials.empty());
    CHECK(std::ranges::any_of(denials, [](const JsonNode& d) {
      return text_at(d, {"body", "object", "path"}) == "keep" &&
             text_at(d, {"body", "outcome"}) == "denied";
    }));
  }
}

TEST_CASE("ethos-run: output that was not brought out is no success", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("app/main", "old\n");
  site.file("ethos.json",
            R"({"version":1,"tools":{"t":{"command":["/bin/sh","-c"],"write":["app"]}}})");
  const std::string replaces = "rm app/main; echo > app/new";
  const Ended kept = site.run(
      {"--status-json", site.path("status"), "--write", "app", "--", "/bin/sh", "-c", replaces});
  CHECK(kept.status == 122);
  CHECK(kept.err.find("the grant does not allow removals; to allow them: --write-delete app\n") !=
        std::string::npos);
  CHECK(site.read("status").find(R"("exit":{"code":0},"kept_back":"1")") != std::string::npos);
  CHECK_FALSE(site.has("work/app/new"));
  const Ended declared = site.run({"t", "--", replaces});
  CHECK(declared.status == 122);
  CHECK(declared.err.find(R"("write": [{"path": "app", "delete": true}])") != std::string::npos);
  // Its own failure says more.
  CHECK(site.run({"t", "--", replaces + "; exit 3"}).status == 3);
  const Ended beyond = site.run({"--write-delete", "app", "t", "--", replaces});
  CHECK(beyond.status == 125);
  CHECK(beyond.err.find("--write-delete app goes beyond") != std::string::npos);
  const Ended brought = site.run({"--write-delete", "app", "--", "/bin/sh", "-c", replaces});
  CAPTURE(brought.err);
  CHECK(brought.status == 0);
  CHECK(site.has("work/app/new"));
  CHECK_FALSE(site.has("work/app/main"));
  REQUIRE(site.program("ethos-ledger", {"pin", "--ledger", site.ledger(), "-o", site.path("pin")})
              .status == 0);
  const Ended verified = site.program("ethos-verify", {"--pin", site.path("pin"), site.ledger()});
  CAPTURE(verified.out, verified.err);
  CHECK(verified.status == 0);
}

TEST_CASE("ethos-run: a file of its own that cannot be written is refused before the tool runs",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    site.file("w/x", "");
    site.file("dir/x", "");
    std::vector<std::string> targets = {site.path("none/x"), "dir"};
    if (uid) targets.insert(targets.end(), {"/usr/x", "/proc/x"});  // root may, or finds out late
    for (const char* option : {"--sarif", "--status-json", "--run-id-file"})
      for (const std::string& target : targets) {
        CAPTURE(option, target);
        const Ended ended =
            site.run({option, target, "--write", "w", "--", "/bin/sh", "-c", "echo > w/ran"});
        CAPTURE(ended.err);
        CHECK(ended.status == 125);
        CHECK_FALSE(site.has("work/w/ran"));
        const std::string name = std::string(option) + ": ";
        const auto first = ended.err.find(name);
        CHECK(first != std::string::npos);
        CHECK(ended.err.find(name, first + 1) == std::string::npos);
        CHECK(ended.err.find("/.x.") == std::string::npos);
      }
    // What takes bytes as it is may stand where nothing can be made.
    CHECK(site.run({"--status-json", "/dev/null", "--", "/bin/true"}).status == 0);
  }
}

TEST_CASE("ethos-run: plan ends as the run would, and hints name what helps", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("tools/x.sh", "#!/bin/sh\necho ran\n");
  site.file(".git/config", "[core]\n");
  REQUIRE(chmod((site.workspace() + "/tools/x.sh").c_str(), 0755) == 0);
  const std::vector<std::vector<std::string>> calls = {
      {"--limit", "memory=64", "--enforce", "memory=rlimit", "--", "/bin/true"},
      {"--limit", "pids=1", "--", "/bin/true"},
      {"--", "no-such-program"},
      {"--", "./no-such-program"},
      {"--", "/bin/true"}};
  for (std::vector<std::string> words : calls) {
    CAPTURE(words.at(1));
    const Ended run = site.run(words);
    words.insert(words.begin(), "plan");
    const Ended plan = site.run(words);
    CAPTURE(run.err, plan.err);
    CHECK(plan.status == run.status);
    CHECK(plan.err.empty() == run.err.empty());
  }
  const auto says = [&](const std::vector<std::string>& words, const std::string& text) {
    const Ended ended = site.run(words);
    CAPTURE(ended.err, text);
    CHECK(ended.err.find(text) != std::string::npos);
  };
  says({"--", "./tools/x.sh"}, "; to allow it: --exec tools/x.sh");
  CHECK(site.run({"--exec", "tools/x.sh", "--", "./tools/x.sh"}).out == "ran\n");
  says({"--write", ".git", "--", "/bin/true"}, "nothing in .git is ever writable");
  says({"--read", ".git", "--", "/bin/true"}, R"(declare "git": "read")");
}

TEST_CASE("ethos-run: to ask for a terminal is no denial, as where there is none outside",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    for (const char* observe : {"writes", "all"}) {
      CAPTURE(observe);
      const Ended ended = site.run({"--fail-on-denial", "--observe", observe, "--", "/bin/sh", "-c",
                                    "(exec <>/dev/tty) 2>&1; (: </dev/tty) 2>&1; true"});
      CAPTURE(ended.out, ended.err);
      if (std::string(observe) == "writes") CHECK(ended.status == 0);
      CHECK(ended.out.find("No such device or address") != std::string::npos);
    }
    // Beside it nothing can be made.
    const Ended beside =
        site.run({"--fail-on-denial", "--", "/bin/sh", "-c", "echo > /dev/tty1; true"});
    CHECK(beside.status == 122);
    CHECK(site.records("runtime.sandbox_denial").size() >= 1);
  }
}

// Root reads a file whatever its mode says: only the ordinary user tells.
TEST_CASE("ethos-run: a granted file that the tool made unreadable is recorded with its digest",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    site.file("report.xml", "old\n");
    const Ended ended = site.run({"--write", "report.xml", "--", "/bin/sh", "-c",
                                  "echo fresh > report.xml; chmod 0200 report.xml"});
    CHECK(ended.status == 0);
    CHECK(site.records("run.gap").empty());
    const auto artifacts = site.records("artifact.exported");
    REQUIRE(artifacts.size() == 1);
    CHECK(text_at(artifacts[0], {"body", "size"}) == "6");
    // printf 'fresh\n' | sha256sum
    CHECK(text_at(artifacts[0], {"body", "sha256"})
              .find("02db0d2659c9d48bc15f81a388594fc0e3cf4c780fdc27ea21e0671afc37de19") !=
          std::string::npos);
  }
}

TEST_CASE("ethos-run: a path made to be slow to judge is given up, and leaves a gap",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  fs::create_directories(site.workspace() + "/out");
  const Ended ended =
      site.run({"--write", "out", "--", "sh", "-c",
                "cd out && mkdir d && p=$(printf 'd/../%.0s' $(seq 700)) && prev=. && "
                "for i in 1 2 3 4 5 6 7 8; do ln -s $p$prev l$i; prev=l$i; done && "
                "echo x > l8/made; rm l?; cat made"});
  CHECK(ended.out == "x\n");
  const auto gaps = site.records("run.gap");
  REQUIRE(!gaps.empty());
  CHECK(text_at(gaps[0], {"body", "reason"}) == "unreadable");
}

TEST_CASE("ethos-run: what the host covers with a mount is not shown, whoever runs",
          "[sandbox][kernel]") {
  if (geteuid() != 0) {
    WARN("skipped: needs root to mount");
    return;
  }
  if (!can_build_cages()) {
    WARN("skipped: no cage on this host");
    return;
  }
  // An ordinary user's copy of such a tree is refused by the kernel.
  const Site site;
  site.file("in/.env", "UNDER-SECRET");
  site.file("in/plain", "UNDER-PLAIN");
  site.file("cred", "UNDER-CRED");
  site.file("beside/free", "free");
  const std::string work = site.workspace();
  // Where only its owner gets through, not even the child that root's runner makes reaches it.
  constexpr uid_t kSomebody = 1234;
  site.file("shut/dir/in/under", "UNDER-SHUT");
  site.file("shut/free/file", "free");
  REQUIRE(chown((work + "/shut").c_str(), kSomebody, kSomebody) == 0);
  REQUIRE(chmod((work + "/shut").c_str(), 0700) == 0);
  // In a mount namespace of its own, which ends with the shell.
  const auto run = [&](const std::string& grants) {
    return Site::wait(
        site.start("/usr/bin/unshare",
                   {"-m", "/bin/sh", "-c",
                    "mount -t tmpfs x " + work + "/in && mount -t tmpfs x " + work +
                        "/shut/dir/in && mount --make-unbindable " + work +
                        "/shut/dir/in && mount --bind /dev/null " + work +
                        "/cred && exec " ETHOS_BIN "/ethos-run --workspace " + work + " " + grants +
                        " -- cat in/.env in/plain cred beside/free shut/dir/in/under"}));
  };
  for (const char* grants : {"--read . --hide .env", "--read . --write in", "--read shut/dir"}) {
    const Ended covered = run(grants);
    CAPTURE(grants, covered.out, covered.err);
    CHECK(covered.status == 120);
    CHECK(covered.out.find("UNDER") == std::string::npos);
    CHECK(covered.err.find("mounted below the granted directory") != std::string::npos);
  }
  for (const char* grants : {"--read beside", "--read beside --read shut/free"}) {
    const Ended beside = run(grants);
    CAPTURE(grants, beside.out, beside.err);
    CHECK(beside.out == "free");
  }
}

TEST_CASE("ethos-run: the interpreter that is measured is the one the kernel starts", "[sandbox]") {
  const Site site;
  const std::string work = site.path("work");
  ethos::sandbox::Plan plan;
  plan.workspace = plan.cwd = work;
  plan.argv = {work + "/script"};
  plan.mounts.resize(1);
  plan.mounts[0].at = plan.mounts[0].source = work;
  plan.mounts[0].no_exec = false;
  plan.landlock.push_back({work, {}, {}, ethos::sandbox::Access::read_exec});
  const auto sizes = [&](const std::string& first) {
    std::vector<std::uint64_t> out;
    site.file("script", first, 0755);
    for (const auto& one : ethos::sandbox::open_programs(plan).interpreters)
      out.push_back(one.size);
    return out;
  };
  using Sizes = std::vector<std::uint64_t>;
  site.file("i", "1", 0755);
  site.file("i\r", "22", 0755);
  CHECK(sizes("#! " + work + "/i\r\n") == Sizes{2});
  CHECK(sizes("#!i\n") == Sizes{1});
  site.file("b", "#!i\n", 0755);
  CHECK(sizes("#!./b -x\n") == Sizes{4, 1});
  CHECK(sizes("#!gone\n").empty());
  site.file("self", "#!self\n", 0755);
  CHECK(sizes("#!self\n").size() == 5);
}

TEST_CASE("ethos-run: code that may not be mapped is a denial under all", "[sandbox][e2e]") {
  NEEDS_CAGES
  const std::string library = "/usr/lib/x86_64-linux-gnu/libm.so.6";
  if (!fs::exists(library)) {
    WARN("skipped: no such library here");
    return;
  }
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    fs::copy_file(library, site.workspace() + "/plugin.so");
    for (const bool is_granted : {false, true}) {
      std::vector<std::string> words{"--observe", "all", "--read", "."};
      if (is_granted) words.insert(words.end(), {"--exec", "plugin.so"});
      words.insert(words.end(), {"--", "/bin/sh", "-c", "LD_PRELOAD=./plugin.so /bin/true"});
      const Ended ended = site.run(words);
      CAPTURE(is_granted, ended.err);
      CHECK((ended.err.find("failed to map segment") != std::string::npos) != is_granted);
    }
    const auto denials = site.records("runtime.sandbox_denial");
    const auto mapped = std::ranges::count_if(denials, [](const JsonNode& d) {
      return text_at(d, {"body", "operation"}) == "mmap";
    });
    CHECK(mapped == 1);
    for (const JsonNode& d : denials) {
      if (text_at(d, {"body", "operation"}) != "mmap") continue;
      CHECK(text_at(d, {"body", "rule"}) == "no-exec");
      CHECK(text_at(d, {"body", "object", "path"}) == "plugin.so");
    }
    site.file("pin.json", site.program("ethos-ledger", {"pin"}).out);
    CHECK(
        site.program("ethos-verify", {"--pin", site.path("work/pin.json"), site.ledger()}).status ==
        0);
  }
}

TEST_CASE("ethos-run: a closed directory of the tool's ends no later run", "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    site.file("one", "1\n");
    fs::create_hard_link(site.workspace() + "/one", site.workspace() + "/two");
    fs::create_directory(site.workspace() + "/out");
    if (uid) REQUIRE(chown((site.workspace() + "/out").c_str(), *uid, *uid) == 0);
    static_cast<void>(site.run({"--write", "out", "--", "mkdir", "-m", "000", "out/y.key"}));
    const Ended ended = site.run({"--read", ".", "--hide", "**/*.key", "--", "true"});
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    struct stat made {};
    if (stat((site.workspace() + "/out/y.key").c_str(), &made) == 0)
      CHECK((made.st_mode & 0777) == 0500);
  }
}

// Who runs may be root, and the first lines of scripts are for anybody to write.
TEST_CASE("ethos-run: of a program nothing is read that it could not start", "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    const std::string work = site.workspace();
    const std::string outside = site.path("outside");
    fs::create_directory(outside);
    fs::permissions(outside, fs::perms(0755));
    fs::copy_file("/usr/bin/true", outside + "/program");
    site.file(".env", "1234\n", 0755);
    site.file("sub/kept", "#!/bin/sh\n", 0755);
    site.file("plain", "1234\n", 0644);
    fs::create_symlink(outside + "/program", work + "/to_outside");
    fs::create_symlink(".env", work + "/to_hidden");
    fs::create_symlink("sub/kept", work + "/to_kept");
    fs::create_symlink("/usr/bin/../bin/true", work + "/to_true");
    const int pipe = mkfifo((work + "/pipe").c_str(), 0755);
    REQUIRE(pipe == 0);
    struct Case {
      std::string first;  // line of a script; empty: `word` itself is started
      std::string word;
      bool is_measured;  // the interpreter, or the program
    };
    const std::vector<Case> cases = {
        {"#!/etc/shadow", "./s", false},
        {"#!/etc/passwd", "./s", false},
        {"#!" + outside + "/program", "./s", false},
        {"#!to_outside", "./s", false},
        {"#!to_hidden", "./s", false},
        {"#!.env", "./s", false},
        {"#!sub/../.env", "./s", false},
        {"#!plain", "./s", false},
        {"#!pipe", "./s", false},
        {"#!/dev/null", "./s", false},
        {"#!/proc/self/exe", "./s", false},
        {"#!/proc/kmsg", "./s", false},
        {"#!" + outside + "/../work/sub/kept", "./s", false},
        {"", "./to_outside", false},
        {"", "./to_hidden", false},
        {"", "./.env", false},
        {"", "/etc/passwd", false},
        {"#!to_kept", "./s", true},
        {"#!to_true", "./s", true},
        {"#!./sub/../sub/kept", "./s", true},
        {"#!/bin/true", "./s", true},
        {"", "./to_kept", true},
        {"", "./to_true", true},
    };
    for (const Case& c : cases) {
      CAPTURE(c.first, c.word);
      if (!c.first.empty()) site.file("s", c.first + "\n", 0755);
      static_cast<void>(site.run({"--read", ".", "--exec", ".", "--hide", ".env", "--", c.word}));
      const JsonNode open = site.records("run.open").back();
      const JsonNode* exe = open.find("body")->find("exe");
      if (c.first.empty()) {
        CHECK((exe != nullptr) == c.is_measured);
        continue;
      }
      REQUIRE(exe != nullptr);
      CHECK((exe->find("interpreter") != nullptr) == c.is_measured);
    }
    site.file("pin.json", site.program("ethos-ledger", {"pin"}).out);
    const Ended checked =
        site.program("ethos-verify", {"--pin", site.path("work/pin.json"), site.ledger()});
    CAPTURE(checked.out, checked.err);
    CHECK(checked.status == 0);
  }
}

TEST_CASE("ethos-run: every interpreter of a chain is on record", "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    fs::copy_file("/usr/bin/echo", site.workspace() + "/echo");
    site.file("b", "#!echo from-b\n", 0755);
    site.file("a", "#!b from-a\n", 0755);
    const Ended ended = site.run({"--read", ".", "--exec", ".", "--", "./a", "word"});
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(ended.out == "from-b b from-a " + site.workspace() + "/a word\n");
    const JsonNode open = site.records("run.open").at(0);
    CHECK(text_at(open, {"body", "exe", "path", "path"}) == "a");
    CHECK(text_at(open, {"body", "exe", "interpreter", "path", "path"}) == "b");
    const JsonNode* further = open.find("body")->find("exe")->find("interpreters");
    REQUIRE(further != nullptr);
    REQUIRE(further->items.size() == 1);
    CHECK(text_at(further->items[0], {"path", "path"}) == "echo");
    CHECK(text_at(further->items[0], {"size"}) == std::to_string(fs::file_size("/usr/bin/echo")));
    site.file("pin.json", site.program("ethos-ledger", {"pin"}).out);
    const Ended checked =
        site.program("ethos-verify", {"--pin", site.path("work/pin.json"), site.ledger()});
    CAPTURE(checked.out, checked.err);
    CHECK(checked.status == 0);
  }
}
