// SPDX-License-Identifier: Apache-2.0
// The last records of a run: their order, what must be among them, and figures that no host gives.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

using More = MoreRecords;

void refused(const Outcome& r, const std::string& code = "contradiction") {
  CAPTURE(r.status, r.out);
  CHECK(r.status == 1);
  CHECK(r.has(code));
  CHECK(r.verdict("policy") == "fail");
}

std::pair<std::string, Json> output(const char* stream) {
  return {"output.captured",
          {{"bytes", "0"},
           {"data", {{"c", std::string(43, 'A') + "="}, {"kind", "output"}, {"n", 0}}},
           {"stream", stream},
           {"truncated", false}}};
}

std::pair<std::string, Json> artifact(const std::string& path, const char* patch = "{}") {
  Json body = {{"action", "created"},
               {"grant", {{"base", "workspace"}, {"path", ".ethos/out"}}},
               {"path", {{"base", "workspace"}, {"path", ".ethos/out/" + path}}},
               {"sha256", "sha256:" + std::string(64, 'a')},
               {"size", "3"},
               {"type", "file"}};
  body.merge_patch(Json::parse(patch));
  return {"artifact.exported", body};
}

std::pair<std::string, Json> denial(const char* operation, int nr, int count = 1) {
  return {"runtime.sandbox_denial",
          {{"count", count},
           {"errno", 13},
           {"mark", "K"},
           {"operation", operation},
           {"outcome", "denied"},
           {"phase", "run"},
           {"rule", "outside-grants"},
           {"source", "seccomp"},
           {"syscall", {{"arch", "x86_64"}, {"nr", nr}}}}};
}

std::pair<std::string, Json> not_hidden() {
  return {"run.gap", {{"lost", "1"}, {"reason", "not_hidden"}, {"source", "supervisor"}}};
}

// Just these records, with nothing that the maker adds.
Outcome exactly(const More& more, const Json& close = Json::object()) {
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "02-linter";
  choices.more = more;
  choices.has_outputs = false;
  choices.patch["run.close"] = close;
  add_run(ledger, choices);
  return verify_maker(ledger);
}

}  // namespace

TEST_CASE("ending: of each stream there is one record, stdout first", "[verify]") {
  CHECK(exactly({output("stdout"), output("stderr")}).status == 0);
  refused(exactly({}));
  refused(exactly({output("stdout")}));
  refused(exactly({output("stderr")}));
  refused(exactly({output("stderr"), output("stdout")}));
}

TEST_CASE("ending: what the writer adds last has one order", "[verify]") {
  const Json one_gap = {{"gaps", 1}};
  const Json one_denial = {{"denials", {{"acts", "1"}, {"records", 1}}}};
  const Json both = {{"gaps", 1}, {"denials", {{"acts", "1"}, {"records", 1}}}};
  const auto out = output("stdout");
  const auto err = output("stderr");
  CHECK(exactly({denial("openat", 257), not_hidden(), out, err, artifact("a")}, both).status == 0);
  refused(exactly({not_hidden(), denial("openat", 257), out, err}, both));
  refused(exactly({out, err, not_hidden()}, one_gap));
  refused(exactly({out, denial("openat", 257), err}, one_denial));
  refused(exactly({out, err, denial("openat", 257)}, one_denial));
  refused(exactly({artifact("a"), out, err}));
  refused(exactly({out, artifact("a"), err}));
  // What was lost of one kind is counted once, behind all denials.
  const auto gone = [](const char* reason) {
    return std::pair<std::string, Json>("run.gap",
                                        {{"lost", "1"}, {"reason", reason}, {"source", "seccomp"}});
  };
  CHECK(exactly({denial("openat", 257), gone("target_gone"), gone("unreadable"), out, err},
                {{"gaps", 2}, {"denials", {{"acts", "1"}, {"records", 1}}}})
            .status == 0);
  refused(exactly({gone("target_gone"), gone("target_gone"), out, err}, {{"gaps", 2}}));
  refused(exactly({gone("target_gone"), denial("openat", 257), out, err}, both));
}

TEST_CASE("ending: a run has room for 4,096 denials", "[verify]") {
  for (const int many : {4096, 4097}) {
    const std::string count = std::to_string(many);
    More more(static_cast<std::size_t>(many), denial("openat", 257));
    const Outcome r = verify_linter(more, {{"denials", {{"acts", count}, {"records", many}}}});
    CHECK(r.status == (many == 4096 ? 0 : 1));
    CHECK(r.has("contradiction") == (many == 4097));
  }
}

TEST_CASE("ending: a tool that could not be executed did nothing", "[verify]") {
  const auto run = [](const More& more, const Json& patch = Json::object()) {
    Json close = {{"exit", nullptr},
                  {"status", 126},
                  {"execs", nullptr},
                  {"denials", {{"acts", std::to_string(more.size())}, {"records", more.size()}}}};
    close.merge_patch(patch);
    return verify_linter(more, close);
  };
  CHECK(run({}).status == 0);
  CHECK(run({denial("execve", 59)}).status == 0);
  refused(run({denial("openat", 257)}));
  CHECK(run({}, {{"usage", {{"pids_peak", 8}}}}).status == 0);
  refused(run({}, {{"usage", {{"pids_peak", 9}}}}));
}

TEST_CASE("ending: figures that no host gives", "[verify]") {
  const auto peak = [](std::int64_t n, const char* vector = "02-linter") {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = vector;
    choices.patch["run.close"] = {{"usage", {{"pids_peak", n}}}};
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  CHECK(peak(2).status == 0);
  CHECK(peak(4'194'304).status == 0);
  for (const std::int64_t n : {0, 1, 4'194'305}) refused(peak(n));
  CHECK(peak(520, "01-defaults").status == 0);  // 512 are granted, and a cgroup holds them
  refused(peak(521, "01-defaults"));
  CHECK(verify_linter({}, {{"usage", {{"cpu_ms", 4'900'000'000}}}}).status == 0);
  refused(verify_linter({}, {{"usage", {{"cpu_ms", 5'000'000'000}}}}));
  const auto left = [](int n) {
    return verify_linter({}, {{"status", 125}, {"teardown", {{"processes_left", n}}}});
  };
  CHECK(left(1).status == 0);
  refused(left(2));
  const auto interrupted = [](int signal) {
    return verify_linter(
        {}, {{"ended_by", "interrupted"}, {"exit", nullptr}, {"status", 128 + signal}});
  };
  for (const int signal : {1, 2, 15}) CHECK(interrupted(signal).status == 0);
  for (const int signal : {3, 9, 19, 64}) refused(interrupted(signal));
}

TEST_CASE("ending: more denied acts than there was time for", "[verify]") {
  const auto denied = [](int count) {
    return verify_linter({denial("openat", 257, count)},
                         {{"denials", {{"acts", std::to_string(count)}, {"records", 1}}}});
  };
  CHECK(denied(2'000'000'000).status == 0);
  const std::string many = "1000000000000";
  auto [type, body] = denial("openat", 257);
  body["count"] = 1'000'000'000'000;
  refused(verify_linter({{type, body}}, {{"denials", {{"acts", many}, {"records", 1}}}}));
  const Json gap = {{"lost", many}, {"reason", "unreadable"}, {"source", "seccomp"}};
  refused(verify_linter({{"run.gap", gap}}, {{"gaps", 1}}));
}

TEST_CASE("ending: nothing lies below a file, and one digest has one size", "[verify]") {
  const auto with = [](const More& files) { return verify_linter(files); };
  CHECK(with({artifact("a/b"), artifact("a.d"), artifact("a/c")}).status == 0);
  CHECK(with({artifact("d", R"({"sha256":null,"size":"0","type":"directory"})"), artifact("d/a")})
            .status == 0);
  refused(with({artifact("a"), artifact("a/b")}));
  refused(with({artifact("a/b/c"), artifact("a/x"), artifact("a/b")}));
  refused(with({artifact("z/b"), artifact("a", R"({"action":"replaced"})"), artifact("a/b/c/d")}));
  CHECK(with({artifact("a"), artifact("b")}).status == 0);
  refused(with({artifact("a"), artifact("b", R"({"size":"4"})")}));
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "02-linter";
  choices.more = {artifact("a")};
  add_run(ledger, choices);
  choices.run = "eaireeyuculbogazdinryhi6d4";
  choices.more = {artifact("a", R"({"size":"4"})")};
  add_run(ledger, choices);
  refused(verify_maker(ledger));
}

TEST_CASE("ending: a recovery that comes before what it ends is told so", "[verify]") {
  const auto aborted = [](std::int64_t by_ns) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.close = false;
    choices.abort = true;
    add_run(ledger, choices);
    std::string& bytes = ledger.records.back().bytes;
    Json record = Json::parse(bytes);
    Json& mono = record["ts"]["mono_ns"];
    mono = std::to_string(std::stoll(mono.get<std::string>()) + by_ns);
    bytes = record.dump();
    ledger.rehash_and_resign();
    return verify_maker(ledger).out;
  };
  const std::string before = "by a steady clock that stood before";
  CHECK(aborted(0).find(before) == std::string::npos);
  const std::string told = aborted(-2'000'000'000);
  CHECK(told.find(before) != std::string::npos);
  CHECK(told.find("later start of the host") == std::string::npos);
}
