// SPDX-License-Identifier: Apache-2.0
// ethos-run learn in real cages: what it proposes must be enough for the same tool, and no more.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "ledger/create.h"
#include "sandbox/declaration.h"
#include "tests/sandbox/program.h"

using namespace ethos::support;
using ethos::sandbox::ToolDeclaration;

namespace {

bool has_cages() {
  const Site site;
  return site.run({"--", "/bin/true"}).status == 0;
}

bool is_installed(const std::string& program) {
  return std::filesystem::exists("/usr/bin/" + program);
}

ToolDeclaration only_tool(const std::string& text) {
  const auto parsed = ethos::sandbox::parse_declaration(text);
  CAPTURE(text);
  REQUIRE(parsed);
  REQUIRE(parsed->tools.size() == 1);
  return parsed->tools[0];
}

std::vector<std::string> paths_of(
    const std::optional<std::vector<ethos::sandbox::PathEntry>>& list) {
  std::vector<std::string> out;
  if (list)
    for (const auto& e : *list) out.push_back(e.path);
  return out;
}

using Texts = std::vector<std::string>;

// Runs the tool under what was learned, and gives the number of denied acts.
std::string denied_acts(const Site& site, const std::string& file, const std::string& tool,
                        const Texts& words) {
  Texts all = {"--config", file, "--status-json", site.path("status"), tool, "--"};
  all.insert(all.end(), words.begin(), words.end());
  const Ended ended = site.run(all);
  CAPTURE(ended.err);
  const auto status = ethos::sandbox::parse_jsonc(site.read("status"));
  REQUIRE(status);
  CHECK(text_at(*status, {"ended_by"}) == "tool");
  return text_at(*status, {"denied_acts"});
}

}  // namespace

#define NEEDS_CAGES                                                   \
  if (!has_cages()) {                                                 \
    WARN("skipped: no cage can be built here, see ethos-run doctor"); \
    return;                                                           \
  }

TEST_CASE("learn: under the proposal the same real tool runs without a denial", "[sandbox][e2e]") {
  NEEDS_CAGES
  struct Case {
    const char* program;
    Texts command;
    Texts words;
  };
  const Case cases[] = {
      {"shellcheck", {"shellcheck"}, {"scripts/a.sh"}},
      {"pylint", {"pylint", "--output-format=json"}, {"src"}},
      {"cppcheck", {"cppcheck", "--quiet"}, {"src/a.c"}},
      {"gcc", {"gcc", "-o", "out/a"}, {"src/a.c"}},
      {"make", {"make"}, {}},
  };
  const Site site;
  site.file("scripts/a.sh", "#!/bin/sh\necho $1\n");
  site.file("src/m.py", "import os\n");
  site.file("src/a.c", "int main(void) { int x; return x; }\n");
  site.file("out/old", "");
  site.file("Makefile",
            "all:\n\tmkdir -p made && gcc -o made/a src/a.c && ./made/a; rm -f out/old\n");
  std::size_t tried = 0;
  for (const Case& c : cases) {
    CAPTURE(c.program);
    if (!is_installed(c.program)) continue;
    ++tried;
    const std::string file = site.path(std::string(c.program) + ".json");
    Texts all = {"learn", "--quiet", "--output", file, "--"};
    all.insert(all.end(), c.command.begin(), c.command.end());
    all.insert(all.end(), c.words.begin(), c.words.end());
    const Ended learned = site.run(all);
    CAPTURE(learned.err, learned.out);
    CHECK(learned.status == 0);
    CHECK(learned.out.empty());
    const std::string text = site.read(std::string(c.program) + ".json");
    CAPTURE(text);
    CHECK(text.find("ended alike") != std::string::npos);
    CHECK_FALSE(site.has("work/made"));
    CHECK(site.has("work/out/old"));
    CHECK(denied_acts(site, file, only_tool(text).name, c.words) == "0");
  }
  if (tried == 0) WARN("skipped: none of the tools is installed");
  CHECK(site.has("work/made/a") == is_installed("make"));
  CHECK(site.has("work/out/old") != is_installed("make"));
}

TEST_CASE("learn: nothing is changed, and every part of the proposal was needed",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("in/a", "a");
  site.file("in/b", "b");
  site.file("log", "");
  site.file("gone/x", "");
  site.file(".env", "secret");
  site.file("run.sh",
            "#!/bin/sh\ncat in/a\necho more >> log\nrm gone/x\ncat .env conf 2>/dev/null\n"
            "mkdir -p fresh && echo y > fresh/y\n",
            0755);
  const Ended learned = site.run({"learn", "--quiet", "--", "./run.sh"});
  CAPTURE(learned.err, learned.out);
  CHECK(learned.status == 0);
  const ToolDeclaration tool = only_tool(learned.out);
  CHECK(tool.command == Texts{"./run.sh"});
  CHECK(paths_of(tool.read) == Texts{"in/a"});
  CHECK(paths_of(tool.exec) == Texts{"run.sh"});
  CHECK(paths_of(tool.write) == Texts{"fresh", "gone", "log"});
  CHECK((*tool.write)[1].may_delete);
  CHECK_FALSE((*tool.write)[0].may_delete);
  CHECK(tool.network == ethos::sandbox::Network::none);
  CHECK(learned.out.find("conf") != std::string::npos);          // looked for, not there
  CHECK(learned.out.find(".env: hidden") != std::string::npos);  // kept from it, and not proposed
  CHECK(site.read("work/log").empty());
  CHECK(site.has("work/gone/x"));
  CHECK_FALSE(site.has("work/fresh"));
}

TEST_CASE("learn: a denial that stops the tool early is learned from, and the tool looked at again",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file(".git/HEAD", "ref: refs/heads/main\n");
  site.file("late", "x");
  const Ended git =
      site.run({"learn", "--quiet", "--", "sh", "-e", "-c", "cat .git/HEAD; cat late"});
  CAPTURE(git.err, git.out);
  CHECK(git.status == 0);
  CHECK(only_tool(git.out).git == ethos::sandbox::Git::read);
  CHECK(paths_of(only_tool(git.out).read) == Texts{".git", "late"});
  const std::string listen =
      "import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()\n"
      "c = socket.create_connection(s.getsockname())\nopen('late').read()\n";
  const Ended net = site.run({"learn", "--quiet", "--", "python3", "-c", listen});
  CAPTURE(net.err, net.out);
  CHECK(net.status == 0);
  CHECK(only_tool(net.out).network == ethos::sandbox::Network::loopback);
  // What the cage's own network cannot give is no reason to ask for it.
  const Ended out = site.run({"learn", "--quiet", "--", "python3", "-c",
                              "import socket\nsocket.create_connection(('192.0.2.1', 9))\n"});
  CAPTURE(out.err, out.out);
  CHECK(out.status == 1);
  CHECK(only_tool(out.out).network == ethos::sandbox::Network::none);
  CHECK(out.out.find("NOT CONFIRMED") != std::string::npos);
}

TEST_CASE("learn: what cannot be seen is found by trying", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("conf/flag", "");
  // stat(2) opens nothing: without a grant the file is not there, and no denial says so.
  const Ended seen =
      site.run({"learn", "--quiet", "--", "sh", "-c", "test -e conf/flag && exit 3; exit 4"});
  CAPTURE(seen.err, seen.out);
  CHECK(seen.status == 0);
  CHECK(paths_of(only_tool(seen.out).read) == Texts{"."});
  CHECK(seen.out.find("although no denial asks for it") != std::string::npos);
  // mkdir of what the grant has made already fails.
  const Ended made =
      site.run({"learn", "--quiet", "--", "sh", "-c", "mkdir new && echo x > new/x"});
  CAPTURE(made.err, made.out);
  CHECK(made.status == 0);
  CHECK(paths_of(only_tool(made.out).write) == Texts{"."});
}

TEST_CASE("learn: runs are joined, and a declared tool is compared", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("a", "");
  site.file("b", "");
  site.file("ethos.json", R"({"version":1,"tools":{"show":{"command":["cat"],"read":["a"]}}})");
  const Ended first = site.run({"learn", "--quiet", "show", "--", "a"});
  CAPTURE(first.err, first.out);
  CHECK(first.status == 0);
  CHECK(first.out.find("only narrows") != std::string::npos);
  const Ended wider = site.run({"learn", "--quiet", "--diff", "show", "--", "b"});
  CAPTURE(wider.err, wider.out);
  CHECK(wider.out.find("widened   show read: (nothing) -> b") != std::string::npos);
  CHECK(site.run({"learn", "--quiet", "--diff", "--format", "json", "show", "--", "b"})
            .out.find(R"("kind":"widened")") != std::string::npos);
  std::ofstream(site.path("first.json")) << first.out;
  const Ended both = site.run(
      {"learn", "--quiet", "--runs", "2", "--join", site.path("first.json"), "show", "--", "b"});
  CAPTURE(both.err, both.out);
  CHECK(both.status == 0);
  CHECK(both.out.find("Observed 2 runs") != std::string::npos);
  CHECK(paths_of(only_tool(both.out).read) == Texts{"a", "b"});
}

TEST_CASE("learn: never beyond a ceiling, never over a file", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("a", "");
  site.file("low.json", R"({"version":1,"name":"low","read":["."],"write":[],"exec":["/usr"],
    "network":["none"],"git":["none"],"profiles":["lint-offline"],
    "limits":{"memory":"1GiB","wall":"30s"}})");
  const Ended low = site.run(
      {"learn", "--quiet", "--ceiling", "low.json", "--", "sh", "-c", "cat a; echo x > b"});
  CAPTURE(low.err, low.out);
  CHECK(low.status == 1);
  const ToolDeclaration tool = only_tool(low.out);
  CHECK(paths_of(tool.write).empty());
  CHECK(tool.limits.at("wall_ms") == 30'000);
  CHECK(tool.limits.at("memory_bytes") <= std::uint64_t{1} << 30U);
  CHECK(low.out.find("b: outside every write grant") != std::string::npos);

  std::ofstream(site.path("there.json")) << "mine";
  const Ended there = site.run({"learn", "--output", site.path("there.json"), "--", "true"});
  CHECK(there.status == 2);
  CHECK(site.read("there.json") == "mine");
  std::filesystem::create_symlink("nowhere", site.path("work/link.json"));
  CHECK(site.run({"learn", "--output", "link.json", "--", "true"}).status == 2);
  CHECK_FALSE(site.has("work/nowhere"));
  CHECK(site.run({"learn", "--output", ".git/x", "--", "true"}).status == 2);
  const Ended fresh = site.run({"learn", "--quiet", "--output", "fresh.json", "--", "true"});
  CAPTURE(fresh.err);
  CHECK(fresh.status == 0);
  CHECK(only_tool(site.read("work/fresh.json")).name == "true");
}

TEST_CASE("learn: called wrongly is one line and status 2", "[sandbox][e2e]") {
  const Site site;
  site.file("x.json", "{}");
  for (const Texts& words :
       {Texts{"learn"}, Texts{"learn", "no-such-tool"}, Texts{"learn", "--runs", "0", "--", "true"},
        Texts{"learn", "--runs", "x", "--", "true"}, Texts{"learn", "--diff", "--", "true"},
        Texts{"learn", "--format", "json", "--", "true"},
        Texts{"learn", "--join", "gone.json", "--", "true"},
        Texts{"learn", "--join", "x.json", "--", "true"},
        Texts{"learn", "--limit", "wall", "--", "true"},
        Texts{"learn", "--stdin", "inherit", "--", "true"},
        Texts{"learn", "--read", ".", "--", "true"},
        Texts{"learn", "--config", "x.json", "--", "true"}}) {
    const Ended ended = site.run(words);
    CAPTURE(words, ended.err);
    CHECK(ended.status == 2);
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
    CHECK(ended.out.empty());
  }
  CHECK_FALSE(site.has("home/.local/state/ethos/ledger.db"));
}

TEST_CASE("learn: its runs are in the ledger when one is given, and the ledger verifies",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("a", "");
  CHECK(site.run({"learn", "--quiet", "--", "cat", "a"}).status == 0);
  CHECK_FALSE(site.has("home/.local/state/ethos/ledger.db"));  // none was named
  REQUIRE(site.run({"--", "true"}).status == 0);
  const auto count = [&] { return site.records("run.close").size(); };
  CHECK(count() == 1);
  const Ended learned = site.run(
      {"learn", "--quiet", "--ledger", site.ledger(), "--", "sh", "-c", "cat a; echo > b"});
  CAPTURE(learned.err);
  CHECK(learned.status == 0);
  CHECK(count() == 3);
  CHECK(site.records("artifact.exported").empty());
  // Nobody declared what it tried, and each record says so.
  std::vector<std::string> origins;
  for (const auto& open : site.records("run.open"))
    origins.push_back(text_at(open, {"body", "origin"}));
  CHECK(origins == std::vector<std::string>{"options", "learn", "learn"});
  REQUIRE(site.program("ethos-ledger", {"pin", "--ledger", site.ledger(), "-o", site.path("pin")})
              .status == 0);
  const Ended verified = site.program(
      "ethos-verify", {"--pin", site.path("pin"), "--assert", "no-gaps", site.ledger()});
  CAPTURE(verified.out, verified.err);
  CHECK(verified.status == 0);
  const Ended runs =
      site.program("ethos-verify", {"--pin", site.path("pin"), "--runs", site.ledger()});
  CAPTURE(runs.out);
  CHECK(runs.out.find("declared by learn (a look of `ethos-run learn`") != std::string::npos);
  std::ofstream(site.path("approved.json")) << R"([{"cap":"fs.read","path":"."}])";
  const auto asked = [&](const std::string& premise) {
    return site.program("ethos-verify", {"--pin", site.path("pin"), "--assert",
                                         premise + "grants subset of " + site.path("approved.json"),
                                         site.ledger()});
  };
  const Ended all = asked("");
  CAPTURE(all.out);
  CHECK(all.status != 0);
  CHECK(all.out.find("a run of `ethos-run learn`, which nobody declared") != std::string::npos);
  CHECK(asked("declaration != learn implies ").status == 0);
}

TEST_CASE("learn: a signal ends it, and nothing stays behind", "[sandbox][e2e]") {
  NEEDS_CAGES
  Site site;
  std::filesystem::create_directory(site.path("tmp"));
  site.set("TMPDIR", site.path("tmp"));
  const Started started =
      site.start("ethos-run", {"learn", "--", "sh", "-c", "echo up >&2; sleep 60"});
  char byte = 0;
  REQUIRE(read(started.err, &byte, 1) == 1);  // the tool is at work
  kill(started.pid, SIGTERM);
  const Ended ended = Site::wait(started);
  CAPTURE(ended.err);
  CHECK(ended.status > 128);
  CHECK(std::filesystem::is_empty(site.path("tmp")));
}

TEST_CASE("drift: two Git revisions, or one and the work tree", "[sandbox][e2e]") {
  const Site site;
  const auto declare = [&](const char* members) {
    site.file("ethos.json",
              std::string(R"({"version":1,"tools":{"t":{"command":["x"])") + members + "}}}");
  };
  const auto git = [&](const std::string& words) {
    return std::system(("cd " + site.workspace() + " && git -c user.name=n -c user.email=e@x " +
                        words + " >/dev/null 2>&1")
                           .c_str()) == 0;
  };
  declare(R"(,"read":["src"])");
  if (!git("init -q .") || !git("add -A") || !git("commit -q -m a") || !git("tag old")) {
    WARN("skipped: git is not installed");
    return;
  }
  declare(R"(,"read":["src","doc"])");
  REQUIRE(git("commit -q -a -m b"));
  const Ended both = site.run({"drift", "old", "HEAD"});
  CHECK(both.out == "widened   t read: (nothing) -> doc\n");
  CHECK(both.status == 1);
  CHECK(site.run({"drift", "HEAD", "old:ethos.json"}).status == 0);
  CHECK(site.run({"drift", "HEAD"}).out == "nothing widened, nothing narrowed\n");
  declare(R"(,"network":"loopback","read":["src"])");
  const Ended tree = site.run({"drift", "--json", "HEAD"});
  CHECK(tree.status == 1);
  CHECK(tree.out.find(
            R"({"from":"none","key":"network","kind":"widened","to":"loopback","tool":"t"})") !=
        std::string::npos);
  CHECK(site.run({"drift", "--format", "markdown", "old", "ethos.json"}).out.find("**widened**") !=
        std::string::npos);
  for (const Texts& words : {Texts{"drift", "nowhere"}, Texts{"drift", "HEAD:gone.json"},
                             Texts{"drift", "gone.json"}, Texts{"drift", "old", "HEAD", "HEAD"}}) {
    const Ended wrong = site.run(words);
    CAPTURE(words, wrong.err);
    CHECK(wrong.status == 2);
    CHECK(std::count(wrong.err.begin(), wrong.err.end(), '\n') == 1);
  }
}

TEST_CASE("ethos-run: to remove what is not there is no denial, what is there is",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("there", "");
  const std::string act =
      "import os, errno\n"
      "def no(f, *a):\n  try: f(*a)\n  except OSError as e: return errno.errorcode[e.errno]\n"
      "print(no(os.unlink, 'not'), no(os.rmdir, 'not'), no(os.rename, 'not', 'other'))\n";
  const Ended quiet = site.run({"--status-json", site.path("status"), "--", "python3", "-c", act});
  CAPTURE(quiet.err);
  CHECK(quiet.out == "ENOENT ENOENT ENOENT\n");
  CHECK(site.read("status").find("\"denied_acts\":\"0\"") != std::string::npos);
  CHECK(site.run({"--status-json", site.path("status"), "--", "rm", "-f", "there"}).status == 1);
  CHECK(site.read("status").find("\"denied_acts\":\"1\"") != std::string::npos);
  CHECK(site.has("work/there"));
}
