// SPDX-License-Identifier: Apache-2.0
// What a tool says in SARIF, beside what ethos-run says in the same file.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "ledger/base/bytes.h"
#include "ledger/record/digest.h"
#include "tests/sandbox/program.h"
#include "tests/sandbox/run_site.h"
#include "tests/support/cage_plan.h"

namespace {

using namespace ethos::support;

std::string log_of(const std::string& run) {
  return R"({"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t")" + run + "}]}";
}

// The tool prints `log`; with `acts`, it is denied something first.
std::string sarif_of(const Site& site, const std::string& log, bool acts) {
  site.file("log.sarif", log);
  const std::string script = acts ? "mkdir a 2>/dev/null; cat log.sarif" : "cat log.sarif";
  const Ended ended =
      site.run({"--sarif", site.path("out.sarif"), "--read", ".", "--", "/bin/sh", "-c", script});
  CAPTURE(ended.err);
  // A fault of the tool's log against the schema is told by the status, and is the tool's.
  CHECK((ended.status == 0 || ended.status == 125));
  return site.read("out.sarif");
}

}  // namespace

TEST_CASE("ethos-run: what a tool says in SARIF never passes for what the runner says",
          "[sandbox][e2e]") {
  const Site site;
  if (site.run({"--", "/bin/true"}).status != 0) {
    WARN("skipped: no cage can be built here, see ethos-run doctor");
    return;
  }
  const Ended pin = site.program("ethos-ledger", {"pin"});
  REQUIRE(pin.status == 0);
  site.file("pin.json", pin.out);
  const std::string denial = R"({"ruleId":"runtime.sandbox_denial","level":"error",)"
                             R"("message":{"text":"forged"},"properties":{"record_seq":3,)"
                             R"("record_type":"runtime.sandbox_denial"},)"
                             R"("partialFingerprints":{"ethosDenial/v1":"00"}})";
  const std::string off = R"("configuration":{"enabled":false,"level":"none"}})";
  const std::string rule =
      R"({"id":"runtime.sandbox_denial","shortDescription":{"text":"harmless"},)"
      R"("defaultConfiguration":{"enabled":false,"level":"none"}})";
  const std::string overrides = R"(}},"results":[],"invocations":[{"executionSuccessful":true,)"
                                R"("ruleConfigurationOverrides":[{"descriptor":)";
  const std::string deep(200, '[');
  const std::string logs[] = {
      log_of("}},\"results\":[" + denial + "]"),
      log_of(R"(,"rules":[)" + rule + "]}},\"results\":[" + denial + "," + denial + "]"),
      log_of(R"(}},"results":[{"ruleIndex":0,"message":{"text":"x"}}])"),
      log_of(R"(}},"results":[{"rule":{"id":"runtime.sandbox_denial"},"message":{"text":"x"}}])"),
      log_of(R"(}},"results":[{"ruleId":5,"rule":{"id":"b"},"message":{"text":"x"}}])"),
      log_of(
          R"(}},"results":[{"ruleId":"a","message":{"text":"x"},"locations":[{"physicalLocation")"
          R"(:{"artifactLocation":{"uri":"a"},"region":{"startLine":-0}}}]}])"),
      log_of(overrides + R"({"id":"runtime.sandbox_denial"},)" + off + "]}]"),
      log_of(overrides + R"({"index":0},)" + off + "]}]"),
      log_of(overrides + R"({"index":0,"toolComponent":{"name":"t"}},)" + off + "]}]"),
      log_of(overrides + R"({"index":-0},)" + off + "]}]"),
      log_of(overrides + R"({"guid":"7f5f1f3e-0000-4000-8000-000000000000"},)" + off + "]}]"),
      log_of(overrides + R"({},)" + off + "]}]"),
      log_of(overrides + "{\"id\":\"runtime.sandbox_denial/x\"}," + off + "]}]"),
      log_of(R"(},"extensions":[{"name":"e","rules":[)" + rule + R"(]}]},"results":[])"),
      log_of(R"(}},"policies":[{"name":"p","rules":[)" + rule + R"(]}],"results":[])"),
      log_of(R"(}},"results":[],"properties":5)"),
      log_of(R"(}},"results":7)"),
      log_of(R"(,"rules":null}},"results":null)"),
      log_of(R"(}},"results":[],"externalPropertyFileReferences":{"results":[{"location":)"
             R"({"uri":"x"}}]})"),
      log_of("}},\"results\":[],\"properties\":{\"a\":" + deep + std::string(200, ']') + "}"),
      R"({"version":"2.1.0","runs":[7]})",
      R"({"version":"2.1.0","runs":7})",
      R"({"version":"2.1.0","runs":[],"inlineExternalProperties":[{"results":[)" + denial + "]}]}",
  };
  for (const bool acts : {false, true}) {
    for (const std::string& log : logs) {
      CAPTURE(acts, log);
      const std::string text = sarif_of(site, log, acts);
      CHECK(text.find("\"sandbox\"") != std::string::npos);
      CHECK((text.find("The sandbox stopped an act of the tool") != std::string::npos) == acts);
      const Ended checked = site.program(
          "ethos-verify",
          {"--pin", site.path("work/pin.json"), "--sarif", site.path("out.sarif"), site.ledger()});
      CAPTURE(text, checked.out, checked.err);
      CHECK(checked.status == 0);
    }
  }
}

TEST_CASE("ethos-run: a denied path makes no markup", "[sandbox][e2e]") {
  NEEDS_CAGES
  for (const auto& uid : callers()) {
    CAPTURE(uid.value_or(0));
    const Site site(uid);
    const Ended ended =
        site.run({"--sarif", site.path("work/out.sarif"), "--read", ".", "--", "/bin/sh", "-c",
                  "for n in '[x](1)' '[y](javascript:z)' '{0}' '\xE2\x80\xAE"
                  "e'; do "
                  "echo > /srv/$n; done 2>/dev/null; true"});
    CAPTURE(ended.err);
    REQUIRE(ended.status == 0);
    const std::string text = site.read("work/out.sarif");
    CAPTURE(text);
    for (const char* shown : {R"(/srv/\\[x\\](1) was)", R"(/srv/\\[y\\](javascript:z) was)",
                              "/srv/{{0}} was", "/srv/<U+202E>e"})
      CHECK(text.find(shown) != std::string::npos);
    site.file("pin.json", site.program("ethos-ledger", {"pin"}).out);
    const Ended checked =
        site.program("ethos-verify", {"--pin", site.path("work/pin.json"), "--sarif",
                                      site.path("work/out.sarif"), site.ledger()});
    CAPTURE(checked.out, checked.err);
    CHECK(checked.status == 0);
  }
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

TEST_CASE("ethos-run: a linter that crashed gives no clean SARIF, and the way to see why is named",
          "[sandbox][e2e]") {
  NEEDS_CAGES
  const Site site;
  site.file(
      "ethos.json",
      R"({"version":1,"tools":{"m":{"command":["/bin/sh","-c"],"output_format":"mypy-text"}}})");
  const auto lint = [&](const std::string& script) {
    return site.run({"--sarif", site.path("s.sarif"), "m", "--", script});
  };
  const auto is_clean = [&] {
    return site.read("s.sarif").find("\"executionSuccessful\": true") != std::string::npos;
  };
  const std::string hint = "--observe all or `ethos-run learn m` shows them";
  const std::string finding = "echo 'a.py:1:1: error: no  [x]';";
  for (const std::string script : {"echo Traceback >&2; exit 1", "kill -9 $$"}) {
    CAPTURE(script);
    const Ended crashed = lint(script);
    CAPTURE(crashed.err, site.read("s.sarif"));
    CHECK_FALSE(is_clean());
    CHECK(site.read("s.sarif").find("toolExecutionNotifications") != std::string::npos);
    CHECK(crashed.err.find("executionSuccessful is false") != std::string::npos);
    CHECK(crashed.err.find(hint) != std::string::npos);
    const Ended alone = site.run({"m", "--", script});
    CHECK(alone.err.find("wrote no findings; refused reads") != std::string::npos);
    CHECK(alone.err.find(hint) != std::string::npos);
  }
  lint(finding + "exit 2");
  CHECK_FALSE(is_clean());
  for (const std::string& script : {finding + "exit 1", std::string("exit 0")}) {
    CAPTURE(script);
    const Ended good = lint(script);
    CHECK(is_clean());
    CHECK(good.err.empty());
  }
}
