// SPDX-License-Identifier: Apache-2.0
// How the program is called, and where the policy of a run comes from.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/workspace.h"
#include "tests/sandbox/program.h"
#include "tests/sandbox/run_site.h"

using namespace ethos::support;
namespace fs = std::filesystem;

TEST_CASE("ethos-run: a malformed declaration or ceiling denies the run", "[sandbox][e2e]") {
  const Site site;
  site.file("ethos.json", "{\"version\":1,\n\"tools\":{}}");
  Ended ended = site.run({"greet"});
  CHECK(ended.status == 120);
  CHECK(ended.err.find("line 2") != std::string::npos);
  const auto denials = site.records("runtime.sandbox_denial");
  REQUIRE(denials.size() == 1);
  CHECK(text_at(denials[0], {"body", "rule"}) == "declaration");
  // The place of the workspace is nobody's business.
  CHECK(text_at(denials[0], {"body", "cause"}).find(site.root()) == std::string::npos);
  site.file("ethos.json", kDeclaration);
  site.file("c.json", "{\"version\":1,\"name\":\"c\",\"wirte\":[]}");
  CHECK(site.run({"--ceiling", "c.json", "greet"}).status == 120);
}

TEST_CASE("ethos-run: called wrongly is 125 with one line, and nothing is recorded",
          "[sandbox][e2e]") {
  const Site site;
  site.file("ethos.json", kDeclaration);
  fs::create_directory(site.path("work/out"));
  fs::create_directory_symlink("/tmp", site.path("work/away"));
  make_ledger(site);
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"--no-such-option"},
      {"no-such-tool"},
      {"greet", "stray"},
      {"--config", "missing.json", "greet"},
      {"--config", "ethos.json", "nothing"},
      {"--ceiling", "missing.json", "greet"},
      {"--network", "full", "--", "true"},
      {"--limit", "wall=yes", "--", "true"},
      {"--limit", "wall", "--", "true"},
      {"--read", "../..", "--", "true"},
      {"--read", "/usr/share", "greet"},
      {"--network", "loopback", "greet"},
      {"--workspace", "/nowhere", "greet"},
      {"--workspace", "/usr", "greet"},
      {"--workspace", "/", "greet"},
      {"--ledger", site.path("work/ledger.db"), "greet"},
      {"--ledger", site.path("other.db"), "greet"},
      {"--ledger", "/usr/share/ledger.db", "greet"},
      {"--decision", "missing.json", "greet"},
      {"--decision", "ethos.json", "greet"},
      {"--write", "out", "--status-json", "out/status", "--", "true"},
      {"--sarif", "away/x.sarif", "greet"},
      {"--sarif", ".git/x.sarif", "greet"},
      {"--sarif", "ethos.json", "greet"},
      {"--status-json", site.ledger(), "greet"},
      {"--run-id-file", "/nowhere/id", "greet"},
      {"--stdin", "/dev/zero", "greet"},
      {"--stdin", "inherit", "greet"},
      {"--cgroup-parent", "/nowhere", "greet"},
      {"--audit", "on", "greet"},
  };
  for (const auto& words : wrong) {
    std::string line;
    for (const std::string& word : words) line += word + " ";
    CAPTURE(line);
    const Ended ended = site.run(words);
    CHECK(ended.status == 125);
    CHECK(ended.out.empty());
    CHECK(ended.err.starts_with("ethos-run: "));
    CHECK(std::ranges::count(ended.err, '\n') == 1);
  }
  CHECK(site.records().size() == kRecordsOfRefused);
  CHECK_FALSE(site.has("work/ledger.db"));
  CHECK_FALSE(site.has("other.db"));
  CHECK(site.run({"--ledger", site.path("other.db"), "greet"}).err.find("ethos-ledger init") !=
        std::string::npos);
}

TEST_CASE("ethos-run: help and version answer on standard output", "[sandbox][e2e]") {
  const Site site;
  CHECK(site.run({"--help"}).out.find("Examples:") != std::string::npos);
  CHECK(site.run({"--version"}).out.starts_with("ethos-run "));
  CHECK(site.run({"plan", "--help"}).status == 0);
  CHECK(site.run({"drift", "--help"}).status == 0);
  CHECK(site.run({"doctor", "--help"}).status == 0);
  CHECK_FALSE(site.has("home/.local"));
}

TEST_CASE("ethos-run: a ledger is made only at the default place, and never against --no-init",
          "[sandbox][e2e]") {
  const Site site;
  CHECK(site.run({"--no-init", "--read", "gone", "--", "true"}).status == 125);
  CHECK_FALSE(site.has("home/.local"));
  const Ended first = site.run({"--read", "gone", "--", "true"});
  CHECK(first.status == 120);
  CHECK(first.err.find("made the ledger") != std::string::npos);
  // Deleted: what lies beside it says that there was one.
  fs::remove(site.ledger());
  CHECK(site.run({"--read", "gone", "--", "true"}).status == 125);
  CHECK_FALSE(fs::exists(site.ledger()));
}

TEST_CASE("ethos-run: --config-rev takes the declaration of a commit, not of the work tree",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file(
      "ethos.json",
      R"({"version":1,"tools":{"t":{"command":["echo","committed"],"read":["."],"env":["A_TOKEN"]}}})");
  const std::string git = "cd " + site.workspace() +
                          " && git init -q . 2>/dev/null && git add -A && git -c user.name=n -c "
                          "user.email=e@x commit -q -m x";
  if (std::system(git.c_str()) != 0) {
    WARN("skipped: git is not installed");
    return;
  }
  site.file("ethos.json", R"({"version":1,"tools":{"t":{"command":["echo","work tree"]}}})");
  CHECK(site.run({"t"}).out == "work tree\n");
  const Ended ended = site.run({"--config-rev", "HEAD", "t"});
  CAPTURE(ended.err);
  CHECK(ended.out ==
        "committed\n");  // and the built-in ceiling, which keeps A_TOKEN out, does not apply
  const auto open = site.records("run.open").at(1);
  CHECK(text_at(open, {"body", "origin"}) == "revision");
  CHECK(text_at(open, {"body", "source_revision"}) ==
        text_at(open, {"body", "repository", "revision"}));
  CHECK(site.run({"--config-rev", "nothing", "t"}).status == 125);
}

TEST_CASE("ethos-run: a stranger's repository above is not the workspace", "[sandbox][e2e]") {
  NEEDS_CAGES
  if (::geteuid() != 0) {
    WARN("skipped: only root can give files to others");
    return;
  }
  const Site site(kUser);
  const std::string above = site.workspace();
  fs::create_directories(above + "/.git");
  fs::create_directories(above + "/mine/project");
  const auto give = [](const std::string& path, uid_t uid) {
    REQUIRE(::chown(path.c_str(), uid, uid) == 0);
  };
  give(above + "/mine", kUser);
  give(above + "/mine/project", kUser);
  give(above, kUser + 1);
  give(above + "/.git", kUser + 1);
  CHECK(ethos::sandbox::open_workspace(std::nullopt, above + "/mine/project")->path ==
        above + "/mine/project");
  give(above, kUser);
  give(above + "/.git", kUser);
  CHECK(ethos::sandbox::open_workspace(std::nullopt, above + "/mine/project")->path == above);
}
