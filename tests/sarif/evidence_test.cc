// SPDX-License-Identifier: Apache-2.0
#include "sarif/evidence/evidence.h"

#include <catch2/catch.hpp>
#include <map>

#include "sarif/evidence/denials.h"
#include "sarif/evidence/sandbox_block.h"
#include "tests/sarif/support.h"

namespace ethos::sarif {
namespace {

const std::filesystem::path kData = std::filesystem::path(ETHOS_TEST_DATA) / "sarif";

base::Result<Evidence> read(const std::string& text) {
  MemorySource source(text);
  return Evidence::read(source);
}

Evidence good(const std::string& name) {
  auto evidence = read(support::read_all(kData / "evidence" / ("good_" + name + ".json")));
  if (!evidence) FAIL(evidence.error().message());
  return std::move(*evidence);
}

// The block as a value to ask.
struct Block {
  explicit Block(const Evidence& evidence) {
    StringSink sink;
    JsonWriter writer(sink, JsonLayout::compact);
    writer.begin_object();
    write_sandbox_block(writer, evidence);
    writer.end_object();
    text = sink.text();
    MemorySource source(text);
    JsonReader reader(source);
    REQUIRE(fragment.capture(reader, reader.next()));
  }
  [[nodiscard]] std::string token(std::initializer_list<std::string_view> path) const {
    const auto found = fragment.root().find("sandbox")->find_path(path);
    return found ? std::string(found->token()) : "(absent)";
  }
  std::string text;
  JsonFragment fragment;
};

TEST_CASE("evidence: each bad document is refused for its own reason", "[sarif]") {
  const std::map<std::string, std::string> reasons = {
      {"fail_body_list", "not a run record"},
      {"fail_first_seq", "first_seq"},
      {"fail_hole", "run_seq"},
      {"fail_kind", "not an ethos-evidence"},
      {"fail_last_seq", "last_seq"},
      {"fail_no_checkpoint", "no checkpoint"},
      {"fail_no_records", "no records"},
      {"fail_not_open_first", "run.open"},
      {"fail_open_twice", "run.open"},
      {"fail_other_ledger", "another ledger"},
      {"fail_other_run", "another run"},
      {"fail_record_version", "record 2: version"},
      {"fail_seq_back", "does not ascend"},
      {"fail_unknown_key", "unknown key \"extra\""},
      {"fail_version", "version of ethos-evidence"}};
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kData / "evidence")) {
    const std::string stem = entry.path().stem().string();
    if (stem.rfind("fail_", 0) != 0) continue;
    ++files;
    CAPTURE(stem);
    const auto evidence = read(support::read_all(entry.path()));
    REQUIRE_FALSE(evidence);
    CHECK(evidence.error().message().find(reasons.at(stem)) != std::string::npos);
  }
  CHECK(files == reasons.size());
  CHECK_FALSE(read(""));
  CHECK_FALSE(read("[]"));
  CHECK_FALSE(read("{\"v\":1,\"v\":1}"));
}

TEST_CASE("evidence: cut anywhere it is refused", "[sarif][property]") {
  const std::string text = support::read_all(kData / "evidence" / "good_refused.json");
  for (std::size_t size = 0; size < text.size(); size += 7) {
    CAPTURE(size);
    CHECK_FALSE(read(text.substr(0, size)));
  }
}

TEST_CASE("sandbox block: values come from the records", "[sarif]") {
  const Block block(good("denials"));
  CHECK(block.token({"enabled"}) == "true");
  CHECK(block.token({"refused_before_start"}) == "false");
  CHECK(block.token({"denied_acts"}) == "7");
  CHECK(block.token({"denied"}) == "false");
  CHECK(block.token({"reason"}) == "(absent)");
  CHECK(block.token({"timeout_seconds"}) == "300.250");
  CHECK(block.token({"memory_mb"}) == "2048");
  CHECK(block.token({"cpu_quota_percent"}) == "(absent)");
  CHECK(block.token({"network_isolated"}) == "true");
  CHECK(block.token({"git_read_only"}) == "true");
  CHECK(block.token({"repo_read_only"}) == "false");
  CHECK(block.token({"seccomp_profile"}) == "\"writes-none\"");
  CHECK(block.token({"ledger", "first_seq"}) == "10");
  CHECK(block.token({"outcome", "exit", "signal"}) == "9");
  const JsonView sandbox = *block.fragment.root().find("sandbox");
  CHECK(sandbox.find("denials")->size() == 4);
  CHECK(integer_of(*sandbox.find("denials")->at(1), "seq") == 32);
  CHECK(sandbox.find("limits")->size() == 1);
  CHECK(sandbox.find("gaps")->size() == 1);
  CHECK(sandbox.find_path({"declared", "grants"})->size() == 8);
  CHECK(sandbox.find("read_paths")->at(1)->text() == "/usr");
  CHECK(sandbox.find("tags")->at(2)->text() == "weaker:memory_bytes=rlimit");
}

TEST_CASE("sandbox block: a refused run claims nothing", "[sarif]") {
  const Block block(good("refused"));
  CHECK(block.token({"enabled"}) == "false");
  CHECK(block.token({"denied"}) == "true");
  CHECK(block.token({"refused_before_start"}) == "true");
  CHECK(block.token({"denied_acts"}) == "0");
  CHECK(block.token({"reason"}) == "\"user namespaces are off\"");
  CHECK(block.token({"network_isolated"}) == "false");
  CHECK(block.token({"seccomp_enabled"}) == "false");
  CHECK(block.token({"git_read_only"}) == "(absent)");
  CHECK(block.token({"repo_read_only"}) == "(absent)");
  CHECK(block.token({"enforced"}) == "(absent)");
  CHECK(block.token({"memory_mb"}) == "(absent)");
}

TEST_CASE("sandbox block: a shared namespace is not called isolated", "[sarif]") {
  std::string text = support::read_all(kData / "evidence" / "good_clean.json");
  const std::string_view none = "\"ns_shared\":[]";
  text.replace(text.find(none), none.size(), "\"ns_shared\":[\"net\"]");
  auto evidence = read(text);
  REQUIRE(evidence);
  const Block block(*evidence);
  CHECK(block.token({"network_isolated"}) == "false");
  CHECK(block.token({"process_isolated"}) == "true");
}

TEST_CASE("denials: one finding a record, placed where a reader can act", "[sarif]") {
  const Evidence evidence = good("denials");
  auto sources = SourceFiles::open((kData / "tree").string());
  REQUIRE(sources);
  const auto findings = denial_findings(evidence, &*sources);
  REQUIRE(findings.size() == 5);
  CHECK(findings[0].location.uri == "src/tabs.sh");
  CHECK(findings[1].location.uri == "ethos.json");  // .git is no place in a repository
  CHECK(findings[1].location.region.start_line == 4);
  CHECK(findings[2].message.find("(withheld)") != std::string::npos);
  CHECK(findings[3].level == Level::warning);
  CHECK(findings[3].message.find("was not seen") != std::string::npos);
  CHECK(findings[4].level == Level::error);
  CHECK(std::get<std::string>(findings[4].properties.at(1).second) == "resource.limit");
  CHECK(findings[0].fingerprints != findings[1].fingerprints);
  const auto refused = denial_findings(good("refused"), &*sources);
  REQUIRE(refused.size() == 1);
  // Nothing of the workspace to point at: the program, which is there, and no file that is not.
  CHECK(refused[0].location.uri == "file:///usr/bin/shellcheck");
  CHECK(refused[0].location.region.start_line == 1);
  CHECK(refused[0].message.find("Fix: sysctl") != std::string::npos);
  CHECK(denial_findings(good("clean"), nullptr).empty());
}

TEST_CASE("evidence: exit and times become the invocation", "[sarif]") {
  const Invocation killed = good("denials").invocation();
  CHECK_FALSE(killed.execution_successful);
  CHECK(killed.exit_signal == 9);
  const Invocation clean = good("clean").invocation();
  CHECK(clean.execution_successful);
  CHECK(clean.exit_code == 1);
  CHECK(clean.start_time_utc == "2026-09-21T14:13:20.000Z");
  CHECK_FALSE(good("refused").invocation().execution_successful);
}

}  // namespace
}  // namespace ethos::sarif
