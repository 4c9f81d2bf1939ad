// SPDX-License-Identifier: Apache-2.0
// What is told of runs, clocks and keys: times, ends, use, and what nobody could have seen.
#include <catch2/catch.hpp>
#include <string>

#include "tests/verify/support/archive_parts.h"
#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

constexpr const char* kFirst = "caireeyuculbogazdinryhi6d4";
constexpr const char* kSecond = "daireeyuculbogazdinryhi6d4";

std::string told(const LedgerMaker& ledger, std::vector<std::string> more) {
  const TempDir dir;
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  more.insert(more.begin(), {"--pin", dir.file("pin"), dir.file("l.db")});
  return verify_with(more).out;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// All records from that number on have a wall clock that is so much later.
void step_clock(LedgerMaker& ledger, std::size_t from, std::int64_t ms) {
  for (std::size_t i = from; i < ledger.records.size(); ++i) {
    Json record = Json::parse(ledger.records[i].bytes);
    record["ts"]["wall_ms"] = record["ts"]["wall_ms"].get<std::int64_t>() + ms;
    ledger.records[i].bytes = record.dump();
  }
  ledger.rehash_and_resign();
}

LedgerMaker stepped(std::int64_t ms) {
  LedgerMaker ledger;
  RunChoices choices;
  choices.run = kFirst;
  add_run(ledger, choices);
  const std::size_t at = ledger.records.size();
  ledger.add("ledger.resume", {{"reason", "clock_step"}, {"step_ms", ms}});
  choices.run = kSecond;
  add_run(ledger, choices);
  step_clock(ledger, at, ms);
  return ledger;
}

}  // namespace

TEST_CASE(
    "clock: steps are told with the verdict time, and how many runs of a period began after one",
    "[verify]") {
  constexpr std::int64_t day = 86'400'000;
  const Outcome r = verify_maker(stepped(3 * day), "", "", {"--period", "2026-09-24..2026-09-24"});
  CAPTURE(r.out, r.err);
  CHECK(r.status == 0);
  CHECK(r.has("clock_stepped"));
  const Json& clock = r.json.at("clock");
  CHECK(clock.at("steps") == 1);
  CHECK(clock.at("forward_ms") == 3 * day);
  CHECK(clock.at("back_ms") == 0);
  CHECK(clock.at("list").at(0).at("seq").get<std::int64_t>() > 10);
  CHECK(clock.at("span_ms").get<std::int64_t>() > 3 * day);
  CHECK(clock.at("steady_ms").get<std::int64_t>() < 1000);
  CHECK(r.json.at("period").at("runs") == 1);
  CHECK(r.json.at("period").at("runs_after_step") == 1);
  const std::string words =
      told(stepped(3 * day), {"--period", "2026-09-24..2026-09-24", "--runs"});
  CHECK(has(words, "1 of them after the host's clock was set"));
  CHECK(has(words, "the host's clock was set 1 time while they were made"));
  CHECK(has(words, "together 3 days 0 h forward"));
  CHECK(has(words, "(by a clock that was set before)"));
  const Outcome back = verify_maker(stepped(-3 * day));
  CHECK(back.json.at("clock").at("back_ms") == 3 * day);
  LedgerMaker steady;
  add_run(steady);
  CHECK_FALSE(verify_maker(steady).has("clock_stepped"));
}

TEST_CASE("clock: hostile steady clocks do not overflow what is counted", "[verify]") {
  LedgerMaker ledger;
  add_run(ledger);
  for (std::size_t i = 1; i < ledger.records.size(); ++i) {
    Json record = Json::parse(ledger.records[i].bytes);
    record["ts"]["mono_ns"] = i % 2 == 0 ? "0" : "18446744073709551615";
    ledger.records[i].bytes = record.dump();
  }
  ledger.rehash_and_resign();
  const Outcome r = verify_maker(ledger);
  REQUIRE(r.json.is_object());
  CHECK(r.json.at("clock").at("steady_ms").get<std::int64_t>() > 0);
}

TEST_CASE("runs: begun, ended and how long, in the zone asked for, in every form", "[verify]") {
  LedgerMaker ledger;
  add_run(ledger);
  CHECK(has(told(ledger, {}), "  2026-09-21T14:13:20Z  t "));
  const std::string words = told(ledger, {"--runs", "--zone", "+02:00"});
  CHECK(has(words,
            "begun 2026-09-21T16:13:20+02:00, ended 2026-09-21T16:13:20+02:00 by tool with status "
            "0, after 12 ms"));
  CHECK(has(words, "times of +02:00"));
  const Json run = verify_maker(ledger).json.at("runs").at(0);
  CHECK(run.at("duration_ms") == 12);
  CHECK(run.at("last_ms").get<std::int64_t>() >= run.at("started_ms").get<std::int64_t>());
  CHECK(verify_maker(ledger, "", "", {"--zone", "Nowhere/City"}).status == 2);
}

TEST_CASE("runs: the tool's own end stands beside another status of ethos-run", "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.denials = 1;
  choices.patch["run.close"] = {{"status", 122}};
  add_run(ledger, choices);
  CHECK(has(told(ledger, {"--runs"}), " by tool (which ended with 0), ethos-run with status 122"));
}

TEST_CASE("runs: open and aborted ones are counted, with tool, times and reason", "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.close = false;
  choices.run = kFirst;
  choices.abort = true;
  add_run(ledger, choices);
  choices.run = kSecond;
  choices.abort = false;
  add_run(ledger, choices);
  const std::string words = told(ledger, {"--runs", "--period", "2026-09-21..2026-09-21"});
  CHECK(has(words, "1 run has no end, 1 was aborted"));
  CHECK(has(words, "the run has no end: t, begun 2026-09-21T"));
  CHECK(has(words, "aborted: its runner (ethos-run) was gone ("));
  CHECK(has(words, "(supervisor_gone)"));
  CHECK(has(words, "open runs: 1 of these, 0 that began outside; aborted: 1 of these"));
  CHECK(has(told(ledger, {"--period", "2026-09-22..2026-09-22"}),
            "open runs: 0 of these, 1 that began outside"));
}

TEST_CASE("runs: what was used, started and left is told, and the command when it is disclosed",
          "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "02-linter";  // writes .ethos/out
  choices.more = {{"artifact.exported",
                   {{"action", "created"},
                    {"grant", {{"base", "workspace"}, {"path", ".ethos/out"}}},
                    {"path", {{"base", "workspace"}, {"path", ".ethos/out/x.txt"}}},
                    {"sha256", "sha256:" + hex(sha256("x"))},
                    {"size", "5"},
                    {"type", "file"}}}};
  add_run(ledger, choices);
  const Outcome r = verify_maker(ledger);
  CAPTURE(r.out);
  const Json used = r.json.at("runs").at(0).at("used");
  CHECK(used.at("cpu_ms") == 3);
  CHECK(used.at("max_rss_bytes") == "1000");
  CHECK(used.at("programs_started") == "3");
  CHECK(used.at("programs").size() == 2);
  CHECK(used.at("command").at(0).get<std::string>().find("shellcheck") != std::string::npos);
  REQUIRE(used.at("artifacts").size() == 1);
  CHECK(used.at("artifacts").at(0).at("path") == "workspace:.ethos/out/x.txt");
  CHECK(used.at("artifacts").at(0).at("sha256") == "sha256:" + hex(sha256("x")));
  const std::string words = told(ledger, {"--runs"});
  CHECK(has(words, "it left: created workspace:.ethos/out/x.txt, 5 bytes, sha256:"));
  CHECK(has(words, "3 ms of processor time"));
  CHECK(has(words, "it started: 3 programs: "));
  RunChoices closed = choices;
  closed.disclose = false;
  LedgerMaker other;
  add_run(other, closed);
  CHECK(has(told(other, {"--runs"}), "command: not disclosed"));
  RunChoices open;
  open.close = false;
  LedgerMaker third;
  add_run(third, open);
  CHECK_FALSE(has(told(third, {"--runs"}), "no file in its workspace"));
}

TEST_CASE("runs: what was not watched, not hidden and not limited is said", "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.denials = 1;
  choices.more = {};
  add_run(ledger, choices);
  const std::string words = told(ledger, {"--runs"});
  CHECK(has(words, "an open for reading that was refused leaves no record"));
  CHECK(has(words, "openat workspace:.git/hooks/x for writing denied"));
  CHECK(has(words, "not limited: "));
  CHECK(has(words, " that fit "));
  RunChoices bare;
  bare.vector = "02-linter";
  LedgerMaker none;
  add_run(none, bare);
  CHECK(has(told(none, {"--runs"}), "hidden from it: "));
  CHECK(
      has(told(none, {"--runs"}), "denied acts: none was recorded, of those that would have been"));
}

TEST_CASE("runs: what should have been hidden and was not is said beside what was", "[verify]") {
  for (const auto& [lost, words] : {std::pair{"7", "; 7 places that fitted at its end were NOT hidden: what it read there"},
                                    {"1", "; 1 place that fitted at its end was NOT hidden (or could not be looked for)"}}) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "02-linter";
    choices.more = {{"run.gap", {{"lost", lost}, {"reason", "not_hidden"}, {"source", "supervisor"}}}};
    choices.patch["run.close"] = {{"gaps", 1}};
    add_run(ledger, choices);
    CHECK(has(told(ledger, {"--runs"}), words));
    CHECK(verify_maker(ledger).json.at("runs").at(0).at("effective").at("not_hidden") == lost);
  }
}

TEST_CASE("runs: a long command is not said to be withheld, and a full list not to go on", "[verify]") {
  for (const std::size_t programs : {50U, 51U}) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "02-linter";
    const std::string argv = "shellcheck" + std::string(1, '\0') + std::string(20'000, 'x') + std::string(1, '\0');
    choices.patch["run.open"] = {{"argv", ledger.commit("argv", argv)}};
    Json list = Json::array({{{"count", "1"}, {"path", {{"base", "system"}, {"path", "usr/bin/shellcheck"}}}}});
    for (std::size_t i = 1; i < programs; ++i)
      list.push_back({{"count", "1"}, {"path", {{"base", "system"}, {"path", "usr/bin/t" + std::to_string(100 + i)}}}});
    choices.patch["run.close"] = {{"execs", {{"list", ledger.commit("execs", list.dump())}, {"total", std::to_string(programs)}}}};
    add_run(ledger, choices);
    const std::string words = told(ledger, {"--runs"});
    CAPTURE(words);
    CHECK(has(words, "disclosed: 20012 bytes, more than is shown here"));
    CHECK_FALSE(has(words, "not disclosed"));
    CHECK(has(words, ", ...") == (programs > 50));
    CHECK(verify_maker(ledger).json.at("runs").at(0).at("used").at("command_bytes") == 20012);
  }
}

TEST_CASE("keys: changes are told with record and reason", "[verify]") {
  LedgerMaker ledger;
  add_run(ledger);
  ledger.rotate("age");
  RunChoices choices;
  choices.run = kSecond;
  add_run(ledger, choices);
  const Outcome r = verify_maker(ledger);
  REQUIRE(r.json.at("keys").size() == 1);
  CHECK(r.json.at("keys").at(0).at("reason") == "age");
  CHECK(has(told(ledger, {}), "by 2 keys one after the other (changed at record " +
                                  std::to_string(r.json.at("keys").at(0).at("seq").get<int>()) +
                                  ": age)"));
}

TEST_CASE("run: one that is not there is an answer of its own, in every form", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  RunChoices choices;
  choices.close = false;
  add_run(ledger, choices);
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  const Outcome r = verify_with({"--json", "--pin", dir.file("pin"), dir.file("l.db"), "--run",
                                 "zzzz", "--junit", dir.file("j"), "--transcript", dir.file("t")});
  CHECK(r.status == 3);  // an open run does not answer for it
  CHECK(r.has("run_unknown"));
  CHECK(r.json.at("statements").at("result") == "unknown");
  CHECK(has(slurp(dir.file("j")), "run zzzz is not in this evidence"));
  CHECK(has(slurp(dir.file("t")), "run zzzz is not in this evidence"));
}

TEST_CASE("problems: many of one kind hide no other, and a verdict says why it fails", "[verify]") {
  LedgerMaker ledger;
  for (int i = 0; i < 130; ++i)
    ledger.add("ledger.hold", {{"authority", "a"}, {"name", "h"}, {"reason", "r"}, {"more", 1}});
  ledger.checkpoint();
  LedgerMaker other;
  other.root = TestKey::make(other.origin + "/root", 99);
  const TempDir dir;
  ledger.write(dir.file("l.db"));
  Json pin = Json::parse(ledger.pin());
  pin["root_vkey"] = other.root.vkey;
  const std::string text = "ethos/pin/1\n" + ledger.origin + "\n" +
                           pin["genesis"].get<std::string>() + "\n" + other.root.vkey + "\n";
  pin["fingerprint"] = base32_of(sha256(text)).substr(0, 20);
  save(dir.file("pin"), pin.dump() + "\n");
  const std::string words = verify_with({"--pin", dir.file("pin"), dir.file("l.db")}).out;
  CAPTURE(words);
  CHECK(has(words, "the root key is not the pinned one"));
  CHECK_FALSE(has(words, "see the problems listed"));
  CHECK(has(words, "by another version of the product"));
  CHECK(has(words, " more (--json lists"));
}
