// SPDX-License-Identifier: Apache-2.0
// Runs whose end is disturbed, and runs that do more than can be recorded one by one.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "ledger/reader.h"
#include "sandbox/output_format.h"
#include "tests/sandbox/program.h"
#include "tests/sandbox/run_site.h"

using namespace ethos::support;
using ethos::sandbox::JsonNode;

namespace {

std::set<std::string> runs_of(const std::vector<JsonNode>& records) {
  std::set<std::string> out;
  for (const JsonNode& r : records) out.insert(text_at(r, {"run"}));
  return out;
}

// Before execve the process is still a copy of the test with the test's own handlers.
void await_start(pid_t pid) {
  const std::string exe = "/proc/" + std::to_string(pid) + "/exe";
  for (int i = 0; i < 20'000; ++i) {
    std::error_code error;
    if (std::filesystem::read_symlink(exe, error).filename() == "ethos-run") return;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void sleep_us(long us) { std::this_thread::sleep_for(std::chrono::microseconds(us)); }

std::string pin_of(const Site& site) {
  const Ended pin = site.program("ethos-ledger", {"pin"});
  REQUIRE(pin.status == 0);
  site.file("pin.json", pin.out);
  return site.path("work/pin.json");
}

Ended verify(const Site& site, const std::string& assertion) {
  return site.program("ethos-verify",
                      {"--pin", pin_of(site), "--assert", assertion, site.ledger()});
}

}  // namespace

TEST_CASE("ethos-run: a signal while the last records are being made does not cut them off",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  constexpr std::size_t kBytes = 24U << 20;
  for (const int sig : {SIGINT, SIGTERM, SIGHUP}) {
    const std::size_t closed = site.has("home/.local") ? site.records("run.close").size() : 0;
    // Making the commitment to so much output takes long enough to be met.
    const Started started = site.start("ethos-run", {"--keep-output", "--", "/usr/bin/head", "-c",
                                                     std::to_string(kBytes), "/dev/zero"});
    std::vector<char> buffer(1U << 20);
    std::size_t have = 0;
    // What the runner may keep until the end is recorded comes after it.
    while (have < kBytes - (512U << 10)) {
      const ssize_t n = ::read(started.out, buffer.data(), buffer.size());
      REQUIRE(n > 0);
      have += static_cast<std::size_t>(n);
    }
    sleep_us(3000);
    REQUIRE(::kill(started.pid, sig) == 0);
    const Ended ended = Site::wait(started);
    CAPTURE(sig, ended.status, ended.err);
    const auto closes = site.records("run.close");
    REQUIRE(closes.size() == closed + 1);
    CHECK(text_at(closes.back(), {"body", "status"}) == std::to_string(ended.status));
  }
  CHECK(site.run({"--", "true"}).status == 0);
  CHECK(site.records("run.abort").empty());
}

TEST_CASE("ethos-run: 64 runs side by side on one ledger, which is not there yet",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  constexpr int kRuns = 64;
  std::vector<Started> started;
  for (int i = 0; i < kRuns; ++i)
    started.push_back(
        site.start("ethos-run", {"--", "/bin/sh", "-c", "echo " + std::to_string(i)}));
  for (int i = 0; i < kRuns; ++i) {
    const Ended ended = Site::wait(started[static_cast<std::size_t>(i)]);
    CAPTURE(i, ended.err);
    CHECK(ended.status == 0);
    CHECK(ended.out == std::to_string(i) + "\n");
  }
  CHECK(runs_of(site.records("run.open")).size() == kRuns);
  CHECK(runs_of(site.records("run.close")).size() == kRuns);
  CHECK(site.records("run.abort").empty());
  const Ended verified = verify(site, "recomputed");
  CAPTURE(verified.out, verified.err);
  CHECK(verified.status == 0);
}

TEST_CASE("ethos-run: whenever a signal comes, a run that was opened is closed", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("out/kept", "old\n");
  REQUIRE(site.run({"--", "true"}).status == 0);
  constexpr int kRuns = 60;
  for (int i = 0; i < kRuns; ++i) {
    const Started started =
        site.start("ethos-run", {"--quiet", "--write", "out", "--", "/bin/sh", "-c",
                                 "echo " + std::to_string(i) + " > out/kept; echo x > out/new"});
    await_start(started.pid);
    sleep_us(400L * i);
    ::kill(started.pid, i % 2 == 0 ? SIGTERM : SIGINT);
    const Ended ended = Site::wait(started);
    CAPTURE(i, ended.status, ended.err);
    CHECK((ended.status == 0 || ended.status == 128 + SIGTERM || ended.status == 128 + SIGINT));
    for (const auto& entry : std::filesystem::directory_iterator(site.path("work/out")))
      CHECK(entry.path().filename().string().find(".ethos") == std::string::npos);
  }
  // Runs that were met before they were in the ledger leave nothing to end.
  REQUIRE(site.run({"--", "true"}).status == 0);
  CHECK(site.records("run.abort").empty());
  CHECK(runs_of(site.records("run.open")) == runs_of(site.records("run.close")));
}

TEST_CASE("ethos-run: outputs come out whole or not at all when a signal ends the run",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("out/kept", "old\n");
  std::size_t interrupted = 0;
  for (int i = 0; i < 12; ++i) {
    site.file("out/kept", "old\n");
    std::filesystem::remove_all(site.path("work/out/d"));
    const Started started =
        site.start("ethos-run",
                   {"--quiet", "--write", "out", "--", "/bin/sh", "-c",
                    "echo new > out/kept; mkdir out/d; i=0; while [ $i -lt 400 ]; do echo $i > "
                    "out/d/$i; i=$((i+1)); done; head -c 3000000 /dev/zero > out/d/big; echo up"});
    char up[3] = {};
    REQUIRE(::read(started.out, up, 3) == 3);
    sleep_us(1500L * i);
    ::kill(started.pid, SIGTERM);
    const Ended ended = Site::wait(started);
    CAPTURE(i, ended.status);
    const JsonNode close = site.records("run.close").back();
    const bool is_ended = text_at(close, {"body", "ended_by"}) == "tool";
    CHECK(site.read("work/out/kept") == (is_ended ? "new\n" : "old\n"));
    CHECK(site.has("work/out/d/399") == is_ended);
    CHECK(ended.status == (is_ended ? 0 : 128 + SIGTERM));
    interrupted += is_ended ? 0 : 1;
  }
  CHECK(interrupted > 0);
}

TEST_CASE("ethos-run: a flood of denials is counted, fails --fail-on-denial and no-denials",
          "[sandbox][e2e][slow]") {
  NEEDS_CAGES
  const Site site;
  const Ended ended = site.run({"--fail-on-denial", "--", "/bin/sh", "-c",
                                "i=0; while [ $i -lt 4300 ]; do true > /usr/x$i; i=$((i+1)); done; "
                                "exit 0"});
  CHECK(ended.status == 122);
  const auto gaps = site.records("run.gap");
  REQUIRE(gaps.size() == 1);
  CHECK(text_at(gaps[0], {"body", "reason"}) == "flood");
  CHECK(text_at(gaps[0], {"body", "lost"}) == std::to_string(4300 - 4096));
  const JsonNode close = site.records("run.close").back();
  CHECK(text_at(close, {"body", "gaps"}) == "1");
  CHECK(text_at(close, {"body", "denials", "acts"}) == "4096");
  CHECK(verify(site, "no-denials").status == 1);
  CHECK(verify(site, "no-gaps").status == 1);
}

TEST_CASE("ethos-run: more programs than the list holds are counted and said",
          "[sandbox][e2e][slow]") {
  NEEDS_CAGES
  const Site site;
  // Names of one script: each is a program of its own.
  const Ended ended =
      site.run({"--exec", "@scratch", "--", "/bin/sh", "-c",
                "printf '#!/bin/sh\\nexit 0\\n' > /tmp/p; chmod 755 /tmp/p; i=0; "
                "while [ $i -lt 1100 ]; do ln /tmp/p /tmp/p$i; /tmp/p$i; i=$((i+1)); done"});
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  const auto gaps = site.records("run.gap");
  REQUIRE(gaps.size() == 1);
  CHECK(text_at(gaps[0], {"body", "reason"}) == "programs");
  const JsonNode close = site.records("run.close").back();
  const auto total = std::stoul(text_at(close, {"body", "execs", "total"}));
  const auto lost = std::stoul(text_at(gaps[0], {"body", "lost"}));
  CHECK(total >= 2200);  // the shell, ln and each of the names
  CHECK(lost > 0);
  auto reader = ethos::ledger::LedgerReader::open(ethos::ledger::LedgerFiles::at(site.ledger()));
  REQUIRE(reader);
  const auto c = ethos::record::Digest::from_base64(text_at(close, {"body", "execs", "list", "c"}));
  REQUIRE(c);
  const auto disclosure = reader->disclosure(*c);
  REQUIRE((disclosure && *disclosure));
  const auto list = ethos::sandbox::parse_jsonc((*disclosure)->bytes, {16U << 20, 8});
  REQUIRE(list);
  CHECK(list->items.size() == 1024);
  std::size_t listed = 0;
  for (const JsonNode& item : list->items) listed += std::stoul(text_at(item, {"count"}));
  CHECK(listed + lost == total);
  CHECK(verify(site, "no-recorded-denials").status == 0);
  CHECK(verify(site, "no-gaps").status == 1);
}

TEST_CASE("ethos-run: SARIF of the tool's own that breaks the schema is kept, and said",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  const std::string good = R"({"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},)"
                           R"("results":[{"ruleId":"A1","message":{"text":"found"}}])";
  site.file("good.sarif", good + "}]}");
  site.file("bad.sarif", good + R"(,"bogus":1}]})");
  site.file("ethos.json", R"({"version":1,"tools":{
    "declared":{"command":["cat"],"output_format":"sarif"},
    "guessed":{"command":["cat"]}}})");
  for (const char* tool : {"declared", "guessed"}) {
    for (const bool is_good : {true, false}) {
      const Ended ended = site.run(
          {"--sarif", site.path("home/o.sarif"), tool, "--", is_good ? "good.sarif" : "bad.sarif"});
      CAPTURE(tool, is_good, ended.err);
      CHECK(ended.status == 0);
      CHECK((ended.err.find("breaks the schema") == std::string::npos) == is_good);
      CHECK((ended.err.find("bogus") == std::string::npos) == is_good);
      const std::string sarif = site.read("home/o.sarif");
      CHECK(sarif.find("\"found\"") != std::string::npos);
      CHECK((sarif.find("bogus") == std::string::npos) == is_good);
      const JsonNode written = site.records("sarif.written").back();
      CHECK(text_at(written, {"body", "converter", "status"}) == (is_good ? "0" : "1"));
      CHECK(std::stoi(text_at(written, {"body", "results"})) == 1);
    }
  }
  CHECK(verify(site, "ended").status == 0);
}

TEST_CASE("ethos-run: the stream of each format is the one ethos-sarif reads it from",
          "[sandbox][e2e]") {
  const Site site;
  const Ended formats = site.program("ethos-sarif", {"formats"});
  std::istringstream lines(formats.out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string name = line.substr(0, line.find(' '));
    CAPTURE(line);
    CHECK(ethos::sandbox::is_on_standard_error(name) == line.ends_with("(stderr)"));
    CHECK((line.ends_with("(stderr)") || line.ends_with("(stdout)")));
    CHECK(ethos::sandbox::is_known_format(name));
  }
  CHECK(count > 20);
  // And none besides them, but for the guess.
  const std::string known = ethos::sandbox::known_formats();
  CHECK(std::ranges::count(known, ',') == static_cast<std::ptrdiff_t>(count));
}

TEST_CASE("ethos-run: a hidden file is not readable by another name of it", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  const Site other;
  site.file(".env", "TOKEN=1\n");
  site.file("src/a.txt", "plain\n");
  other.file("shared/b.txt", "plain\n");
  const auto link = [&](const std::string& to) {
    std::filesystem::create_hard_link(site.path("work/.env"), to);
  };
  link(site.path("work/src/innocent.txt"));
  link(other.path("work/shared/far.txt"));
  const std::string shared = other.path("work/shared");
  const Ended ended = site.run(
      {"--hide", ".env", "--", "/bin/sh", "-c", "cat .env src/innocent.txt; cat src/a.txt"});
  CHECK(ended.out == "plain\n");
  CHECK(verify(site, "recomputed").status == 0);
  // Only a declaration from a commit may grant what lies outside the workspace.
  site.file("ethos.json",
            R"({"version":1,"tools":{"t":{"command":["cat"],"hide":[".env"],"read":[".",")" +
                shared + R"("]}}})");
  const std::string git =
      "cd " + site.workspace() +
      " && git init -q . 2>/dev/null && git add ethos.json && git -c user.name=n "
      "-c user.email=e@x commit -q -m x";
  if (std::system(git.c_str()) != 0) return;  // git is not installed
  const Ended far = site.run({"--config-rev", "HEAD", "t", "--", shared + "/b.txt",
                              shared + "/far.txt", "src/innocent.txt"});
  CAPTURE(far.err);
  CHECK(far.out == "plain\n");
  CHECK(verify(site, "recomputed").status == 0);
}

TEST_CASE("ethos-run: an open of what the host has and the cage does not show is a denial",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  // Without O_CREAT nothing would be made: only the file itself could have been meant.
  site.run({"--", "truncate", "-c", "-s", "0", "/etc/shadow", "/etc/no-such-thing"});
  const auto denials = site.records("runtime.sandbox_denial");
  REQUIRE(denials.size() == 1);
  CHECK(text_at(denials[0], {"body", "object", "path"}) == "etc/shadow");
  CHECK(text_at(denials[0], {"body", "errno"}) == "2");
  CHECK(verify(site, "no-denials").status == 1);
}

TEST_CASE("ethos-run: denials are said in one line, with the run and the ledger",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file("src/a", "");
  const std::vector<std::string> command = {"--", "sh", "-c", "echo > src/x; echo > src/x; true"};
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.end(), command.begin(), command.end());
    return site.run(options);
  };
  const Ended ended = with({"--run-id-file", site.path("id")});
  CHECK(ended.status == 0);
  std::string id = site.read("id");
  id.pop_back();
  const std::string line =
      "ethos-run: 2 acts denied (first: openat src/x); run " + id + " in " + site.ledger() + "\n";
  CHECK(ended.err.find(line) != std::string::npos);
  CHECK(with({"--quiet"}).err.find("ethos-run:") == std::string::npos);
  CHECK(site.run({"--", "true"}).err.empty());
  // A limit that only refused is said, too; what ended the run has its own line besides.
  const Ended full = site.run({"--limit", "scratch=1MiB", "--", "sh", "-c",
                               "head -c 2000000 /dev/zero > /tmp/x; sleep 0.3; true"});
  CHECK(full.status == 0);
  CHECK(full.err.find("ethos-run: limit reached: scratch_bytes; run ") != std::string::npos);
}

TEST_CASE("ethos-run: what is asked for on standard output stands there alone", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  const std::vector<std::string> command = {"--", "sh", "-c", "echo tool says; exit 3"};
  for (const std::string option : {"--sarif", "--status-json", "--run-id-file"}) {
    CAPTURE(option);
    std::vector<std::string> words = {option, "-"};
    words.insert(words.end(), command.begin(), command.end());
    const Ended ended = site.run(words);
    CHECK(ended.status == 3);
    CHECK(ended.out.find("tool says") == std::string::npos);
    CHECK(ended.err.find("tool says\n") != std::string::npos);
    CHECK_FALSE(site.has("work/-"));
    if (option == "--run-id-file")
      CHECK(ended.out.size() == 27);
    else
      CHECK(ethos::sandbox::parse_jsonc(ended.out));
  }
  const Ended both = site.run({"--sarif", "-", "--status-json", "-", "--", "true"});
  CHECK(both.status == 125);
  CHECK(both.err.find("only one of --sarif, --status-json and --run-id-file") != std::string::npos);
  CHECK(verify(site, "ended").status == 0);
}

TEST_CASE("ethos-run: SARIF says how many acts were denied, and points at what is there",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  const std::string sarif = site.path("out.sarif");
  site.run({"--sarif", sarif, "--", "sh", "-c", "mkdir a b; mkdir a; true"});
  const std::string text = site.read("out.sarif");
  CHECK(text.find(R"("denied": false)") != std::string::npos);
  CHECK(text.find(R"("refused_before_start": false)") != std::string::npos);
  CHECK(text.find(R"("denied_acts": 3)") != std::string::npos);
  CHECK(text.find(R"("uri": "ethos.json")") == std::string::npos);
  CHECK(text.find(R"("uri": "file:///usr/bin/)") != std::string::npos);
  const auto check = [&](const std::string& bytes) {
    site.file("changed.sarif", bytes);
    return site
        .program("ethos-verify",
                 {"--pin", pin_of(site), "--sarif", site.path("work/changed.sarif"), site.ledger()})
        .status;
  };
  CHECK(check(text) == 0);
  // A file of an earlier version has neither member; one that lies about them fails.
  const auto without = [&](const std::string& what, const std::string& instead) {
    std::string out = text;
    const std::size_t at = out.find(what);
    REQUIRE(at != std::string::npos);
    return out.replace(at, what.size(), instead);
  };
  CHECK(check(without(R"("denied_acts": 3,)", "")) == 0);
  CHECK(check(without(R"("denied_acts": 3,)", R"("denied_acts": 0,)")) == 1);
  CHECK(check(without(R"("refused_before_start": false)", R"("refused_before_start": true)")) == 1);
}

TEST_CASE("ethos-run: messages say what is allowed instead", "[sandbox][e2e]") {
  const Site site;
  const auto plan = [&](const std::string& member) {
    site.file("ethos.json", R"({"version":1,"tools":{"t":{"command":["true"],)" + member + "}}}");
    const Ended ended = site.run({"plan", "t"});
    CHECK(ended.status != 0);
    return ended.err;
  };
  const std::pair<const char*, const char*> cases[] = {
      {R"("network":"full")", "\"full\" is not one of: none, loopback"},
      {R"("profile":"lint")", "\"lint\" is not one of: lint-offline, build-offline, no-proc"},
      {R"("limits":{"memory":"256M"})", "KiB, MiB, GiB, KB, MB, GB"},
      {R"("limits":{"wall":"30sec"})", "an integer with ms, s, m, h"},
      {R"("limits":{"ram":"1GiB"})", "there are: wall, memory, swap, cpu"},
      {R"("enforce":{"memory":"tmpfs"})", "it can by: cgroup, rlimit"},
      {R"("reads":["."])", "a tool has: command, profile, read"},
      {R"("write":[{"path":"a","optional":true}])", "an entry has: path, delete"},
      {R"("output_format":"gcc")", "clang-text, cppcheck-xml, gcc-text"},
  };
  for (const auto& [member, expected] : cases) {
    CAPTURE(member);
    const std::string err = plan(member);
    CAPTURE(err);
    CHECK(err.find(expected) != std::string::npos);
    CHECK(err.find("declaration declaration:") == std::string::npos);
  }
  // The ceiling refuses the place: to create it would not help.
  const std::string absolute = plan(R"("write":["/var/no-such-thing"])");
  CHECK(absolute.find("optional") == std::string::npos);
  CHECK(absolute.find("; create it") == std::string::npos);
  const Ended doctor = site.run({"doctor", "--cgroup-parent", "/usr"});
  CHECK(doctor.out.find("give --cgroup-parent a cgroup v2 directory") != std::string::npos);
  CHECK(plan(R"("read":["no-such-thing"])").find("mark the entry as optional") !=
        std::string::npos);
  CHECK(site.run({"--network", "full", "--", "true"}).err.find("not one of: none, loopback") !=
        std::string::npos);
  CHECK(site.run({"--profile", "lint", "--", "true"}).err.find("lint-offline, build-offline") !=
        std::string::npos);
  const Ended cgroup = site.run({"--cgroup-parent", "/usr", "--", "true"});
  CHECK(cgroup.status == 125);
  CHECK(cgroup.err.find("//") == std::string::npos);
}

TEST_CASE("ethos-run: the look-up of a host name is seen under observe all", "[sandbox][e2e]") {
  NEEDS_CAGES
  if (::access("/etc/resolv.conf", F_OK) != 0) {
    WARN("skipped: this host has no /etc/resolv.conf");
    return;
  }
  const Site site;
  site.run({"--observe", "all", "--", "getent", "ahosts", "example.invalid"});
  const auto denials = site.records("runtime.sandbox_denial");
  CHECK(std::ranges::any_of(denials, [](const JsonNode& d) {
    return text_at(d, {"body", "object", "path"}) == "etc/resolv.conf";
  }));
}

TEST_CASE("ethos-run: a denial carries the moment of its act", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  // Gathered for up to a second: written down when the tool is long past it.
  site.run({"--", "sh", "-c", "mkdir a; sleep 0.7; true"});
  const auto denials = site.records("runtime.sandbox_denial");
  const auto close = site.records("run.close");
  REQUIRE(denials.size() == 1);
  REQUIRE(close.size() == 1);
  const auto at = [](const JsonNode& r) { return std::stoull(text_at(r, {"ts", "mono_ns"})); };
  CHECK(at(close[0]) - at(denials[0]) > 650'000'000);
}

TEST_CASE("ethos-run: a reader that takes nothing does not keep the end from being recorded",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  REQUIRE(site.run({"--", "/bin/true"}).status == 0);
  // More than the pipe to the reader holds, less than the supervisor keeps.
  const Started started =
      site.start("ethos-run", {"--", "/usr/bin/head", "-c", "200000", "/dev/zero"});
  for (int i = 0; i < 400 && site.records("run.close").size() < 2; ++i) sleep_us(20'000);
  const auto closes = site.records("run.close");
  REQUIRE(closes.size() == 2);
  CHECK(text_at(closes[1], {"body", "ended_by"}) == "tool");
  // Nothing is lost for a reader that comes late.
  const Ended ended = Site::wait(started);
  CHECK(ended.status == 0);
  CHECK(ended.out.size() == 200'000);
}

TEST_CASE("ethos-run: a caller's small limits are an error with a name", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  const auto limited = [&](const std::string& limit) {
    return site.program("/bin/sh", {"-c", "ulimit " + limit + " && exec \"$0\" -- /bin/true",
                                    std::string(ETHOS_BIN) + "/ethos-run"});
  };
  for (const char* limit : {"-s 64", "-s 512"}) {
    const Ended ended = limited(limit);
    CAPTURE(limit, ended.err);
    CHECK(ended.status == 125);
    CHECK(ended.err.find("ulimit -s") != std::string::npos);
  }
  CHECK(limited("-s 1024").status == 0);
  // In blocks of 512 bytes: the init, the lock of the run, the ledger do not fit.
  for (const char* limit : {"-f 0", "-f 1", "-f 16"}) {
    const Ended ended = limited(limit);
    CAPTURE(limit, ended.err);
    CHECK(ended.status == 125);
    CHECK_FALSE(ended.err.empty());
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  }
  CHECK(limited("-f 65536").status == 0);
}

TEST_CASE("ethos-run: what a tool prints is no evidence", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  // Records as the ledger has them, a denial in words, and an exit status that hides a true one.
  const Ended forged = site.run(
      {"--", "/bin/sh", "-c",
       R"(for i in 1 2; do printf '{"seq":%s,"type":"run.close","body":{"status":0}}\n' 7 >&$i; done; )"
       R"(echo 'Operation not permitted (sandbox)' >&2; exit 1)"});
  CHECK(forged.status == 1);
  const Ended hidden =
      site.run({"--", "/bin/sh", "-c", "echo x 2>/dev/null > /usr/forged; exit 0"});
  CHECK(hidden.status == 0);
  const auto closes = site.records("run.close");
  REQUIRE(closes.size() == 2);
  CHECK(text_at(closes[0], {"body", "status"}) == "1");
  CHECK(text_at(closes[0], {"body", "denials", "acts"}) == "0");
  CHECK(text_at(closes[1], {"body", "denials", "acts"}) == "1");
  CHECK(site.program("ethos-verify", {"--pin", pin_of(site), site.ledger()}).status == 0);
}

TEST_CASE("ethos-run: no variable says that a cage is there already", "[sandbox][e2e]") {
  NEEDS_CAGES
  Site site;
  for (const char* name : {"CODING_ETHOS_SANDBOX_ACTIVE", "SANDBOX_RUNTIME", "ETHOS_SANDBOX",
                           "ETHOS_RUN", "container", "IN_SANDBOX"})
    site.set(name, "1");
  const Ended ended =
      site.run({"--", "/bin/sh", "-c", "echo x 2>/dev/null > stolen; env | grep -c '=1$'"});
  CHECK(ended.out == "0\n");
  CHECK_FALSE(site.has("work/stolen"));
  CHECK(site.records("sandbox.enforced").size() == 1);
  CHECK(site.records("runtime.sandbox_denial").size() == 1);
}

// Commit 1 before the release, commit 2 at the end, each one of the log; between them the
// directory, as the high-water file and the run's own file are new in it.
TEST_CASE("ethos-run: a run is three syncs", "[sandbox][e2e]") {
  NEEDS_CAGES
#ifdef ETHOS_SANITIZED
  WARN("skipped: the leak checker and strace exclude each other");
  return;
#endif
  if (std::system("strace -o /dev/null true 2>/dev/null") != 0) {
    WARN("skipped: strace is not installed, or ptrace not allowed");
    return;
  }
  Site site;
  REQUIRE(site.run({"--", "true"}).status == 0);  // makes the ledger
  const std::string trace = site.path("trace");
  const std::string command = "cd '" + site.path("work") +
                              "' && strace -y -e trace=fsync,fdatasync -o '" + trace + "' " +
                              ETHOS_BIN + "/ethos-run --ledger '" + site.ledger() + "' -- true";
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream in(trace);
  std::size_t all = 0;
  std::size_t of_log = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.find("sync(") == std::string::npos) continue;
    ++all;
    if (line.find("-wal>") != std::string::npos) ++of_log;
  }
  CHECK(of_log == 2);
  CHECK(all == 3);
}

TEST_CASE("ethos-run: a program that is too large to digest keeps no signal waiting",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  REQUIRE(site.run({"--", "true"}).status == 0);
  site.file("prog",
            "\x7f"
            "ELF",
            0755);
  if (::truncate(site.path("work/prog").c_str(), off_t{1} << 40) != 0) {
    WARN("skipped: no file of a terabyte of holes can be made here");
    return;
  }
  const Started started =
      site.start("ethos-run", {"--read", ".", "--exec", ".", "--", site.path("work/prog")});
  await_start(started.pid);
  sleep_us(300'000);
  REQUIRE(::kill(started.pid, SIGTERM) == 0);
  const Ended ended = Site::wait(started);
  CHECK(ended.status == 125);
  CHECK(ended.err.find("SIGTERM came while the program") != std::string::npos);
  const auto denials = site.records("runtime.sandbox_denial");
  REQUIRE(denials.size() == 1);
  CHECK(text_at(denials[0], {"body", "cause"}).find("was being digested") != std::string::npos);
  CHECK(site.records("run.close").size() == 2);
  CHECK(verify(site, "ended").status == 0);
}

TEST_CASE("ethos-run: a limit that leaves no room for the cage is named", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  for (const auto& [limit, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"memory=1", "memory_bytes of 1 is"},
           {"pids=1", "pids of 1 is"},
           {"open_files=2", "open_files of 2 is"},
           {"inodes=1", "inodes of 1 is"}}) {
    const Ended ended = site.run({"--read", ".", "--limit", limit, "--", "/bin/true"});
    CAPTURE(limit, ended.err);
    // With a cgroup the kernel says what became of the memory.
    if (std::string(limit) == "memory=1" && ended.status == 121) continue;
    CHECK(ended.status == 120);
    CHECK(ended.err.find(std::string("the limit ") + name + " too small") != std::string::npos);
    CHECK(text_at(site.records("runtime.sandbox_denial").back(), {"body", "cause"}).find(name) !=
          std::string::npos);
  }
  const Ended digits = site.run({"--limit", "memory=9007199254740991", "--", "/bin/true"});
  CHECK(digits.status == 125);
  CHECK(digits.err.find("in at most 15 digits") != std::string::npos);
}

TEST_CASE("ethos-run: no file that it is named is a pipe to wait for", "[sandbox][e2e]") {
  const Site site;
  const std::string pipe = site.path("work/pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0666) == 0);
  site.file("ethos.json", R"({"version":1,"tools":{"t":{"command":["true"]}}})");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"drift", pipe, "ethos.json"},
        {"drift", "ethos.json", pipe},
        {"learn", "--join", pipe, "--", "true"},
        {"--decision", pipe, "--", "true"},
        {"--ceiling", pipe, "--", "true"},
        {"--stdin", pipe, "--", "true"},
        {"--config", pipe, "t"}}) {
    const Ended ended = site.run(words);
    CAPTURE(words.front(), words.at(1), ended.err);
    CHECK((ended.status == 125 || ended.status == 2));
    CHECK(ended.err.find("no regular file") != std::string::npos);
  }
}
