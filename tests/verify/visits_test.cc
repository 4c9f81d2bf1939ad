// SPDX-License-Identifier: Apache-2.0
// What an auditor's second visit tells: what is remembered, what came since, and what was dated
// back.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

#include "tests/verify/support/archive_parts.h"
#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

constexpr const char* kFirst = "caireeyuculbogazdinryhi6d4";
constexpr const char* kSecond = "daireeyuculbogazdinryhi6d4";
constexpr std::int64_t kDay = 86'400'000;

void add(LedgerMaker& ledger, const char* run, bool close = true) {
  RunChoices choices;
  choices.run = run;
  choices.close = close;
  add_run(ledger, choices);
}

// All records from that number on are dated so much later, by the steady clock too where asked.
void move(LedgerMaker& ledger, std::size_t from, std::int64_t ms, bool steady = false) {
  for (std::size_t i = from; i < ledger.records.size(); ++i) {
    Json record = Json::parse(ledger.records[i].bytes);
    record["ts"]["wall_ms"] = record["ts"]["wall_ms"].get<std::int64_t>() + ms;
    const std::int64_t mono = std::stoll(record["ts"]["mono_ns"].get<std::string>());
    if (steady) record["ts"]["mono_ns"] = std::to_string(mono + ms * 1'000'000);
    ledger.records[i].bytes = record.dump();
  }
  ledger.rehash_and_resign();
}

// Two ledgers of one history, the later one with more runs, and a pin; and what a visit says.
struct Visits {
  TempDir dir;
  LedgerMaker ledger;

  Visits() {
    add(ledger, kFirst);
    save(dir.file("pin"), ledger.pin());
    ledger.write(dir.file("early.db"));
  }
  void write_late() { ledger.write(dir.file("late.db")); }
  Outcome visit(const char* file, std::vector<std::string> more = {}, bool json = true) const {
    std::vector<std::string> args{"--pin", dir.file("pin"), "--memory", dir.file("memory"),
                                  dir.file(file)};
    if (json) args.insert(args.begin(), "--json");
    args.insert(args.end(), more.begin(), more.end());
    return verify_with(args);
  }
  bool has_memory() const { return std::filesystem::exists(dir.file("memory")); }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("memory: evidence that holds is remembered, whatever was asked of its runs", "[verify]") {
  const std::vector<std::vector<std::string>> questions{
      {"--assert", "not no-network"},
      {"--assert", "no-denials"},
      {"--assert", "tool == nobody implies no-network"},
      {"--run", "eeee"},
      {"--show", "100000"},
      {"--period", "2020-01-01..2020-01-02"}};
  for (const auto& question : questions) {
    CAPTURE(question);
    const Visits visits;
    const Outcome r = visits.visit("early.db", question);
    CAPTURE(r.out, r.err);
    CHECK((r.status == 1 || r.status == 3));
    REQUIRE(visits.has_memory());
    CHECK(r.json.at("memory").at("state") == "remembered");
    CHECK(r.json.at("memory").at("new_file") == true);
    const Outcome words = visits.visit("early.db", question, false);
    CHECK(has(words.out, "are remembered since "));
  }
}

TEST_CASE("memory: what is not remembered is said, and why", "[verify]") {
  Visits visits;
  add(visits.ledger, kSecond);
  visits.write_late();
  const auto size = std::to_string(visits.ledger.checkpoints.begin()->first);
  const Outcome at = visits.visit("late.db", {"--at", size}, false);
  CAPTURE(at.out, at.err);
  CHECK(has(at.out, "NOT remembered, because --at asks for an earlier state"));
  CHECK_FALSE(visits.has_memory());
  LedgerMaker changed = visits.ledger;
  changed.records[5].hash[0] = static_cast<char>(changed.records[5].hash[0] ^ 1);
  changed.write(visits.dir.file("changed.db"));
  const Outcome bad = visits.visit("changed.db");
  CHECK(bad.status == 1);
  CHECK(bad.json.at("memory").at("state") == "not_remembered");
  CHECK(has(bad.json.at("memory").at("why"), "the verdict integrity is fail"));
  CHECK_FALSE(visits.has_memory());
  CHECK(
      has(visits.visit("changed.db", {"--quiet"}, false).err, "--memory: NOT remembered, because"));
  REQUIRE(visits.visit("late.db").status == 0);
  CHECK(has(visits.visit("early.db", {}, false).out,
            "NOT remembered, because this is older than the state of"));
}

TEST_CASE("memory: runs that came since the last visit are listed and marked", "[verify]") {
  Visits visits;
  REQUIRE(visits.visit("early.db").json.at("since_visit").is_null());
  const auto size = visits.ledger.records.size();
  add(visits.ledger, kSecond);
  visits.write_late();
  const Outcome r = visits.visit("late.db");
  CAPTURE(r.out, r.err);
  const Json& since = r.json.at("since_visit");
  CHECK(since.at("size") == size);
  CHECK(since.at("records") == visits.ledger.records.size() - size);
  CHECK(since.at("runs_added") == 1);
  CHECK(since.at("runs_continued") == 0);
  CHECK(since.at("added").at(0).at("run") == kSecond);
  CHECK(since.at("added").at(0).at("dated_before") == false);
  CHECK_FALSE(r.json.at("runs").at(0).contains("added_after"));
  CHECK(r.json.at("runs").at(1).at("added_after").at("size") == size);
  const Outcome again = visits.visit("late.db");
  CHECK(again.json.at("since_visit").at("runs_added") == 0);
  CHECK(again.json.at("runs").at(1).at("added_after").at("size") == size);
  const std::string words = visits.visit("late.db", {"--runs"}, false).out;
  CHECK(has(words, "added after what was checked here at "));
  CHECK(has(words, "0 runs were added"));
}

TEST_CASE("memory: a run without an end was not whole, and a run that went on is told",
          "[verify]") {
  Visits visits;
  RunChoices choices;
  choices.run = kSecond;
  choices.close = false;
  add_run(visits.ledger, choices);
  visits.ledger.checkpoint();
  visits.write_late();
  const Outcome open = visits.visit("late.db", {"--run", "daire"}, false);
  CAPTURE(open.out, open.err);
  CHECK(open.status == 4);
  const Outcome now = visits.visit("late.db", {"--run", "daire"}, false);
  CHECK(has(now.out, "it had not ended, and has not now; all its records so far"));
  CHECK_FALSE(has(now.out, "it was whole in"));
  visits.ledger.add("run.abort", {{"reason", "supervisor_gone"}}, kSecond);
  visits.ledger.checkpoint();
  visits.ledger.write(visits.dir.file("end.db"));
  const Outcome end = visits.visit("end.db");
  CAPTURE(end.out);
  CHECK(end.json.at("since_visit").at("runs_added") == 0);
  CHECK(end.json.at("since_visit").at("continued").at(0).at("run") == kSecond);
  const Json& run = end.json.at("runs").at(1);
  CHECK(run.at("own_last_seq").get<std::int64_t>() < run.at("last_seq").get<std::int64_t>());
  CHECK(run.at("recovered_after_ms").get<std::int64_t>() >= 0);
  const Outcome words = visits.visit("end.db", {"--run", "daire"}, false);
  CHECK(has(words.out, "with recovery's as the last, were in what"));
  CHECK(has(words.out, "last record of its own: " +
                           std::to_string(run.at("own_last_seq").get<std::int64_t>())));
  CHECK(has(words.out, "in the same start of the host: no power cut"));
}

TEST_CASE("memory: a run whose SARIF file is named after the visit went on", "[verify]") {
  Visits visits;
  visits.visit("early.db");
  visits.ledger.add("sarif.written",
                    {{"converter", {{"product", "0.1.0"}, {"status", 0}}},
                     {"list", visits.ledger.commit("sarif", "")},
                     {"results", 0},
                     {"sha256", "sha256:" + hex(sha256("file"))}},
                    kFirst);
  visits.ledger.checkpoint();
  visits.write_late();
  const Outcome late = visits.visit("late.db");
  CAPTURE(late.out);
  CHECK(late.has("sarif_late"));
  CHECK(late.json.at("since_visit").at("runs_continued") == 1);
  CHECK(late.json.at("since_visit").at("continued").at(0).at("run") == kFirst);
}

TEST_CASE("clock: a run that is dated before earlier records is told and marked", "[verify]") {
  Visits visits;
  REQUIRE(visits.visit("early.db").status == 0);
  const std::size_t at = visits.ledger.records.size();
  SECTION("with a record of the step: told") {
    visits.ledger.add("ledger.resume", {{"reason", "clock_step"}, {"step_ms", -30 * kDay}});
    add(visits.ledger, kSecond);
    move(visits.ledger, at, -30 * kDay);
    visits.write_late();
    const Outcome r = visits.visit("late.db");
    CAPTURE(r.out, r.err);
    CHECK(r.status == 0);
    CHECK(r.has("dated_back"));
    CHECK(r.json.at("clock").at("dated_back").at("runs") == 1);
    CHECK(r.json.at("clock").at("dated_back").at("list").at(0).at("run") == kSecond);
    CHECK(r.json.at("clock").at("dated_back").at("most_ms").get<std::int64_t>() > 29 * kDay);
    CHECK(r.json.at("since_visit").at("added").at(0).at("dated_before") == true);
    CHECK(r.json.at("runs").at(1).at("added_after").at("dated_before") == true);
    CHECK(r.json.at("runs").at(1).at("dated_back").at("seq").get<std::size_t>() < at);
    const std::string words =
        visits.visit("late.db", {"--period", "2026-08-01..2026-09-01"}, false).out;
    CAPTURE(words);
    CHECK(has(words, "1 of them dated before records that came earlier"));
    CHECK(has(words, "; its date lies before"));
    CHECK(has(words, "1 run is dated before records that came earlier (`dated_back`)"));
  }
  SECTION("without one: no program of ours leaves it out") {
    add(visits.ledger, kSecond);
    move(visits.ledger, at, -30 * kDay);
    visits.write_late();
    const Outcome r = visits.visit("late.db");
    CHECK(r.status == 1);
    CHECK(r.first() == "resume_missing");
    CHECK(r.verdict("time") == "fail");
    CHECK(r.json.at("memory").at("state") == "not_remembered");
  }
  SECTION("beside a record that is not known here: nobody can say") {
    visits.ledger.add("ledger.upgrade", Json::object());
    add(visits.ledger, kSecond);
    move(visits.ledger, at, -30 * kDay);
    visits.write_late();
    const Outcome r = visits.visit("late.db");
    CAPTURE(r.out, r.err);
    CHECK(r.status == 3);
    CHECK_FALSE(r.has("resume_missing"));
  }
  SECTION("the steady clock as well: a stopped program could do so, and it is told") {
    move(visits.ledger, 0, 40 * kDay, true);
    save(visits.dir.file("pin"), visits.ledger.pin());
    std::filesystem::remove(visits.dir.file("memory"));
    add(visits.ledger, kSecond);
    const std::size_t behind = at;
    move(visits.ledger, behind, 0);
    visits.write_late();
    const Outcome r = visits.visit("late.db");
    CAPTURE(r.out, r.err);
    CHECK(r.status == 0);
    CHECK(r.has("steady_back"));
    CHECK(r.has("dated_back"));
    CHECK(r.json.at("clock").at("steady_back").at("seq") == behind);
  }
  SECTION("a minute is none: records wait for their commit") {
    visits.ledger.add("ledger.resume", {{"reason", "clock_step"}, {"step_ms", -30'000}});
    add(visits.ledger, kSecond);
    move(visits.ledger, at, -30'000);
    visits.write_late();
    const Outcome r = visits.visit("late.db");
    CHECK(r.status == 0);
    CHECK_FALSE(r.has("dated_back"));
  }
}

TEST_CASE("memory: times that cannot be are told, and a broken signature is not used", "[verify]") {
  const Visits visits;
  REQUIRE(visits.visit("early.db").status == 0);
  const std::string good = slurp(visits.dir.file("memory"));
  // A line of the first version: nothing but its signature protects it.
  Json line = Json::parse(good);
  line.erase("kept");
  line.erase("open");
  line.erase("sum");
  line["v"] = 1;
  const auto with_time = [&](std::int64_t ms) {
    Json other = line;
    other["at_ms"] = ms;
    save(visits.dir.file("memory"), other.dump() + "\n");
  };
  with_time(1'577'836'800'000);
  const Outcome early = visits.visit("early.db", {"--run", "caire"}, false);
  CAPTURE(early.out);
  CHECK(early.status == 0);
  CHECK(has(early.out, "memory_time"));
  CHECK(has(early.out, "BUT it says itself that it began at"));
  with_time(9'000'000'000'000);
  CHECK(has(visits.visit("early.db", {}, false).out, "which is yet to come"));
  with_time(line.at("at_ms").get<std::int64_t>());
  CHECK_FALSE(visits.visit("early.db").has("memory_time"));
  // The root is right, the signature is not.
  Json bad = line;
  std::string note = bad.at("note").get<std::string>();
  const std::size_t place = note.size() - 12;
  note[place] = note[place] == 'A' ? 'B' : 'A';
  bad["note"] = note;
  save(visits.dir.file("memory"), bad.dump() + "\n");
  const Outcome r = visits.visit("early.db", {"--run", "caire"});
  CAPTURE(r.out);
  CHECK(r.status == 3);
  CHECK(r.has("memory_damaged"));
  CHECK(r.json.at("memory").at("state") == "not_remembered");
  CHECK(r.json.at("run_known").at("begun_in").is_null());
  CHECK(r.json.at("since_visit").is_null());
}

TEST_CASE("zone: sentences have the zone that was asked for, everywhere", "[verify]") {
  Visits visits;
  RunChoices choices;
  choices.run = kSecond;
  choices.close = false;
  choices.abort = true;
  add_run(visits.ledger, choices);
  visits.write_late();
  static_cast<void>(visits.visit("early.db"));
  const Outcome r = visits.visit(
      "late.db", {"--zone", "+05:30", "--run", "daire", "--transcript", visits.dir.file("t")},
      false);
  CAPTURE(r.out, r.err);
  CHECK(has(r.out, "+05:30"));
  for (const std::string& text : {r.out, slurp(visits.dir.file("t"))}) {
    for (auto at = text.find("Z"); at != std::string::npos; at = text.find("Z", at + 1)) {
      const bool is_time = at >= 9 && text[at - 3] == ':' && text[at - 6] == ':';
      CAPTURE(text.substr(at < 60 ? 0 : at - 60, 61));
      CHECK_FALSE(is_time);
    }
  }
}

TEST_CASE("explain: every verdict has its words and its codes", "[verify]") {
  for (const char* name : {"integrity", "signatures", "trust", "completeness", "freshness", "time",
                           "disclosure", "policy", "statements"}) {
    const Outcome r = verify_with({"--explain", name});
    CAPTURE(name, r.err);
    CHECK(r.status == 0);
    CHECK(has(r.out, std::string(name) + ", a verdict"));
  }
  CHECK(has(verify_with({"--explain", "time"}).out, "dated_back"));
  CHECK(verify_with({"--explain", "tims"}).status == 2);
}

TEST_CASE("messages: a pin or memory that was reformatted, and a period that is none, say so",
          "[verify]") {
  const Visits visits;
  REQUIRE(visits.visit("early.db").status == 0);
  const std::string pin = visits.ledger.pin();
  save(visits.dir.file("pin"), Json::parse(pin).dump(2) + "\n");
  const Outcome r = visits.visit("early.db");
  CHECK(r.status == 2);
  CHECK(has(r.err, "one line of JSON without spaces"));
  CHECK(has(r.err, "(byte "));
  Json other = Json::parse(pin);
  other.erase("fingerprint");
  save(visits.dir.file("pin"), other.dump() + "\n");
  CHECK(has(visits.visit("early.db").err, "`fingerprint` is missing"));
  save(visits.dir.file("pin"), pin);
  const std::string memory = slurp(visits.dir.file("memory"));
  save(visits.dir.file("memory"), " " + memory);
  CHECK(has(visits.visit("early.db").err, "line 1: "));
  CHECK(has(visits.visit("early.db").err, "as --memory wrote it"));
  save(visits.dir.file("memory"), memory);
  CHECK(has(visits.visit("early.db", {"--period", "2026-10-31..2026-10-01"}).err,
            "ends before it begins"));
  CHECK(has(visits.visit("early.db", {"--period", "2026-02-30..2026-10-01"}).err,
            "`2026-02-30` is no day"));
}

TEST_CASE("attest, junit: what failed, and runs without an end, are in the answer", "[verify]") {
  Visits visits;
  RunChoices choices;
  choices.run = kSecond;
  choices.close = false;
  choices.abort = true;
  add_run(visits.ledger, choices);
  visits.write_late();
  const std::string key = visits.dir.file("key");
  const Outcome made = verify_with({"--make-key", "auditor.example", "--attest-key", key});
  REQUIRE(made.status == 0);
  const std::string vkey = made.out.substr(0, made.out.find('\n'));
  const std::string result = visits.dir.file("a.json");
  const std::string junit = visits.dir.file("j.xml");
  const auto attest = [&](const char* statement) {
    return visits.visit("late.db", {"--assert", statement, "--junit", junit, "--attest", result,
                                    "--attest-type", "vsa", "--attest-key", key});
  };
  REQUIRE(attest("not no-network").status == 1);
  const Outcome failed = verify_with({"--check-attest", result, "--signer", vkey});
  CAPTURE(failed.out);
  CHECK(failed.status == 4);
  CHECK(has(failed.out, "what is signed is that the check FAILED"));
  CHECK(has(failed.out, "fails: run "));
  CHECK(has(failed.out, "assertion_failed"));
  CHECK(has(failed.out, "urn:ethos:pin:"));
  CHECK(has(slurp(junit), "run_aborted record "));
  CHECK(has(slurp(junit), "<property name=\"aborted runs\" value=\"1\"/>"));
  REQUIRE(attest("no-network").status == 0);
  CHECK(verify_with({"--check-attest", result, "--signer", vkey}).status == 0);
}

TEST_CASE("withheld: values that are not here are told by kind and record, and how to get them",
          "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  add(ledger, kFirst);
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  const std::string made = dir.file("b");
  const std::string command = std::string(ETHOS_BIN) +
                              "/ethos-ledger bundle -q --disclose none --ledger " +
                              dir.file("l.db") + " -o " + made;
  REQUIRE(std::system(command.c_str()) == 0);
  const Outcome r = verify_with({"--json", "--pin", dir.file("pin"), made});
  CAPTURE(r.out, r.err);
  std::int64_t counted = 0;
  bool has_normal = false;
  for (const Json& one : r.json.at("withheld")) {
    counted += one.at("count").get<std::int64_t>();
    has_normal = has_normal || one.at("kind") == "normal";
    CHECK(one.at("records").at(0).get<std::int64_t>() > 0);
  }
  CHECK(has_normal);
  CHECK(counted == r.json.at("counts").at("commitments").get<std::int64_t>());
  const std::string words = verify_with({"--pin", dir.file("pin"), made}).out;
  CHECK(has(words, "1 normal"));
  CHECK(has(words, "`ethos-ledger bundle --disclose all` puts in what was kept"));
  LedgerMaker all;
  RunChoices told;
  told.has_outputs = false;  // which are not kept
  add_run(all, told);
  CHECK(verify_maker(all).json.at("withheld").empty());
}

TEST_CASE("memory: one that is new or empty is told apart, and told to scripts", "[verify]") {
  LedgerMaker ledger;
  add_run(ledger);
  const TempDir dir;
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  const auto call = [&](const std::string& how) { return verify_with({how, "--pin", dir.file("pin"), "--memory", dir.file("m"), dir.file("l.db")}); };
  const Outcome made = call("--quiet");
  CHECK(made.status == 0);
  CHECK(has(made.err, "the file was not there and is new"));
  const Outcome again = call("--runs");
  CHECK(again.err.empty());
  CHECK(has(again.out, "0 records, 0 runs were added (what an earlier visit found added"));
  save(dir.file("m"), "");
  const Outcome emptied = call("--json");
  CHECK(has(emptied.err, "the file was empty"));
  CHECK(emptied.json.at("memory").at("was_empty") == true);
  CHECK(emptied.json.at("memory").at("new_file") == false);
}

TEST_CASE("words: a run that was cut off says what is not recorded of it", "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.close = false;
  choices.abort = true;
  add_run(ledger, choices);
  const TempDir dir;
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  CHECK(has(verify_with({"--runs", "--pin", dir.file("pin"), dir.file("l.db")}).out, "it used, and it started: not recorded"));
}

TEST_CASE("messages: the name of a file where a key is asked for, and a run id before the evidence", "[verify]") {
  const TempDir dir;
  save(dir.file("vkey"), "x");
  CHECK(has(verify_with({"--check-attest", dir.file("vkey"), "--signer", dir.file("vkey")}).err, "is a file; what stands in it is asked for"));
  CHECK(has(verify_with({"--run", dir.file("vkey")}).err, "not a run id"));
  CHECK(has(verify_with({"--zone", "+1", "x"}).err, "`+01:00`"));
  CHECK(has(verify_with({"--at", dir.file("vkey"), "x"}).err, "tar xOf BUNDLE checkpoint"));
  CHECK(verify_with({"--explain", "argc"}).status == 0);
}

TEST_CASE("words: added arguments are claimed only where their number shows them", "[verify]") {
  for (const auto& [argc, part] :
       {std::pair{0, "(declared; of the words that ran only the number is known, which is the same"},
        std::pair{2, "2 arguments that were added and are not disclosed"}}) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.run = kFirst;
    LedgerMaker plain;
    add_run(plain, choices);
    const Json before = verify_maker(plain).json.at("runs").at(0).at("used");
    const auto declared = static_cast<std::int64_t>(before.at("declared_command").size());
    choices.patch["run.open"] = {{"argc", declared + argc},
                                 {"argv", ledger.commit("argv", "x", false)}};
    add_run(ledger, choices);
    const TempDir dir;
    ledger.write(dir.file("l.db"));
    save(dir.file("pin"), ledger.pin());
    const std::string words =
        verify_with({"--runs", "--pin", dir.file("pin"), dir.file("l.db")}).out;
    CAPTURE(words);
    CHECK(has(words, part));
  }
}

TEST_CASE("assert: an open run is named beside an aborted one of the same tool", "[verify]") {
  LedgerMaker ledger;
  RunChoices choices;
  choices.close = false;
  choices.run = kFirst;
  choices.abort = true;
  add_run(ledger, choices);
  choices.run = kSecond;
  choices.abort = false;
  add_run(ledger, choices);
  const Outcome r = verify_maker(ledger, "", "", {"--assert", "ended"});
  CHECK(r.json.at("assertions").at(0).at("of_tools").size() == 2);
  const TempDir dir;
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  CHECK(has(verify_with({"--pin", dir.file("pin"), dir.file("l.db")}).out,
            "runs have no end here: they may still have run"));
  const Outcome unsure = verify_maker(ledger, "", "", {"--assert", "source.K where denials == 0"});
  CAPTURE(unsure.out);
  CHECK(has(unsure.json.at("assertions").at(0).dump(), "whether the run is meant is not known"));
}

TEST_CASE("words: every word that a statement or record knows is explained", "[verify]") {
  const auto known = [](const std::string& word) {
    const Outcome r = verify_with({"--explain", word});
    CAPTURE(word, r.err);
    CHECK(r.status == 0);
    CHECK(has(r.out, "means "));
  };
  const std::string help = verify_with({"--explain", "assertions"}).out;
  const auto from = help.find("Words that a field or rule knows");
  REQUIRE(from != std::string::npos);
  std::istringstream lines(help.substr(help.find('\n', from) + 1));
  std::string line;
  int words = 0;
  while (std::getline(lines, line) && !line.empty()) {
    std::string list = line.substr(22) + ", ";
    for (auto end = list.find(", "); end != std::string::npos; end = list.find(", ")) {
      std::string word = list.substr(0, end);
      list.erase(0, end + 2);
      if (word.starts_with("limit.")) word.erase(0, 6);
      if (word == "yes" || word == "no") continue;
      known(word);
      ++words;
    }
  }
  CHECK(words > 40);
  for (const char* word :
       {"PASS", "INCOMPLETE", "NOT AS STATED", "supervisor_gone", "staged", "epoch", "age", "serve",
        "root key", "seal", "fixed basics", "by a clock that was set before", "flood",
        "artifact_unread", "argv", "execs", "workspace", "run.abort", "fs.write", "outside-grants",
        "K", "committed value", "weaker than asked for first"})
    known(word);
  CHECK(has(verify_with({"--explain", "words"}).out, "capability.grant"));
  CHECK(verify_with({"--explain", "wrods"}).status == 2);
}

TEST_CASE("words: a stranger's signature below a checkpoint is counted and named", "[verify]") {
  Visits visits;
  const auto signatures = [&] {
    visits.write_late();
    const Outcome r = verify_with({"--pin", visits.dir.file("pin"), visits.dir.file("late.db")});
    CHECK(r.status == 0);
    return r.out;
  };
  CHECK_FALSE(has(signatures(), "signature line"));
  // 68 bytes: a key's id and a signature.
  visits.ledger.checkpoints.rbegin()->second +=
      "\xe2\x80\x94 stranger.example " + std::string(90, 'A') + "A=\n";
  const std::string out = signatures();
  CAPTURE(out);
  CHECK(has(out, "1 more signature line is by no key of this ledger (the first names stranger.example)"));
}

TEST_CASE("words: of several statements one is told everywhere", "[verify]") {
  const Visits visits;
  const Outcome r = visits.visit("early.db", {"--assert", "not ended", "--assert", "not no-git"});
  CAPTURE(r.out);
  CHECK(r.status == 1);
  CHECK(has(r.json.at("first_bad").at("text"), "not ended"));
  for (const Json& verdict : r.json.at("verdicts"))
    if (verdict.at("name") == "policy") CHECK(has(verdict.at("text"), "not ended"));
  const std::string words =
      visits.visit("early.db", {"--assert", "not ended", "--assert", "not no-git"}, false).out;
  CHECK(has(words, "2 such findings in all"));
}

TEST_CASE("words: a run's reach is told by name, and a record without all runs", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "02-linter";
  add_run(ledger, choices);
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  const std::string runs = verify_with({"--runs", "--pin", dir.file("pin"), dir.file("l.db")}).out;
  CAPTURE(runs);
  for (const char* part :
       {"it could delete files of before: nowhere", "HOME=/tmp/home",
        "base runtime: /usr and the links to it (read and start)", "/etc/ld.so.cache",
        "names of what was hidden: workspace:.env, workspace:.git/, workspace:certs/server.pem",
        "newest      the last record is of "})
    CHECK(has(runs, part));
  const std::string shown = verify_with({"--show", "1", "--zone", "+05:30", "--pin",
                                         dir.file("pin"), dir.file("l.db")})
                                .out;
  CAPTURE(shown);
  CHECK(has(shown, "+05:30)"));
  CHECK_FALSE(has(shown, "\nRuns"));
}
