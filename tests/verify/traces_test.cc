// SPDX-License-Identifier: Apache-2.0
// How a run ended, and what its records say of that.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"
#include "verify/encoding.h"

using namespace ethos::support;

namespace {

using More = MoreRecords;

void refused(const Outcome& r, const std::string& code = "contradiction") {
  CAPTURE(r.status, r.out);
  CHECK(r.status == 1);
  CHECK(r.has(code));
}

Json limit(const std::string& name, const std::string& source, const std::string& value,
           const std::string& observed) {
  return {
      {"action", "killed"},   {"enforced_by", source == "wait_status" ? "rlimit" : "supervisor"},
      {"limit", name},        {"mark", "S"},
      {"observed", observed}, {"source", source},
      {"value", value}};
}

Json gap(const char* reason, const char* lost, const char* source = "seccomp") {
  return {{"lost", lost}, {"reason", reason}, {"source", source}};
}

Json output(int bytes, bool is_cut = false) {
  return {{"bytes", std::to_string(bytes)},
          {"data", {{"c", std::string(43, 'A') + "="}, {"kind", "output"}, {"n", bytes}}},
          {"stream", "stdout"},
          {"truncated", is_cut}};
}

Json artifact() {
  return {{"action", "created"},
          {"grant", {{"base", "workspace"}, {"path", ".ethos/out"}}},
          {"path", {{"base", "workspace"}, {"path", ".ethos/out/a"}}},
          {"sha256", "sha256:" + std::string(64, 'a')},
          {"size", "3"},
          {"type", "file"}};
}

}  // namespace

TEST_CASE("traces: a limit that ended the tool, which ended by itself", "[verify]") {
  refused(verify_linter({{"resource.limit", limit("wall_ms", "timer", "300000", "300000")}},
                        {{"limits", {"wall_ms"}}}));
  refused(verify_linter(
      {{"resource.limit", limit("output_bytes", "byte_counter", "16777216", "16777217")}},
      {{"limits", {"output_bytes"}}}));
  refused(verify_linter(
      {{"resource.limit", limit("file_bytes", "wait_status", "1073741824", "1073741824")}},
      {{"limits", {"file_bytes"}}}));
  // What a cgroup tells when all is over may be of any process.
  Json killed = limit("memory_bytes", "memory.events", "2147483648", "1");
  killed["enforced_by"] = "cgroup";
  killed["mark"] = "K";
  CHECK(verify_linter({{"resource.limit", killed}}, {{"limits", {"memory_bytes"}}}).status == 0);
}

TEST_CASE("traces: a tool that could not be executed did nothing", "[verify]") {
  const Json never = {{"exit", nullptr}, {"status", 127}, {"execs", nullptr}};
  CHECK(verify_linter({{"output.captured", output(0)}}, never).status == 0);
  refused(verify_linter({{"output.captured", output(5)}}, never));
  refused(verify_linter({}, {{"exit", nullptr}, {"status", 127}}));  // three programs
  refused(verify_linter({{"artifact.exported", artifact()}}, never));
}

TEST_CASE("traces: what comes out comes out of a run that ended with a code", "[verify]") {
  CHECK(verify_linter({{"artifact.exported", artifact()}}).status == 0);
  refused(verify_linter({{"artifact.exported", artifact()}},
                        {{"exit", {{"code", nullptr}, {"signal", 9}}}, {"status", 137}}));
  refused(verify_linter({{"artifact.exported", artifact()},
                         {"resource.limit", limit("wall_ms", "timer", "300000", "300000")}},
                        {{"duration_ms", 300001},
                         {"ended_by", "wall"},
                         {"exit", nullptr},
                         {"limits", {"wall_ms"}},
                         {"status", 124}}));
  refused(verify_linter({{"run.gap", gap("artifact_unread", "2", "supervisor")}}, {{"gaps", 1}}));
  CHECK(verify_linter({{"run.gap", gap("artifact_unread", "2", "supervisor")}},
                      {{"gaps", 1}, {"ended_by", "runner"}, {"exit", nullptr}, {"status", 125}})
            .status == 0);
}

TEST_CASE("traces: size and digest of a file fit each other", "[verify]") {
  const std::string nothing = "sha256:" + hex(sha256(""));
  const std::string some = "sha256:" + std::string(64, 'a');
  for (const auto& [size, digest, good] :
       {std::tuple<std::string, std::string, bool>{"0", nothing, true},
        {"0", some, false},
        {"2", nothing, false},
        {"2", some, true},
        {"9223372036854775807", some, true},
        {"9223372036854775808", some, false},
        {"18446744073709551615", some, false}}) {
    Json file = artifact();
    file["size"] = size;
    file["sha256"] = digest;
    CAPTURE(size, digest);
    CHECK(verify_linter({{"artifact.exported", file}}).status == (good ? 0 : 1));
  }
}

TEST_CASE("traces: more output than was granted is never whole", "[verify]") {
  CHECK(verify_linter({{"output.captured", output(16'777'216)}}).status == 0);
  refused(verify_linter({{"output.captured", output(16'777'217)}}));
}

TEST_CASE("traces: the counter of output saw what was captured", "[verify]") {
  for (const auto& [bytes, good] : {std::pair{0, false}, {16'777'216, false}, {16'777'217, true}}) {
    Json err = output(0);
    err["stream"] = "stderr";
    Json out = output(bytes, bytes > 16'777'216);
    out["data"]["n"] = 5;
    if (bytes <= 16'777'216) out["data"]["n"] = bytes;
    const Outcome r = verify_linter(
        {{"resource.limit", limit("output_bytes", "byte_counter", "16777216", "16777217")},
         {"output.captured", out},
         {"output.captured", err}},
        {{"limits", {"output_bytes"}}, {"ended_by", "limit"}, {"exit", nullptr}, {"status", 121}});
    CAPTURE(bytes, r.out.substr(0, 3000));
    CHECK(r.status == (good ? 0 : 1));
  }
}

TEST_CASE("traces: processes stayed, or they did not", "[verify]") {
  for (const auto& [left, good] : {std::pair{1, true}, {2, false}, {1'000'000'000, false}}) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.patch["run.close"] = {{"teardown", {{"processes_left", left}}}, {"status", 125}};
    add_run(ledger, choices);
    const Outcome r = verify_maker(ledger);
    CAPTURE(left, r.out.substr(0, 3000));
    CHECK(r.status == (good ? 0 : 1));
  }
}

TEST_CASE("traces: one digest has one size in one program", "[verify]") {
  for (const int size : {7, 8}) {
    LedgerMaker ledger;
    RunChoices choices;
    const Json file = {{"measured", "before_start"},
                       {"path", {{"base", "system"}, {"path", "usr/bin/dash"}}},
                       {"sha256", "sha256:" + std::string(64, 'b')},
                       {"size", size}};
    choices.vector = "02-linter";
    choices.patch["run.open"] = {{"exe",
                                  {{"interpreter", file},
                                   {"measured", "before_start"},
                                   {"path", {{"base", "system"}, {"path", "usr/bin/shellcheck"}}},
                                   {"sha256", "sha256:" + std::string(64, 'b')},
                                   {"size", 7}}}};
    add_run(ledger, choices);
    const Outcome r = verify_maker(ledger);
    CAPTURE(size, r.out.substr(0, 3000));
    CHECK(r.status == (size == 7 ? 0 : 1));
  }
}

TEST_CASE("traces: interpreters of interpreters are at most four, and each content has one size",
          "[verify]") {
  const auto status = [](const char* first_key, int count, int size) {
    LedgerMaker ledger;
    RunChoices choices;
    const auto file = [](char digest, int bytes) {
      return Json{{"measured", "before_start"},
                  {"path", {{"base", "system"}, {"path", "usr/bin/shellcheck"}}},
                  {"sha256", "sha256:" + std::string(64, digest)},
                  {"size", bytes}};
    };
    choices.vector = "02-linter";
    Json exe = file('a', 5);
    if (*first_key != '\0') exe[first_key] = file('b', 7);
    exe["interpreters"] = Json::array();
    for (int i = 0; i < count; ++i)
      exe["interpreters"].push_back(i == 0 ? file('b', size) : file(static_cast<char>('c' + i), 9));
    choices.patch["run.open"] = {{"exe", exe}};
    add_run(ledger, choices);
    return verify_maker(ledger).status;
  };
  CHECK(status("interpreter", 1, 7) == 0);
  CHECK(status("interpreter", 4, 7) == 0);
  CHECK(status("interpreter", 1, 8) == 1);
  CHECK(status("", 1, 7) == 1);
  CHECK(status("interpreter", 0, 7) != 0);
  CHECK(status("interpreter", 5, 7) != 0);
}

TEST_CASE("traces: nothing of a run is later than its end", "[verify]") {
  for (const std::int64_t more : {std::int64_t{0}, std::int64_t{1'000'000'000'000'000}}) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.denials = 1;
    add_run(ledger, choices);
    for (LedgerMaker::Record& one : ledger.records) {
      Json record = Json::parse(one.bytes);
      if (record.at("type") != "runtime.sandbox_denial") continue;
      record["ts"]["mono_ns"] =
          std::to_string(std::stoll(record["ts"]["mono_ns"].get<std::string>()) + more);
      one.bytes = record.dump();
    }
    ledger.rehash_and_resign();
    const Outcome r = verify_maker(ledger);
    CAPTURE(more, r.out.substr(0, 3000));
    CHECK(r.has("contradiction") == (more > 0));
    CHECK(r.status == (more > 0 ? 1 : 0));
  }
}

TEST_CASE("traces: denials are left out where there is no room for them", "[verify]") {
  refused(verify_linter({{"run.gap", gap("flood", "2")}}, {{"gaps", 1}}));
}

TEST_CASE("traces: programs are left out where the list is full", "[verify]") {
  refused(verify_linter({{"run.gap", gap("programs", "5")}}, {{"gaps", 1}}));
  refused(verify_linter({{"run.gap", gap("programs", "1")}}, {{"gaps", 1}, {"execs", nullptr}}));
}

TEST_CASE("traces: a peak without a cgroup, a time longer than the run", "[verify]") {
  CHECK(verify_linter({}, {{"usage", {{"memory_peak_bytes", "5"}}}}).status ==
        0);  // held by a cgroup
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "05-no-cgroup";
  choices.patch["run.close"] = {{"usage", {{"memory_peak_bytes", "5"}}}};
  add_run(ledger, choices);
  refused(verify_maker(ledger));
  LedgerMaker longer;
  add_run(longer);
  Json close = Json::parse(longer.records.back().bytes);
  close["body"]["duration_ms"] = 3'600'000;
  longer.records.back().bytes = close.dump();
  longer.rehash_and_resign();
  refused(verify_maker(longer));
}

TEST_CASE("traces: acts that nobody can count", "[verify]") {
  More more;
  for (int i = 0; i < 3; ++i) {
    more.emplace_back("runtime.sandbox_denial",
                      Json{{"count", 9007199254740991},
                           {"errno", 13},
                           {"mark", "A"},
                           {"object", {{"base", "workspace"}, {"path", "x"}}},
                           {"operation", "openat"},
                           {"outcome", "denied"},
                           {"phase", "run"},
                           {"rule", "git"},
                           {"source", "seccomp"},
                           {"syscall", {{"arch", "x86_64"}, {"nr", 257}}}});
  }
  refused(verify_linter(more, {{"denials", {{"acts", "9007199254740992"}, {"records", 3}}}}));
}

TEST_CASE("traces: sources that every run has", "[verify]") {
  for (const char* gone : {"timer", "output_counter", "pidfd"}) {
    CAPTURE(gone);
    Json sources = {"cgroup_events", "output_counter", "pidfd", "seccomp_notify", "timer"};
    sources.erase(std::find(sources.begin(), sources.end(), gone));
    LedgerMaker ledger;
    RunChoices choices;
    choices.patch["sandbox.enforced"] = {{"sources", sources}};
    add_run(ledger, choices);
    refused(verify_maker(ledger), "enforced_mismatch");
  }
}

TEST_CASE("traces: one run is of one boot, one time and one way to the ledger", "[verify]") {
  const auto with = [](std::size_t index, const std::string& key, const Json& value) {
    LedgerMaker ledger;
    add_run(ledger);
    Json record = Json::parse(ledger.records[index].bytes);
    if (key == "writer") {
      record["writer"] = value;
    } else {
      record["ts"][key] = value;
    }
    ledger.records[index].bytes = record.dump();
    ledger.rehash_and_resign();
    return verify_maker(ledger);
  };
  refused(with(5, "boot", std::string(26, 'a')));
  refused(with(5, "writer", {{"gid", 0}, {"pid", 5}, {"uid", 0}}));
  LedgerMaker ledger;
  add_run(ledger);
  for (std::size_t i = 1; i < ledger.records.size(); ++i) {
    Json record = Json::parse(ledger.records[i].bytes);
    if (!record.contains("run")) continue;
    const bool is_first = record.at("run_seq") == 0;
    record["ts"]["mono_ns"] = is_first ? "9000000000000" : "1000000000000";
    ledger.records[i].bytes = record.dump();
  }
  ledger.rehash_and_resign();
  refused(verify_maker(ledger));
}

TEST_CASE("traces: a cage of the service's is built by root", "[verify]") {
  const auto with = [](const std::string& vector) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = vector;
    add_run(ledger, choices);
    for (auto& made : ledger.records) {
      Json record = Json::parse(made.bytes);
      if (!record.contains("run")) continue;
      record["writer"] = {{"cage", true}, {"gid", 1000}, {"pid", 5}, {"uid", 1000}};
      made.bytes = record.dump();
    }
    ledger.rehash_and_resign();
    return verify_maker(ledger);
  };
  CHECK(with("05-no-cgroup").status == 0);
  refused(with("02-linter"));
}

TEST_CASE("holds: nothing of a held run is erased", "[verify]") {
  const auto with = [](const std::string& held) {
    LedgerMaker ledger;
    RunChoices choices;
    add_run(ledger, choices);
    ledger.add("ledger.hold",
               {{"authority", "court"}, {"name", "case-1"}, {"reason", "x"}, {"runs", {held}}});
    ledger.checkpoint();
    std::string name;
    for (const auto& made : ledger.records) {
      const Json record = Json::parse(made.bytes);
      if (record.at("type") == "run.open")
        name = record.at("body").at("argv").at("c").get<std::string>();
    }
    ledger.add("data.erase", {{"authority", "dpo"}, {"reason", "x"}, {"targets", {name}}});
    ledger.checkpoint();
    ledger.disclosures.erase(*ethos::verify::decode_base64(name));
    return verify_maker(ledger);
  };
  CHECK(with(RunChoices().run).has("hold_broken"));
  CHECK_FALSE(with("daireeyuculbogazdinryhi6d4").has("hold_broken"));
}

TEST_CASE("store: siblings that are links", "[verify]") {
  LedgerMaker ledger;
  add_run(ledger);
  const TempDir dir;
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  save(dir.file("other"), "x");
  for (const char* sibling : {"l.db-wal", "l.db.highwater"}) {
    CAPTURE(sibling);
    REQUIRE(::symlink(dir.file("other").c_str(), dir.file(sibling).c_str()) == 0);
    const Outcome r = verify_with({"--json", "--pin", dir.file("pin"), dir.file("l.db")});
    CHECK(r.status != 0);
    CHECK((r.err + r.out).find("symbolic link") != std::string::npos);
    REQUIRE(::unlink(dir.file(sibling).c_str()) == 0);
  }
  CHECK(verify_with({"--json", "--pin", dir.file("pin"), dir.file("l.db")}).status == 0);
}

TEST_CASE("encoding: what turns a line around is shown as bytes", "[verify]") {
  using ethos::verify::printable;
  CHECK(printable("a\u202eb\u2066c\u2028d", 100) ==
        "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6c\\xe2\\x80\\xa8d");
  CHECK(printable("\u200b\ufeff", 100) == "\\xe2\\x80\\x8b\\xef\\xbb\\xbf");
  CHECK(printable("\xef\xbf\xbe\xef\xbf\xbf", 100) == "\\xef\\xbf\\xbe\\xef\\xbf\\xbf");
  CHECK(printable("\u00e9\u4e2d\U0001f600", 100) == "\u00e9\u4e2d\U0001f600");
}
