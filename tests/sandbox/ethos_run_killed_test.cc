// SPDX-License-Identifier: Apache-2.0
// Runs that are ended from outside, and evidence that cannot be kept.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "sandbox/cgroup.h"
#include "tests/sandbox/program.h"
#include "tests/sandbox/run_site.h"

using namespace ethos::support;
namespace fs = std::filesystem;

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
