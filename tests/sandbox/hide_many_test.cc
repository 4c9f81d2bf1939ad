// SPDX-License-Identifier: Apache-2.0
// Whole runs that hide many places, up to the most there can be and one more.
#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/sandbox/program.h"
#include "tests/sandbox/run_site.h"

using namespace ethos::support;

namespace {

constexpr int kMost = 4096;

// Four keys and a file beside them in a directory, as packages have them with their tests.
void add_keys(const Site& site, int from, int to) {
  for (int i = from; i < to; ++i) {
    const std::string dir = "node_modules/pkg" + std::to_string(i / 4) + "/test";
    if (i % 4 == 0) site.file(dir + "/seen.js", "seen");
    site.file(dir + "/key" + std::to_string(i) + ".pem", "SECRET");
  }
}

// What can be read of all keys and of the files beside them.
const char* kRead =
    "find . -name '*.pem' -exec cat {} + 2>/dev/null; find . -name '*.pem' | wc -l; "
    "find . -name '*.js' -exec cat {} + | wc -c";

void check_verifies(const Site& site) {
  const Ended pin = site.program("ethos-ledger", {"pin"});
  REQUIRE(pin.status == 0);
  std::ofstream(site.path("pin.json")) << pin.out;
  const Ended verified =
      site.program("ethos-verify", {"--pin", site.path("pin.json"), site.ledger()});
  CAPTURE(verified.out, verified.err);
  CHECK(verified.status == 0);
}

}  // namespace

TEST_CASE("hide many: thousands of places are hidden, one by one, and no more than can be",
          "[sandbox][e2e][slow]") {
  NEEDS_CAGES
  const Site site;
  int keys = 0;
  for (const int count : {513, 1000, kMost, kMost + 1}) {
    CAPTURE(count);
    add_keys(site, keys, count);
    keys = count;
    const Ended ended = site.run({"--hide", "*.pem", "--", "sh", "-c", kRead});
    CAPTURE(ended.err);
    if (count <= kMost) {
      CHECK(ended.status == 0);
      CHECK(ended.out == std::to_string(count) + "\n" + std::to_string((count + 3) / 4 * 4) + "\n");
      std::string matches;
      for (const auto& grant : site.records("capability.grant"))
        if (text_at(grant, {"body", "cap"}) == "fs.hide")
          matches = text_at(grant, {"body", "matches"});
      CHECK(matches == std::to_string(count));
    } else {
      CHECK(ended.status == 120);
      CHECK(ended.out.empty());
      CHECK(ended.err.find("more than 4096 places would have to be hidden") != std::string::npos);
      CHECK(text_at(site.records("run.close").back(), {"body", "ended_by"}) == "refused");
    }
  }
  CHECK(site.records("run.close").size() == 4);
  check_verifies(site);
}

TEST_CASE("hide many: an ordinary user, and a directory that is written to",
          "[sandbox][e2e][slow]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    add_keys(site, 0, 600);
    const Ended ended = site.run(
        {"--write", "node_modules", "--hide", "*.pem", "--", "sh", "-c",
         "cat node_modules/pkg9/test/*.pem 2>/dev/null; cd node_modules && for i in 1 2 3; "
         "do echo made > pkg$i/new; done; echo x > pkg3/test/new.pem; rm pkg7/test/*.pem; "
         "mv pkg8 moved 2>/dev/null; cat moved/test/*.pem; true"});
    CAPTURE(ended.out, ended.err);
    CHECK(ended.out.empty());
    // A name that matches does not come out, nor does anything with it.
    CHECK(ended.err.find("new.pem: this name matches a hide pattern") != std::string::npos);
    CHECK_FALSE(site.has("work/node_modules/pkg3/new"));
    CHECK_FALSE(site.has("work/node_modules/pkg3/test/new.pem"));
    CHECK(site.read("work/node_modules/pkg7/test/key28.pem") == "SECRET");
    CHECK(site.run({"--write", "node_modules", "--hide", "*.pem", "--", "sh", "-c",
                    "for i in 1 2 3; do echo made > node_modules/pkg$i/new; done"})
              .status == 0);
    CHECK(site.read("work/node_modules/pkg3/new") == "made\n");
    check_verifies(site);
  }
}

// D-9: what is in a hidden directory is hidden with it.
TEST_CASE("hide many: links and other names that lead into a hidden directory", "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    site.file("closed/key", "SECRET");
    site.file("open/seen", "seen");
    std::filesystem::create_symlink("../closed/key", site.workspace() + "/open/x.pem");
    std::filesystem::create_hard_link(site.workspace() + "/closed/key",
                                      site.workspace() + "/open/other");
    const Ended ended = site.run({"--hide", "closed", "--hide", "*.pem", "--", "sh", "-c",
                                  "cat open/seen; cat open/* closed/key 2>/dev/null | grep SECRET; "
                                  "true"});
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(ended.out == "seen");
    check_verifies(site);
  }
}

// The masks are over what was there at the start.
TEST_CASE("hide many: what comes to match while the tool runs is told and recorded",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    site.file("old.pem", "SECRET");
    const auto while_it_runs = [&](const std::vector<std::string>& options, const char* name) {
      std::vector<std::string> words = options;
      for (const char* word :
           {"--", "sh", "-c", "for i in $(seq 400); do test -e now && break; sleep 0.05; done"})
        words.emplace_back(word);
      std::filesystem::remove(site.workspace() + "/now");
      const std::size_t before = site.records("run.close").size();
      const Started started = site.start("ethos-run", words);
      // The masks are there once the start is recorded.
      for (int i = 0; i < 400 && site.records("sandbox.enforced").size() <= before; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (name != nullptr) site.file(name, "LATE");
      site.file("now", "");
      return Site::wait(started);
    };
    const auto gaps = [&] { return site.records("run.gap"); };
    REQUIRE(site.run({"--hide", "*.pem", "--", "true"}).status == 0);
    CHECK(while_it_runs({"--hide", "*.pem"}, nullptr).status == 0);
    CHECK(gaps().empty());
    CHECK(while_it_runs({"--hide", "*.pem"}, "beside.txt").status == 0);
    CHECK(gaps().empty());
    const Ended late = while_it_runs({"--hide", "*.pem"}, "sub/late.pem");
    CAPTURE(late.err);
    CHECK(late.status == 0);
    CHECK(late.err.find("1 place that matches a hide pattern came up while the tool ran") !=
          std::string::npos);
    CHECK(late.err.find("sub/late.pem") != std::string::npos);
    REQUIRE(gaps().size() == 1);
    CHECK(text_at(gaps()[0], {"body", "reason"}) == "not_hidden");
    CHECK(text_at(gaps()[0], {"body", "lost"}) == "1");
    // From now on it is hidden, and nothing is looked for where nothing is declared.
    CHECK(site.run({"--hide", "*.pem", "--", "cat", "sub/late.pem"}).status == 1);
    CHECK(while_it_runs({}, "later.pem").status == 0);
    CHECK(gaps().size() == 1);
    check_verifies(site);
  }
}

// 128 patterns over so many names take seconds, before the tool starts and again when it has ended.
TEST_CASE("hide many: a signal ends the second look, and what it did not see is said",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  REQUIRE(site.run({"--", "true"}).status == 0);
  const std::size_t before = site.records("sandbox.enforced").size();
  std::string stars;
  for (int i = 0; i < 240; ++i) stars += "*a";
  std::string patterns;
  for (int i = 0; i < 128; ++i)
    patterns += (i == 0 ? "\"" : ",\"") + ("**/" + stars + "*b" + std::to_string(i)) + "*\"";
  site.file("ethos.json",
            "{\"version\":1,\"tools\":{\"t\":{\"command\":[\"true\"],\"read\":[\".\"]," +
                ("\"hide\":[" + patterns) + "]}}}");
  for (int i = 0; i < 8000; ++i)
    site.file("d/" + std::string(240, 'a') + std::to_string(10'000 + i), "");
  const Started started = site.start("ethos-run", {"t"});
  const std::string own =
      "/proc/" + std::to_string(started.pid) + "/task/" + std::to_string(started.pid) + "/children";
  const auto has_child = [&] {
    std::string word;
    return static_cast<bool>(std::ifstream(own) >> word);
  };
  for (int i = 0; i < 12'000 && site.records("sandbox.enforced").size() == before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (int i = 0; i < 12'000 && has_child(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  // The tool and all it was in are gone, so nothing else is left to be ended.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ::kill(started.pid, SIGTERM);
  const Ended ended = Site::wait(started);
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(ended.err.find("cannot be told: the look was ended by a signal") != std::string::npos);
  const auto gaps = site.records("run.gap");
  REQUIRE(gaps.size() == 1);
  CHECK(text_at(gaps[0], {"body", "reason"}) == "not_hidden");
  CHECK(site.records("run.close").size() == before + 1);
  check_verifies(site);
}
