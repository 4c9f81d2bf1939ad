// SPDX-License-Identifier: Apache-2.0
// Whole runs: what is recorded of them, and how they end.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "ledger/reader.h"
#include "tests/sandbox/program.h"
#include "tests/sandbox/run_site.h"

using namespace ethos::support;
using ethos::sandbox::JsonNode;

namespace {

std::vector<std::uint64_t> checkpoint_sizes(const Site& site) {
  auto reader = ethos::ledger::LedgerReader::open(ethos::ledger::LedgerFiles::at(site.ledger()));
  REQUIRE(reader);
  auto checkpoints = reader->checkpoints();
  REQUIRE(checkpoints);
  std::vector<std::uint64_t> out;
  for (const auto& c : *checkpoints) out.push_back(c.checkpoint.size);
  return out;
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

TEST_CASE("ethos-run: names that a tool chose do not fill the terminal", "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  const Ended denied = site.run({"--", "sh", "-c",
                                 "d=$(printf '\\001%.0s' $(seq 200)); for i in $(seq 19); do "
                                 "p=$p/$d; done; : > /srv$p"});
  CAPTURE(denied.err);
  const std::size_t at = denied.err.find("1 act denied (first: openat /srv/\\x01\\x01");
  REQUIRE(at != std::string::npos);
  const std::string line = denied.err.substr(at, denied.err.find('\n', at) - at);
  CHECK(line.size() < 600);
  CHECK(line.find("...); run ") != std::string::npos);
  // What the line leaves out the record has.
  const auto records = site.records("runtime.sandbox_denial");
  REQUIRE(records.size() == 1);
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
