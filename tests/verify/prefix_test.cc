// SPDX-License-Identifier: Apache-2.0
// An earlier state of a ledger that has grown since.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <iterator>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"
#include "verify/encoding.h"

using namespace ethos::support;

namespace {

RunChoices run_of(char letter, int denials = 0) {
  RunChoices choices;
  choices.run = std::string(1, letter) + "aireeyuculbogazdinryhi6d4";
  choices.denials = denials;
  return choices;
}

// A ledger of two runs, and the same one with a key change and two more.
struct Growth {
  TempDir dir;
  LedgerMaker then, now;
  std::int64_t size;

  Growth() {
    add_run(then, run_of('c', 2));
    then.rotate();
    add_run(then, run_of('d'));
    size = static_cast<std::int64_t>(then.records.size());
    now = then;
    add_run(now, run_of('e', 1));
    now.rotate();
    add_run(now, run_of('f'));
    then.write(dir.file("then.db"));
    write();
    save(dir.file("pin"), then.pin());
    save(dir.file("note"), then.checkpoints.at(size));
  }
  void write() {
    std::filesystem::remove(dir.file("now.db"));
    now.write(dir.file("now.db"));
  }
  [[nodiscard]] Outcome at(const std::string& state, const std::string& evidence = "now.db") const {
    return verify_with({"--json", "--pin", dir.file("pin"), "--at", state, dir.file(evidence)});
  }
  void bundle(const std::string& options, const std::string& to) const {
    const std::string command = std::string(ETHOS_BIN) + "/ethos-ledger bundle -q --ledger " + dir.file("now.db") + " " + options +
                                " -o " + dir.file(to);
    REQUIRE(std::system(command.c_str()) == 0);
  }
};

}  // namespace

TEST_CASE("prefix: an earlier state is judged as it was judged then", "[verify]") {
  const Growth growth;
  const Outcome then = verify_with({"--json", "--pin", growth.dir.file("pin"), growth.dir.file("then.db")});
  REQUIRE(then.status == 0);
  for (const std::string& state : {std::to_string(growth.size), growth.dir.file("note")}) {
    const Outcome again = growth.at(state);
    CAPTURE(state, again.err, again.first());
    CHECK(again.status == 0);
    for (const char* key : {"verdicts", "checkpoint", "runs", "problems", "first_bad", "origin"}) CHECK(again.json.at(key) == then.json.at(key));
    CHECK(again.json.at("counts").at("records") == growth.size);
    CHECK(again.json.at("counts").at("checkpoints") == then.json.at("counts").at("checkpoints"));
  }
}

TEST_CASE("prefix: a bundle of the whole ledger holds the earlier state too", "[verify]") {
  const Growth growth;
  growth.bundle("", "all.ethosb");
  const Outcome again = growth.at(growth.dir.file("note"), "all.ethosb");
  CAPTURE(again.err, again.first());
  CHECK(again.status == 0);
  CHECK(again.json.at("checkpoint").at("size") == growth.size);
  // It carries no checkpoint of that size itself, and one run is no state of a ledger.
  CHECK(growth.at(std::to_string(growth.size), "all.ethosb").status == 3);
  growth.bundle("--run " + run_of('c').run, "run.ethosb");
  CHECK(growth.at(growth.dir.file("note"), "run.ethosb").status == 3);
}

TEST_CASE("prefix: only what was signed is a state", "[verify]") {
  Growth growth;
  CHECK(growth.at(std::to_string(growth.size - 2)).status == 3);
  CHECK(growth.at("1000000").status == 3);
  for (const char* bad : {"0", "-3", "12x", "/nonexistent", "99999999999999999999"}) {
    CAPTURE(bad);
    const Outcome refused = growth.at(bad);
    CHECK(refused.status == 2);
    CHECK(refused.out.empty());
  }
  CHECK(growth.at(growth.dir.file("pin")).status == 2);
}

TEST_CASE("prefix: a checkpoint of another history or of nobody is not believed", "[verify]") {
  Growth growth;
  // Another history under the same keys.
  LedgerMaker other;
  add_run(other, run_of('c', 3));
  other.rotate();
  add_run(other, run_of('d'));
  const auto size = static_cast<std::int64_t>(other.records.size());
  save(growth.dir.file("other"), other.checkpoints.at(size));
  CHECK(growth.at(growth.dir.file("other")).status == 1);
  // A wrong signature.
  std::string note = growth.then.checkpoints.at(growth.size);
  const auto last = note.size() - 6;
  note[last] = note[last] == 'A' ? 'B' : 'A';
  save(growth.dir.file("forged"), note);
  CHECK(growth.at(growth.dir.file("forged")).status == 1);
  // More than there is: the ledger was cut.
  const Outcome cut = verify_with({"--json", "--pin", growth.dir.file("pin"), "--at", growth.dir.file("note"), growth.dir.file("then.db")});
  CHECK(cut.status == 0);
  save(growth.dir.file("late"), growth.now.checkpoints.rbegin()->second);
  const Outcome shorter = growth.at(growth.dir.file("late"), "then.db");
  CAPTURE(shorter.out);
  CHECK(shorter.status == 4);
  CHECK(shorter.has("behind_at"));
  CHECK(shorter.out.find("later than all of it") != std::string::npos);
  CHECK(shorter.verdict("signatures") == "pass");
  CHECK(shorter.verdict("completeness") == "incomplete");
  // A checkpoint of its own, or records that none covers, are another matter.
  LedgerMaker own = growth.now;
  own.records.resize(own.records.size() - 1);
  own.write(growth.dir.file("own.db"));
  CHECK(growth.at(growth.dir.file("late"), "own.db").status == 1);
  LedgerMaker tail = growth.then;
  add_run(tail, run_of('e', 1));
  tail.checkpoints.erase(std::prev(tail.checkpoints.end()));
  tail.write(growth.dir.file("tail.db"));
  const Outcome unsigned_tail = growth.at(growth.dir.file("late"), "tail.db");
  CAPTURE(unsigned_tail.out);
  CHECK(unsigned_tail.status == 1);
  CHECK(unsigned_tail.has("tail_unsigned"));
}

TEST_CASE("prefix: every form of the answer says that it is of an earlier state", "[verify]") {
  const Growth growth;
  const std::string key = growth.dir.file("key");
  const Outcome made = verify_with({"--make-key", "auditor.example", "--attest-key", key});
  REQUIRE(made.status == 0);
  const std::string vkey = made.out.substr(0, made.out.size() - 1);
  const std::string part = "only the first " + std::to_string(growth.size) + " records were judged";
  for (const std::string type : {"svr", "vsa"}) {
    const std::string file = growth.dir.file(type);
    const Outcome r = verify_with({"--pin", growth.dir.file("pin"), "--at", growth.dir.file("note"), "--attest", file, "--attest-type", type, "--attest-key", key, "--junit",
                                   growth.dir.file("j"), growth.dir.file("now.db")});
    CAPTURE(r.out, r.err);
    REQUIRE(r.status == 0);
    CHECK(r.out.find("VERIFIED: everything asked for was checked and holds, of the state of " + std::to_string(growth.size) + " records that --at names") != std::string::npos);
    const Outcome told = verify_with({"--check-attest", file, "--signer", vkey});
    CAPTURE(told.out);
    CHECK(told.out.find("of a state  the one that --at ") != std::string::npos);
    CHECK(told.out.find(part) != std::string::npos);
    CHECK(told.out.find("by the pin  urn:ethos:pin:") != std::string::npos);
    const Json statement = Json::parse(*ethos::verify::decode_base64(Json::parse(slurp(file)).at("payload").get<std::string>()));
    CHECK(statement.at("subject").at(0).at("annotations").at("urn:ethos:state").get<std::string>().find(part) != std::string::npos);
    CHECK(slurp(growth.dir.file("j")).find(part) != std::string::npos);
    REQUIRE(verify_with({"--quiet", "--pin", growth.dir.file("pin"), "--attest", file, "--attest-type", type, "--attest-key", key, growth.dir.file("now.db")}).status == 0);
    CHECK(verify_with({"--check-attest", file, "--signer", vkey}).out.find("of a state") == std::string::npos);
  }
}

TEST_CASE("prefix: what came later does not count, what came before does", "[verify]") {
  Growth growth;
  const auto change = [&](std::size_t record) {
    std::string& bytes = growth.now.records[record].bytes;
    const auto at = bytes.find("\"wall_ms\":1");
    REQUIRE(at != std::string::npos);
    bytes[at + 10] = '2';
    growth.write();
    bytes[at + 10] = '1';
  };
  change(growth.now.records.size() - 2);
  CHECK(growth.at(std::to_string(growth.size)).status == 0);
  CHECK(verify_with({"--pin", growth.dir.file("pin"), growth.dir.file("now.db")}).status == 1);
  change(5);
  CHECK(growth.at(std::to_string(growth.size)).status == 1);
}

TEST_CASE("prefix: a value erased since is told from one that was removed", "[verify]") {
  Growth growth;
  const Json open = Json::parse(growth.now.records[1].bytes);
  REQUIRE(open.at("type") == "run.open");
  const std::string c64 = open.at("body").at("argv").at("c");
  std::string c;
  for (const auto& [key, value] : growth.now.disclosures) {
    if (base64(key) == c64) c = key;
  }
  REQUIRE(c.size() == 32);
  growth.now.disclosures.erase(c);
  growth.write();
  CHECK(growth.at(std::to_string(growth.size)).verdict("disclosure") == "incomplete");
  growth.now.add("data.erase", {{"authority", "dpo"}, {"reason", "asked"}, {"targets", {c64}}}, run_of('c').run);
  growth.now.checkpoint();
  growth.write();
  const Outcome erased = growth.at(std::to_string(growth.size));
  CAPTURE(erased.json.at("problems").dump());
  CHECK(erased.status == 0);
  CHECK(erased.verdict("disclosure") == "pass");

  // Only records that hold erase: not what nobody signed, not one out of the chain, not mere bytes.
  const auto is_missing = [&](const LedgerMaker& ledger) {
    growth.now = ledger;
    growth.write();
    const Outcome r = growth.at(std::to_string(growth.size));
    CAPTURE(r.out);
    CHECK(r.status == 4);
    CHECK(r.has("disclosure_missing"));
  };
  const LedgerMaker good = growth.now;
  LedgerMaker unsigned_one = good;
  unsigned_one.checkpoints.erase(std::prev(unsigned_one.checkpoints.end()));
  is_missing(unsigned_one);
  LedgerMaker unchained = good;
  std::string& bytes = unchained.records.back().bytes;
  Json record = Json::parse(bytes);
  record["prev"] = base64(std::string(32, 'x'));
  bytes = record.dump();
  unchained.records.back().hash = sha256(std::string(1, '\0') + bytes);
  is_missing(unchained);
  LedgerMaker stranger = good;
  stranger.epochs.back() = TestKey::make(stranger.origin, 'z');
  stranger.checkpoints.erase(std::prev(stranger.checkpoints.end()));
  stranger.checkpoint();
  is_missing(stranger);
  LedgerMaker mere = unsigned_one;
  mere.records.back().bytes = R"({"type":"data.erase" )" + c64 + "}";
  mere.records.back().hash = sha256(std::string(1, '\0') + mere.records.back().bytes);
  is_missing(mere);
}

TEST_CASE("prefix: a pin that asks for more says nothing about an earlier state", "[verify]") {
  const Growth growth;
  save(growth.dir.file("pin"), growth.now.pin(static_cast<std::int64_t>(growth.now.records.size())));
  const Outcome older = growth.at(std::to_string(growth.size));
  CHECK(older.status == 0);
  CHECK(older.verdict("freshness") == "none");
  // Without being asked for an earlier state, a shorter ledger is incomplete.
  CHECK(verify_with({"--pin", growth.dir.file("pin"), growth.dir.file("then.db")}).status == 4);
  save(growth.dir.file("pin"), growth.now.pin(growth.size));
  CHECK(growth.at(std::to_string(growth.size)).verdict("freshness") == "pass");
}

TEST_CASE("prefix: who cuts a bundle does not choose which runs are asked", "[verify]") {
  Growth growth;
  // A run over the border, which is a multiple of 256, and one behind it.
  add_run(growth.now, run_of('g', 260));
  const std::size_t late = growth.now.records.size();
  add_run(growth.now, run_of('h'));
  REQUIRE(late > 256);
  growth.write();
  growth.bundle("--from 256", "tail");
  const auto asked = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args{"--json", "--pin", growth.dir.file("pin"), growth.dir.file("tail")};
    args.insert(args.end(), more.begin(), more.end());
    return verify_with(args);
  };
  CHECK(asked({}).status == 0);
  const Outcome r = asked({"--assert", "no-denials"});
  CAPTURE(r.out);
  CHECK(r.status == 3);
  CHECK(r.has("assertion_unknown"));
  CHECK(r.json.at("assertions").at(0).at("result") == "unknown");
  const std::int64_t first = Json::parse(growth.now.records[256].bytes).at("ts").at("wall_ms");
  const auto day = [](std::int64_t ms) {
    const std::time_t seconds = ms / 1000;
    char text[16];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&seconds));
    return std::string(text);
  };
  const std::string whole = day(first) + ".." + day(first + 86'400'000);
  CHECK(asked({"--assert", "no-network", "--period", whole}).status == 3);
  CHECK(asked({"--period", whole}).status == 3);
}
