// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "ledger/base/unique_fd.h"
#include "ledger/reader.h"
#include "sandbox/cgroup.h"
#include "sandbox/workspace.h"
#include "tests/sandbox/program.h"
#include "tests/sandbox/run_site.h"

using namespace ethos::support;
using ethos::sandbox::JsonNode;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> types_of(const std::vector<JsonNode>& records) {
  std::vector<std::string> out;
  for (const JsonNode& r : records) out.push_back(text_at(r, {"type"}));
  return out;
}

std::vector<std::uint64_t> checkpoint_sizes(const Site& site) {
  auto reader = ethos::ledger::LedgerReader::open(ethos::ledger::LedgerFiles::at(site.ledger()));
  REQUIRE(reader);
  auto checkpoints = reader->checkpoints();
  REQUIRE(checkpoints);
  std::vector<std::uint64_t> out;
  for (const auto& c : *checkpoints) out.push_back(c.checkpoint.size);
  return out;
}

const char* kDeclaration = R"({"version":1,"tools":{
  "greet":{"command":["/bin/sh","-c","echo hello; echo there >&2; exit 5"]},
  "widens":{"command":["true"],
    "read":["/etc/shadow"]},
  "fixed":{"command":["echo"],"args":"fixed"},"paths":{"command":["echo"],"args":"paths"}}})";

// A first run makes the ledger; one that is refused leaves genesis, run.open, the denial and
// run.close.
constexpr std::size_t kRecordsOfRefused = 4;
void make_ledger(const Site& site) {
  REQUIRE(site.run({"--read", "gone", "--", "true"}).status == 120);
}

}  // namespace

TEST_CASE("ethos-run: a declared tool runs, and the run is recorded from start to end",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    site.file("ethos.json", kDeclaration);
    const Ended ended = site.run({"--task", "lint", "--actor", "me", "--status-json",
                                  site.path("status"), "--run-id-file", site.path("id"), "greet"});
    CHECK(ended.status == 5);
    CHECK(ended.out == "hello\n");
    CHECK(ended.err.find("there\n") != std::string::npos);
    const auto records = site.records();
    const auto types = types_of(records);
    REQUIRE(types.size() > 6);
    CHECK(types[0] == "ledger.genesis");
    CHECK(types[1] == "run.open");
    CHECK(types[2] == "capability.grant");
    CHECK(std::ranges::count(types, "sandbox.enforced") == 1);
    CHECK(std::ranges::count(types, "output.captured") == 2);
    CHECK(types.back() == "run.close");
    const JsonNode& open = records[1];
    CHECK(text_at(open, {"body", "origin"}) == "workspace");
    CHECK(text_at(open, {"body", "tool"}) == "greet");
    CHECK(text_at(open, {"body", "caller", "uid"}) == std::to_string(uid.value_or(::geteuid())));
    CHECK(text_at(open, {"body", "exe", "path", "base"}) == "system");
    CHECK(text_at(open, {"body", "task", "kind"}) == "task");
    CHECK(text_at(open, {"body", "plan", "kind"}) == "plan");
    CHECK(text_at(open, {"body", "source", "n"}) ==
          std::to_string(std::string(kDeclaration).size()));
    const JsonNode& close = records.back();
    CHECK(text_at(close, {"body", "exit", "code"}) == "5");
    CHECK(text_at(close, {"body", "records"}) == std::to_string(records.size() - 1));
    CHECK(text_at(close, {"body", "teardown", "processes_left"}) == "0");
    CHECK(site.read("id") == text_at(open, {"run"}) + "\n");
    CHECK(site.read("status").find("\"status\":5") != std::string::npos);
    CHECK_FALSE(site.has("home/.local/state/ethos/ledger.db.runs/" + text_at(open, {"run"})));
    // Genesis, everything before the start, everything after: two commits a run.
    CHECK(checkpoint_sizes(site).size() == 3);
  }
}

TEST_CASE("ethos-run: a workspace file that asks for more than the ceiling is refused and recorded",
          "[sandbox][e2e]") {
  const Site site;
  site.file("ethos.json", kDeclaration);
  const Ended ended = site.run({"--status-json", site.path("status"), "widens"});
  CHECK(ended.status == 120);
  CHECK(ended.err.find("ceiling") != std::string::npos);
  const auto records = site.records();
  REQUIRE(types_of(records) == std::vector<std::string>{"ledger.genesis", "run.open",
                                                        "runtime.sandbox_denial", "run.close"});
  CHECK(text_at(records[2], {"body", "phase"}) == "setup");
  CHECK(text_at(records[2], {"body", "rule"}) == "ceiling");
  CHECK(text_at(records[2], {"body", "object", "path"}) == "etc/shadow");
  CHECK(text_at(records[1], {"body", "origin"}) == "workspace");
  CHECK(text_at(records[3], {"body", "ended_by"}) == "refused");
  CHECK(text_at(records[3], {"body", "status"}) == "120");
  CHECK(checkpoint_sizes(site).size() == 2);  // a refused run makes one commit
  CHECK(site.read("status").find("\"refused\"") != std::string::npos);
  // The same from the command line: options are under the same ceiling.
  CHECK(site.run({"--write", "/srv", "--", "true"}).status == 120);
  CHECK(site.run({"--env", "GITHUB_TOKEN", "--", "true"}).status == 120);
  CHECK(site.run({"--read", "nothing", "--", "true"}).status == 120);
}

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

TEST_CASE("ethos-run: exit statuses", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("ethos.json", kDeclaration);
  site.file("data", "x");
  CHECK(site.run({"--", "/bin/sh", "-c", "exit 77"}).status == 77);
  CHECK(site.run({"--", "/bin/sh", "-c", "kill -9 $$"}).status == 137);
  CHECK(site.run({"--", "no-such-program"}).status == 127);
  CHECK(site.run({"--", "./data"}).status == 126);
  CHECK(site.run({"--limit", "wall=500ms", "--", "sleep", "20"}).status == 124);
  CHECK(site.run({"--limit", "output=1000", "--", "/bin/sh", "-c",
                  "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxx; done"})
            .status == 121);
  CHECK(site.run({"--fail-on-denial", "--", "/bin/sh", "-c", "echo > denied"}).status == 122);
  CHECK(site.run({"--", "/bin/sh", "-c", "echo > denied; true"}).status == 0);
  CHECK(site.run({"fixed", "--", "more"}).status == 120);
  CHECK(site.run({"paths", "--", "-n"}).status == 120);
  CHECK(site.run({"paths", "--", "a", "b"}).out == "a b\n");
  std::vector<std::string> ends;
  for (const JsonNode& r : site.records("run.close"))
    ends.push_back(text_at(r, {"body", "ended_by"}) + " " + text_at(r, {"body", "status"}));
  CHECK(ends == std::vector<std::string>{"tool 77", "tool 137", "tool 127", "tool 126", "wall 124",
                                         "limit 121", "tool 122", "tool 0", "refused 120",
                                         "refused 120", "tool 0"});
  const auto limits = site.records("resource.limit");
  REQUIRE(limits.size() == 2);
  CHECK(text_at(limits[0], {"body", "limit"}) == "wall_ms");
  CHECK(text_at(limits[1], {"body", "limit"}) == "output_bytes");
}

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

TEST_CASE("ethos-run: standard input is a pipe or file, never anything else", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("in.txt", "from a file\n");
  CHECK(site.run({"--", "cat"}, "from a pipe\n").out == "from a pipe\n");
  CHECK(site.run({"--stdin", "none", "--", "cat"}, "from a pipe\n").out.empty());
  CHECK(site.run({"--stdin", "in.txt", "--", "cat"}).out == "from a file\n");
  CHECK(site.run({"--", "cat"}).out.empty());
}

TEST_CASE("ethos-run: output is committed to, and kept only when asked", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  CHECK(site.run({"--", "echo", "not kept"}).status == 0);
  CHECK(site.run({"--keep-output", "--", "echo", "kept"}).status == 0);
  auto reader = ethos::ledger::LedgerReader::open(ethos::ledger::LedgerFiles::at(site.ledger()));
  REQUIRE(reader);
  std::vector<std::string> kept;
  for (const JsonNode& r : site.records("output.captured")) {
    if (text_at(r, {"body", "stream"}) != "stdout") continue;
    const auto c = ethos::record::Digest::from_base64(text_at(r, {"body", "data", "c"}));
    REQUIRE(c);
    const auto disclosure = reader->disclosure(*c);
    REQUIRE(disclosure);
    kept.push_back(*disclosure ? (*disclosure)->bytes : "(none)");
    if (*disclosure) CHECK(ethos::record::opens(**disclosure));
  }
  CHECK(kept == std::vector<std::string>{"(none)", "kept\n"});
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

TEST_CASE("ethos-run: a signal to the runner ends the run, and its end is recorded",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  const Started started = site.start(
      "ethos-run", {"--run-id-file", site.path("id"), "--", "/bin/sh", "-c", "echo up; sleep 30"});
  char up[3] = {};
  REQUIRE(::read(started.out, up, 3) == 3);
  REQUIRE(::kill(started.pid, SIGTERM) == 0);
  const Ended ended = Site::wait(started);
  CHECK(ended.status == 128 + SIGTERM);
  const auto closes = site.records("run.close");
  REQUIRE(closes.size() == 1);
  CHECK(text_at(closes[0], {"body", "ended_by"}) == "interrupted");
}

TEST_CASE(
    "ethos-run: a run whose runner was killed gets run.abort at the next start, a live one does "
    "not",
    "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  const Started dead = site.start("ethos-run", {"--", "/bin/sh", "-c", "echo up; sleep 30"});
  const Started alive = site.start("ethos-run", {"--", "/bin/sh", "-c", "echo up; sleep 3"});
  char up[3] = {};
  REQUIRE(::read(dead.out, up, 3) == 3);
  REQUIRE(::read(alive.out, up, 3) == 3);
  REQUIRE(::kill(dead.pid, SIGKILL) == 0);
  CHECK(Site::wait(dead).status == 128 + SIGKILL);
  const Ended next = site.run({"--", "true"});
  CHECK(next.status == 0);
  CHECK(next.err.find("run.abort") != std::string::npos);
  CHECK(site.records("run.abort").size() == 1);
  CHECK(Site::wait(alive).status == 0);
  CHECK(site.records("run.abort").size() == 1);
  CHECK(site.records("run.close").size() == 2);
}

namespace {

// A directory for groups of runs, for a test of its own. Empty where none can be made.
class GroupParent {
 public:
  GroupParent() {
    const auto mount = ethos::sandbox::cgroup2_mount();
    if (!mount) return;
    path_ = *mount + "/ethos-test-" + std::to_string(::getpid());
    if (::mkdir(path_.c_str(), 0755) != 0) path_.clear();
  }
  ~GroupParent() {
    for (const std::string& group : groups()) ::rmdir(group.c_str());
    if (!path_.empty()) ::rmdir(path_.c_str());
  }
  GroupParent(const GroupParent&) = delete;
  GroupParent& operator=(const GroupParent&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::vector<std::string> groups() const {
    std::vector<std::string> out;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(path_, none))
      if (entry.is_directory()) out.push_back(entry.path().string());
    return out;
  }

 private:
  std::string path_;
};

// A run whose runner is killed when the tool is up.
void leave_dead_run(const Site& site, const GroupParent& parent) {
  const Started dead = site.start(
      "ethos-run", {"--cgroup-parent", parent.path(), "--", "/bin/sh", "-c", "echo up; sleep 30"});
  char up[3] = {};
  REQUIRE(::read(dead.out, up, 3) == 3);
  REQUIRE(::kill(dead.pid, SIGKILL) == 0);
  CHECK(Site::wait(dead).status == 128 + SIGKILL);
}

// Its file in the ledger's directory of runs.
fs::path dead_run_file(const Site& site) {
  for (const auto& entry : fs::directory_iterator(site.ledger() + ".runs")) return entry.path();
  FAIL("no run has a file");
  return {};
}

}  // namespace

TEST_CASE("ethos-run: the control group of a killed runner is removed by who ends its run",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const GroupParent parent;
  if (parent.path().empty()) {
    WARN("skipped: no directory can be made in a cgroup v2 hierarchy");
    return;
  }
  const Site site;
  SECTION("the next run") {
    leave_dead_run(site, parent);
    REQUIRE(parent.groups().size() == 1);
    CHECK(site.run({"--", "true"}).status == 0);
    CHECK(parent.groups().empty());
  }
  SECTION("ethos-ledger recover") {
    leave_dead_run(site, parent);
    REQUIRE(parent.groups().size() == 1);
    CHECK(site.program("ethos-ledger", {"recover", "--ledger", site.ledger()}).status == 0);
    CHECK(parent.groups().empty());
  }
  SECTION("but no other group, whatever the file says") {
    leave_dead_run(site, parent);
    const std::string live = parent.path() + "/tool";
    const std::string other = parent.path() + "/run-0123456789abcdef";
    REQUIRE(::mkdir(live.c_str(), 0755) == 0);
    REQUIRE(::mkdir(other.c_str(), 0755) == 0);
    const bool is_other = ::chown(other.c_str(), 4242, 4242) == 0;
    const std::string plain = site.path("run-0123456789abcdef");
    REQUIRE(::mkdir(plain.c_str(), 0755) == 0);
    std::ofstream(dead_run_file(site), std::ios::app)
        << "cgroup " << live << "\ncgroup " << plain << "\ncgroup " << (is_other ? other : live)
        << "\ncgroup " << parent.path() << "/run-ffffffffffffffff\ncgroup " << other;
    CHECK(site.run({"--", "true"}).status == 0);
    std::vector<std::string> left = parent.groups();
    std::sort(left.begin(), left.end());
    CHECK(left == std::vector<std::string>{other, live});
    CHECK(fs::is_directory(plain));
  }
}

TEST_CASE("ethos-run: denials of a long run are in the ledger while it still runs",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  const Started started =
      site.start("ethos-run", {"--", "/bin/sh", "-c", "echo > denied; echo up; sleep 30"});
  char up[3] = {};
  REQUIRE(::read(started.out, up, 3) == 3);
  bool is_there = false;
  for (int i = 0; i < 50 && !is_there; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    is_there = !site.records("runtime.sandbox_denial").empty();
  }
  CHECK(is_there);
  CHECK(site.records("run.close").empty());
  REQUIRE(::kill(started.pid, SIGINT) == 0);
  CHECK(Site::wait(started).status == 128 + SIGINT);
  CHECK(text_at(site.records("run.close").at(0), {"body", "denials", "records"}) == "1");
}

TEST_CASE("ethos-run: many at once share one ledger", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  make_ledger(site);
  std::vector<Started> started;
  constexpr std::size_t kRuns = 8;
  for (std::size_t i = 0; i < kRuns; ++i)
    started.push_back(site.start("ethos-run", {"--", "/bin/sh", "-c", "echo > denied; echo x"}));
  for (const Started& s : started) CHECK(Site::wait(s).out == "x\n");
  const auto records = site.records();
  std::uint64_t seq = 0;
  for (const JsonNode& r : records) CHECK(text_at(r, {"seq"}) == std::to_string(seq++));
  CHECK(site.records("run.close").size() == kRuns + 1);
  CHECK(site.records("runtime.sandbox_denial").size() == kRuns + 1);
}

TEST_CASE("ethos-run: no place of a home stands in a record", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  const Ended ended =
      site.run({"--observe", "all", "--", "/bin/sh", "-c",
                "cat /home/alice/.ssh/id_ed25519 /root/.bashrc; echo > /home/alice/x; true"});
  CHECK(ended.status == 0);
  site.run({"--read", "/home/alice/work", "--", "true"});
  const auto shown = site.program("ethos-ledger", {"show", "--json"}).out;
  CHECK(shown.find("runtime.sandbox_denial") != std::string::npos);
  CHECK(shown.find("alice") == std::string::npos);
  CHECK(shown.find("bashrc") == std::string::npos);
  CHECK(shown.find(site.root()) == std::string::npos);
}

TEST_CASE("ethos-run: plan prints the bytes that a run commits to", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("ethos.json", kDeclaration);
  const Ended plan = site.run({"plan", "--json", "greet"});
  CHECK(plan.status == 0);
  CHECK(site.run({"plan", "greet"}).out.find("workspace") != std::string::npos);
  CHECK(site.run({"plan", "widens"}).status == 120);
  CHECK(site.run({"plan", "nothing"}).status == 125);
  CHECK_FALSE(site.has("home/.local"));  // planning leaves no trace
  site.run({"greet"});
  auto reader = ethos::ledger::LedgerReader::open(ethos::ledger::LedgerFiles::at(site.ledger()));
  REQUIRE(reader);
  std::string document = "{";
  for (const char* key : {"facts", "normal", "plan"}) {
    const auto c = ethos::record::Digest::from_base64(
        text_at(site.records("run.open").at(0), {"body", key, "c"}));
    REQUIRE(c);
    const auto disclosure = reader->disclosure(*c);
    REQUIRE((disclosure && *disclosure));
    document +=
        (document.size() > 1 ? ",\"" : "\"") + std::string(key) + "\":" + (*disclosure)->bytes;
  }
  CHECK(plan.out == document + "}\n");
}

TEST_CASE(
    "ethos-run: --sarif writes what ethos-sarif made in a cage of its own, and records its digest",
    "[sandbox][e2e]") {
  NEEDS_CAGES
  if (::access("/usr/bin/shellcheck", X_OK) != 0) {
    WARN("skipped: shellcheck is not installed");
    return;
  }
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    site.file("a.sh", "#!/bin/sh\nfor f in $(ls *.txt); do echo $f; done\n");
    const Ended ended =
        site.run({"--sarif", site.path("home/o.sarif"), "shellcheck", "--", "a.sh"});
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    const std::string sarif = site.read("home/o.sarif");
    CHECK(sarif.find("\"SC2045\"") != std::string::npos);
    CHECK(sarif.find("\"sandbox\"") != std::string::npos);
    const auto written = site.records("sarif.written");
    REQUIRE(written.size() == 1);
    CHECK(text_at(written[0], {"body", "sha256"}) ==
          ethos::record::sha256(ethos::base::as_bytes(sarif)).text());
    CHECK(std::stoi(text_at(written[0], {"body", "results"})) >= 2);
    CHECK(types_of(site.records()).back() == "sarif.written");
    // A refused run says so in SARIF too.
    CHECK(site.run({"--sarif", site.path("home/r.sarif"), "--read", "/etc/shadow", "--", "cat"})
              .status == 120);
    CHECK(site.read("home/r.sarif").find("runtime.sandbox_denial") != std::string::npos);
  }
}

TEST_CASE("ethos-run: without evidence before the start the tool does not start",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  make_ledger(site);
  fs::rename(site.ledger() + ".keys", site.path("keys"));
  const Ended ended =
      site.run({"--write", "out", "--", "/bin/sh", "-c", "echo ran; echo > out/ran"});
  CHECK(ended.status == 125);
  CHECK(ended.out.empty());
  CHECK(std::ranges::count(ended.err, '\n') == 1);
  CHECK_FALSE(site.has("work/out/ran"));
  fs::rename(site.path("keys"), site.ledger() + ".keys");
  CHECK(site.records().size() == kRecordsOfRefused);
  CHECK(site.run({"--", "true"}).status == 0);
}

TEST_CASE("ethos-run: evidence that cannot be completed is 125 whatever the tool said",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  make_ledger(site);
  const Started started =
      site.start("ethos-run", {"--", "/bin/sh", "-c", "echo up; sleep 1; exit 0"});
  char up[3] = {};
  REQUIRE(::read(started.out, up, 3) == 3);
  fs::rename(site.ledger() + ".keys", site.path("keys"));
  const Ended ended = Site::wait(started);
  CHECK(ended.status == 125);
  CHECK(ended.err.find("evidence is not complete") != std::string::npos);
  fs::rename(site.path("keys"), site.ledger() + ".keys");
  CHECK(site.records("run.close").size() == 1);  // of the run that made the ledger
  CHECK(site.run({"--", "true"}).status == 0);
  CHECK(site.records("run.abort").size() == 1);
}

TEST_CASE("ethos-run: names and words that are no text neither break it nor pass unseen",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("d\xFF\n/x\xFE.pem", "secret");
  const std::string odd = site.path("work/d\xFF\n");
  CHECK(site.run({"--workspace", odd, "--hide", "*.pem", "--", "/bin/sh", "-c", "cat *.pem; true"})
            .out.empty());
  CHECK(site.run({"--", "/bin/echo", "-n", "\xFF\n"}).out == "\xFF\n");
  CHECK(site.run({"--", "/bin/sh", "-c", "echo > 'n\xFF\x01'; true"}).status == 0);
  const auto denials = site.records("runtime.sandbox_denial");
  CHECK(std::ranges::any_of(denials, [](const JsonNode& d) {
    return text_at(d, {"body", "object", "path_b64"}) == "bv8B";
  }));
  // An option becomes part of the normal form, which is text.
  CHECK(site.run({"--read", "\xFF", "--", "true"}).status == 120);
  CHECK(site.run({"--env", "A=\xFF", "--", "true"}).status == 120);
  CHECK(site.run({"--env", "\xFF", "--", "true"}).status == 125);
  CHECK(site.run({"--task", "\xFF", "--", "true"}).status == 0);
  CHECK(site.run({"--", "\xFF"}).status == 120);
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

TEST_CASE("ethos-run: what the looks at the processes saw at most is in run.close",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  REQUIRE(site.run({"--", "sh", "-c", "sleep 1 & sleep 1 & sleep 1 & wait"}).status == 0);
  const auto closes = site.records("run.close");
  REQUIRE(closes.size() == 1);
  const std::string peak = text_at(closes[0], {"body", "usage", "pids_peak"});
  CAPTURE(peak);
  CHECK(std::atoi(peak.c_str()) >= 4);
}

TEST_CASE("ethos-run: a tool changes no limit of another process", "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const std::string observe : {"off", "writes"}) {
    const Site site;
    CAPTURE(observe);
    // With a CPU limit of its own the kernel would kill pid 1, and the record would blame the tool.
    const Ended ended =
        site.run({"--observe", observe, "--", "sh", "-c",
                  "prlimit --pid 1 --cpu=1:1 && echo lowered; prlimit --pid 1 --cpu "
                  ">/dev/null && echo read; ulimit -t 100 && echo own"});
    CHECK(ended.out == "read\nown\n");
    if (observe == "writes") {
      const auto denials = site.records("runtime.sandbox_denial");
      REQUIRE(denials.size() == 1);
      CHECK(text_at(denials[0], {"body", "operation"}) == "prlimit64");
    }
  }
}

TEST_CASE("ethos-run: --stdin follows no link and waits for no pipe", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("real", "text");
  fs::create_symlink("/etc/shadow", site.workspace() + "/link");
  REQUIRE(::mkfifo((site.workspace() + "/fifo").c_str(), 0644) == 0);
  CHECK(site.run({"--stdin", "real", "--", "cat"}).out == "text");
  const Ended link = site.run({"--stdin", "link", "--", "cat"});
  CHECK(link.status == 125);
  CHECK(link.err.find("symbolic link") != std::string::npos);
  CHECK(site.run({"--stdin", "fifo", "--", "cat"}).status == 125);
}

TEST_CASE("ethos-run: standard input that cannot be read is refused at once", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("in", "text");
  const std::string path = site.workspace() + "/in";
  for (const int flags : {O_PATH, O_WRONLY}) {
    CAPTURE(flags);
    const ethos::base::UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC));
    const Ended refused = Site::wait(site.start("ethos-run", {"--", "cat"}, fd.get()));
    CHECK(refused.status == 125);
    CHECK(refused.err.find("standard input is a pipe or file that cannot be read") !=
          std::string::npos);
    CHECK(refused.err.find("--stdin none") != std::string::npos);
    CHECK(Site::wait(site.start("ethos-run", {"--stdin", "none", "--", "true"}, fd.get())).status ==
          0);
  }
  CHECK(site.records("run.open").size() == 2);
}

TEST_CASE("ethos-run: --audit require refuses where the kernel's audit tells nothing",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  REQUIRE(site.run({"--audit", "auto", "--", "true"}).status == 0);
  const auto enforced = site.records("sandbox.enforced");
  REQUIRE(enforced.size() == 1);
  std::string sources;
  for (const auto& source : enforced[0].find("body")->find("sources")->items)
    sources += source.text + " ";
  if (sources.find("landlock_audit") != std::string::npos) {
    WARN("skipped: the kernel's audit is a source here");
    return;
  }
  const Ended refused = site.run({"--audit", "require", "--", "true"});
  CHECK(refused.status == 120);
  CHECK(refused.err.find("[audit]") != std::string::npos);
  const auto denials = site.records("runtime.sandbox_denial");
  REQUIRE(denials.size() == 1);
  CHECK(text_at(denials[0], {"body", "operation"}) == "audit");
  CHECK(site.run({"--audit", "off", "--", "true"}).status == 0);
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
  // In a mount namespace of its own, which ends with the shell.
  const auto run = [&](const std::string& grants) {
    return Site::wait(site.start(
        "/usr/bin/unshare", {"-m", "/bin/sh", "-c",
                             "mount -t tmpfs x " + work + "/in && mount --bind /dev/null " + work +
                                 "/cred && exec " ETHOS_BIN "/ethos-run --workspace " + work + " " +
                                 grants + " -- cat in/.env in/plain cred beside/free"}));
  };
  for (const char* grants : {"--read . --hide .env", "--read . --write in"}) {
    const Ended covered = run(grants);
    CAPTURE(grants, covered.out, covered.err);
    CHECK(covered.status == 120);
    CHECK(covered.out.find("UNDER") == std::string::npos);
    CHECK(covered.err.find("mounted below the granted directory") != std::string::npos);
  }
  const Ended beside = run("--read beside");
  CAPTURE(beside.out, beside.err);
  CHECK(beside.out == "free");
}
