// SPDX-License-Identifier: Apache-2.0
// States that the auditor holds: the pin's minimum with bundles of one run, and the memory.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/verify/support/archive_parts.h"
#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/tree_proofs.h"
#include "tests/verify/support/verify_run.h"
#include "verify/bundle_names.h"
#include "verify/memory.h"

using namespace ethos::support;
using ethos::verify::Memory;

namespace {

constexpr const char* kFirst = "caireeyuculbogazdinryhi6d4";
constexpr const char* kSecond = "daireeyuculbogazdinryhi6d4";

void add(LedgerMaker& ledger, const char* run) {
  RunChoices choices;
  choices.run = run;
  add_run(ledger, choices);
}

std::string run_bundle(const TempDir& dir, const std::string& ledger, const std::string& run) {  // `run` may be followed by options
  const std::string command = std::string(ETHOS_BIN) + "/ethos-ledger bundle --ledger " + ledger + " --run " + run + " -o " + dir.file("made") + " 2>&1";
  INFO(command);
  REQUIRE(std::system(command.c_str()) == 0);
  std::string bytes = slurp(dir.file("made"));
  std::filesystem::remove(dir.file("made"));
  return bytes;
}

}  // namespace

TEST_CASE("pin: a minimum that a run's bundle cannot be held against is said so, not an alarm", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  add(ledger, kFirst);
  const auto early = static_cast<std::int64_t>(ledger.records.size());
  add(ledger, kSecond);
  const auto late = static_cast<std::int64_t>(ledger.records.size());
  ledger.write(dir.file("l.db"));
  save(dir.file("bare"), ledger.pin());
  save(dir.file("late"), ledger.pin(late));
  save(dir.file("early"), ledger.pin(early));
  const std::string bundle = run_bundle(dir, dir.file("l.db"), kFirst);
  save(dir.file("b"), bundle);
  const auto verify = [&](const char* pin, const char* file, const std::vector<std::string>& more = {}) {
    std::vector<std::string> args{"--json", "--pin", dir.file(pin), dir.file(file)};
    args.insert(args.end(), more.begin(), more.end());
    return verify_with(args);
  };
  CHECK(verify("bare", "b").status == 0);
  const Outcome r = verify("late", "b");
  CHECK(r.status == 3);
  CHECK(r.has("state_not_compared"));
  CHECK_FALSE(r.has("behind_pin"));
  CHECK(r.verdict("completeness") == "pass");
  CHECK(r.verdict("freshness") == "unknown");
  CHECK(verify("late", "b", {"--no-min"}).status == 0);
  // The bundle of the last run: its own checkpoint is the pinned state.
  save(dir.file("b2"), run_bundle(dir, dir.file("l.db"), kSecond));
  CHECK(verify("late", "b2").status == 0);
  CHECK(verify("early", "b2").has("state_not_compared"));

  SECTION("the writer gives the proof, and a checkpoint that covers the state") {
    save(dir.file("s1"), run_bundle(dir, dir.file("l.db"), kFirst + std::string(" --since ") + std::to_string(late)));
    const Outcome whole = verify("late", "s1");
    CAPTURE(whole.out);
    CHECK(whole.status == 0);
    CHECK(verify("early", "s1").has("state_not_compared"));
    save(dir.file("s2"), run_bundle(dir, dir.file("l.db"), kFirst + std::string(" --since 7")));
    save(dir.file("seven"), ledger.pin(7));
    const Outcome seven = verify("seven", "s2");
    CAPTURE(seven.out);
    CHECK(seven.status == 0);
    CHECK(seven.verdict("freshness") == "pass");
    CHECK(std::system((std::string(ETHOS_BIN) + "/ethos-ledger bundle --ledger " + dir.file("l.db") + " --run " + kFirst + " --since 999 -o " + dir.file("s3") + " 2>/dev/null").c_str()) != 0);
  }
  SECTION("a proof that was asked for answers it, in both directions") {
    const auto leaves = leaves_of(ledger);
    const auto old_size = static_cast<std::size_t>(early);
    auto parts = members_of(slurp(dir.file("b2")));
    const std::string name = ethos::verify::numbered("consistency", static_cast<std::uint64_t>(early), static_cast<std::uint64_t>(late));
    parts[name] = proof_lines(consistency_of(leaves, old_size, 0, leaves.size(), true));
    save(dir.file("b3"), archive_of(parts));
    const Outcome held = verify("early", "b3");
    CAPTURE(held.out);
    CHECK(held.status == 0);
    CHECK(held.verdict("freshness") == "pass");
    // Who holds another state is not helped by it.
    CHECK(verify("late", "b3").status == 0);
    // A proof that was changed, or that is of another history, is no proof.
    for (std::size_t at = 0; at < parts.at(name).size(); at += 7) {
      auto bad = parts;
      bad[name][at] = bad[name][at] == 'A' ? 'B' : 'A';
      save(dir.file("b4"), archive_of(bad));
      CAPTURE(at);
      CHECK(verify("early", "b4").status != 0);
    }
    auto forked = ledger;
    forked.records[5].bytes.replace(forked.records[5].bytes.find("\"seq\""), 1, "\"");
    forked.checkpoints.clear();
    save(dir.file("other"), [&] {
      Json pin = Json::parse(ledger.pin(early));
      pin["min"]["root"] = base64(sha256("another history"));
      return pin.dump() + "\n";
    }());
    CHECK(verify("other", "b3").status == 1);
  }
}

TEST_CASE("attest: what a bundle of one run shows is not said of the ledger", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  add(ledger, kFirst);
  add(ledger, kSecond);
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  save(dir.file("b"), run_bundle(dir, dir.file("l.db"), kFirst));
  const auto properties = [&](const char* file) {
    REQUIRE(verify_with({"--quiet", "--pin", dir.file("pin"), "--attest", dir.file("a"), "--assert", "no-network", dir.file(file)}).status == 0);
    return Json::parse(slurp(dir.file("a"))).at("predicate").at("properties").dump();
  };
  const std::string whole = properties("l.db");
  const std::string one = properties("b");
  for (const std::string name : {"COMPLETE\"", "POLICY\"", "INTEGRITY\"", "ASSERTION no-network"}) {
    CAPTURE(name, whole, one);
    CHECK(whole.find("\"ETHOS_" + name) != std::string::npos);
    CHECK(one.find("\"ETHOS_" + name) == std::string::npos);
    CHECK(one.find("\"ETHOS_RUN_" + name) != std::string::npos);
  }
  CHECK(one.find("\"ETHOS_PINNED\"") != std::string::npos);
}

TEST_CASE("pin: one of another ledger asks whether it is the right pin", "[verify]") {
  LedgerMaker ledger;
  add_run(ledger);
  LedgerMaker other;
  other.origin = "other.example/ethos/aaaqeayeaudaocajbifqydiob4";
  other.root = TestKey::make(other.origin + "/root", 9);
  Json pin = Json::parse(ledger.pin());
  const TempDir dir;
  ledger.write(dir.file("l.db"));
  pin["origin"] = other.origin;
  pin["root_vkey"] = other.root.vkey;
  pin.erase("fingerprint");
  const std::string text = "ethos/pin/1\n" + other.origin + "\n" + pin["genesis"].get<std::string>() + "\n" + other.root.vkey + "\n";
  pin["fingerprint"] = base32_of(sha256(text)).substr(0, 20);
  save(dir.file("pin"), pin.dump() + "\n");
  const Outcome r = verify_with({"--json", "--pin", dir.file("pin"), dir.file("l.db")});
  CAPTURE(r.out, r.err);
  CHECK(r.status == 1);
  CHECK(r.first() == "pin_origin");
  CHECK_FALSE(r.has("pin_genesis"));
  CHECK(verify_with({"--pin", dir.file("pin"), dir.file("l.db")}).out.find("is this the right pin?") != std::string::npos);
  save(dir.file("empty"), "");
  const Outcome empty = verify_with({"--pin", dir.file("empty"), dir.file("l.db")});
  CHECK(empty.status == 2);
  CHECK(empty.err.find("not a pin") != std::string::npos);
}

TEST_CASE("memory: a roll-back between two visits is caught", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  add(ledger, kFirst);
  ledger.write(dir.file("early.db"));
  const std::size_t early = ledger.records.size();
  add(ledger, kSecond);
  ledger.write(dir.file("late.db"));
  save(dir.file("pin"), ledger.pin());
  const auto verify = [&](const char* file, const std::vector<std::string>& more = {}) {
    std::vector<std::string> args{"--json", "--pin", dir.file("pin"), "--memory", dir.file("memory"), dir.file(file)};
    args.insert(args.end(), more.begin(), more.end());
    return verify_with(args);
  };
  CHECK(verify("early.db").status == 0);
  const Outcome first = verify("late.db");
  CHECK(first.status == 0);
  CHECK(first.json.at("known").at(0).at("answer") == "held");
  const std::string remembered = slurp(dir.file("memory"));
  CHECK(std::count(remembered.begin(), remembered.end(), '\n') == 2);
  const Outcome back = verify("early.db");
  CHECK(back.status == 4);
  CHECK(back.has("behind_memory"));
  CHECK(slurp(dir.file("memory")) == remembered);
  // Nothing is remembered but what was asked for.
  CHECK(verify_with({"--quiet", "--pin", dir.file("pin"), dir.file("early.db")}).status == 0);

  SECTION("another history of the same length, signed by the same key, is a fork with both notes") {
    LedgerMaker forked;
    add(forked, kFirst);
    RunChoices choices;
    choices.run = kSecond;
    choices.denials = 1;
    add_run(forked, choices);
    while (forked.records.size() < ledger.records.size() + 2) add(forked, "eaireeyuculbogazdinryhi6d4");
    forked.write(dir.file("fork.db"));
    const Outcome r = verify("fork.db");
    CAPTURE(r.out);
    CHECK(r.status == 1);
    CHECK(r.has("memory_root"));
    bool has_note = false;
    for (const Json& state : r.json.at("known")) has_note = has_note || (state.at("answer") == "differs" && state.contains("note"));
    CHECK(has_note);
    CHECK(slurp(dir.file("memory")) == remembered);
    const Outcome text = verify_with({"--pin", dir.file("pin"), "--memory", dir.file("memory"), dir.file("fork.db")});
    CHECK(text.out.find("contradict each other") != std::string::npos);
  }
  SECTION("since when a run was there") {
    const Outcome second = verify("late.db", {"--run", "daire"});
    REQUIRE(second.json.at("run_known").is_object());
    CHECK(second.json.at("run_known").at("run") == kSecond);
    CHECK(second.json.at("run_known").at("not_in").at("size") == early);
    CHECK(second.json.at("run_known").at("whole_in").at("size") == ledger.records.size());
    const Outcome one = verify("late.db", {"--run", kFirst});
    CHECK(one.json.at("run_known").at("whole_in").at("size") == early);
    const Outcome words = verify_with({"--pin", dir.file("pin"), "--memory", dir.file("memory"), "--run", "daire", dir.file("late.db")});
    CHECK(words.out.find("it was added after what was checked here at ") != std::string::npos);
    save(dir.file("min"), ledger.pin(static_cast<std::int64_t>(early)));
    const Outcome pin = verify_with({"--pin", dir.file("min"), "--run", "daire", dir.file("late.db")});
    CHECK(pin.out.find("added after what the pin remembers") != std::string::npos);
  }
  SECTION("a memory that was damaged is refused, at every cut and change of structure") {
    for (std::size_t cut = 1; cut < remembered.size(); cut += 13) {
      if (remembered[cut - 1] == '\n') continue;
      save(dir.file("memory"), remembered.substr(0, cut));
      CHECK(verify("late.db").status == 2);
    }
    save(dir.file("memory"), remembered);
    CHECK(verify_with({"--memory", dir.file("memory"), dir.file("late.db")}).status == 2);
  }
}

TEST_CASE("memory: every byte changed is reported or changes only when it was seen", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  add(ledger, kFirst);
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  const std::vector<std::string> args{"--json", "--pin", dir.file("pin"), "--memory", dir.file("memory"), dir.file("l.db")};
  REQUIRE(verify_with(args).status == 0);
  const std::string good = slurp(dir.file("memory"));
  const auto key = good.find("\"note\":\"");
  const auto signature = good.find("\xe2\x80\x94");
  for (std::size_t at = 0; at < good.size(); at += 3) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    save(dir.file("memory"), bad);
    const int status = verify_with(args).status;
    CAPTURE(at, status);
    // A damaged file accuses nobody.
    CHECK(status != 1);
    // The time, and the signature's own bytes, which nothing rests on: the file is the auditor's.
    const bool harmless = at < key || (at > signature && at < good.find("\",\"origin\""));
    if (!harmless) CHECK(status != 0);
  }
}

TEST_CASE("memory: a line whose signature is not over what it says accuses nobody", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  add(ledger, kFirst);
  const std::size_t early = ledger.records.size();
  ledger.write(dir.file("early.db"));
  save(dir.file("pin"), ledger.pin());
  const auto verify = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args{"--pin", dir.file("pin"), "--memory", dir.file("memory"), dir.file("l.db")};
    args.insert(args.end(), more.begin(), more.end());
    return verify_with(args);
  };
  REQUIRE(verify_with({"--quiet", "--pin", dir.file("pin"), "--memory", dir.file("memory"), dir.file("early.db")}).status == 0);
  const std::string good = slurp(dir.file("memory"));
  add(ledger, kSecond);
  ledger.write(dir.file("l.db"));
  const std::string head = ledger.origin + "\\n" + std::to_string(early) + "\\n";
  const auto at = good.find(head) + head.size();
  REQUIRE(at > head.size());
  std::string other_root = good;
  other_root[at] = other_root[at] == 'A' ? 'B' : 'A';
  // A size beyond the ledger would read as a ledger that was cut.
  std::string other_size = good;
  other_size.insert(at - 2, "00");
  for (const std::string& bad : {other_root, other_size}) {
    save(dir.file("memory"), bad);
    const Outcome r = verify({"--json"});
    CAPTURE(r.out);
    CHECK(r.status == 3);
    CHECK(r.has("memory_damaged"));
    CHECK_FALSE(r.has("memory_root"));
    CHECK_FALSE(r.has("behind_memory"));
    CHECK(r.json.at("known").at(0).at("answer") == "damaged");
    CHECK(verify({}).out.find("contradict each other") == std::string::npos);
    CHECK(slurp(dir.file("memory")) == bad);
  }
  // A later state by a key that the cut ledger does not have is no damage: the ledger is shorter.
  const std::size_t before = ledger.records.size();
  ledger.rotate();
  add(ledger, "eaireeyuculbogazdinryhi6d4");
  REQUIRE(ledger.records.size() > before);
  ledger.write(dir.file("l.db"));
  save(dir.file("memory"), good);
  REQUIRE(verify({"--quiet"}).status == 0);
  const Outcome cut = verify_with({"--json", "--pin", dir.file("pin"), "--memory", dir.file("memory"), dir.file("early.db")});
  CHECK(cut.status == 4);
  CHECK(cut.has("behind_memory"));
}

TEST_CASE("memory: lines are in order, few of a ledger stay, several ledgers share a file", "[verify]") {
  LedgerMaker ledger;
  add(ledger, kFirst);
  Memory memory;
  for (int i = 1; i <= 200; ++i) {
    Memory::Entry entry;
    entry.origin = i % 2 == 0 ? "a.example/ethos/aaaqeayeaudaocajbifqydiob4" : "b.example/ethos/aaaqeayeaudaocajbifqydiob4";
    entry.at_ms = i * 1000;
    entry.size = static_cast<std::uint64_t>(i);
    entry.note = entry.origin + "\n" + std::to_string(i) + "\n" + base64(sha256(std::to_string(i))) + "\n\n\xe2\x80\x94 x AAAAAAA=\n";
    entry.root = *ethos::verify::Digest::from_base64(base64(sha256(std::to_string(i))));
    memory.add(entry);
    memory.add(entry);
  }
  CHECK(memory.entries().size() == 2 * Memory::kKept);
  const auto again = Memory::parse(memory.encode());
  REQUIRE(again);
  CHECK(again->encode() == memory.encode());
  const auto states = again->of("a.example/ethos/aaaqeayeaudaocajbifqydiob4");
  REQUIRE(states.size() == Memory::kKept);
  CHECK(states.front().size == 2);
  CHECK(states.back().size == 200);
  const std::string text = memory.encode();
  const auto line = text.find('\n') + 1;
  CHECK_FALSE(Memory::parse(text.substr(line) + text.substr(0, line)).ok());
  CHECK_FALSE(Memory::parse(text.substr(0, line) + text.substr(0, line)).ok());
  CHECK_FALSE(Memory::parse(text.substr(0, line - 1)).ok());
  CHECK(Memory::parse("").ok());
}
