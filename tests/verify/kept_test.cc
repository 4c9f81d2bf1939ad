// SPDX-License-Identifier: Apache-2.0
// Records that no order may drop, dropped all the same by whoever holds the key: a seal, a hold, a
// time stamp. Orders name numbers and not kinds; a pin and a memory remember which had to stay.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"
#include "verify/memory.h"

using namespace ethos::support;

namespace {

constexpr const char* kOld = "caireeyuculbogazdinryhi6d4";
constexpr const char* kNew = "daireeyuculbogazdinryhi6d4";
constexpr const char* kLater = "eaireeyuculbogazdinryhi6d4";

struct Story {
  LedgerMaker ledger;
  std::vector<std::size_t> old_records;
  std::size_t last_of_new = 0;
  std::size_t hold = 0;
  std::size_t seal = 0;
  std::string pin;  // of the state with hold and seal

  explicit Story(bool seals = true, const char* held = kOld) {
    add(kOld);
    for (std::size_t i = 1; i < ledger.records.size(); ++i) old_records.push_back(i);
    add(kNew);
    last_of_new = ledger.records.size() - 1;
    hold = ledger.add("ledger.hold", {{"authority", "court"},
                                      {"name", "h"},
                                      {"reason", "case 7"},
                                      {"runs", Json::array({held})}});
    if (seals)
      seal = ledger.add("ledger.seal",
                        {{"authority", "a"}, {"closed", 2}, {"open", 0}, {"reason", "r"}});
    ledger.checkpoint();
    pin = ledger.marked_pin();
  }
  void add(const char* run) {
    RunChoices choices;
    choices.run = run;
    add_run(ledger, choices);
  }
  // An order that fits what is dropped in every number.
  void drop(std::vector<std::size_t> which) {
    std::string list;
    std::int64_t from = INT64_MAX;
    std::int64_t until = INT64_MIN;
    for (const std::size_t i : which) {
      list += std::to_string(i) + "\n";
      const std::int64_t wall = Json::parse(ledger.records[i].bytes).at("ts").at("wall_ms");
      from = std::min(from, wall);
      until = std::max(until, wall);
    }
    ledger.add("ledger.prune", {{"authority", "me"},
                                {"below", which.back() + 1},
                                {"from_ms", from},
                                {"list", "sha256:" + hex(sha256(list))},
                                {"reason", "old"},
                                {"records", which.size()},
                                {"runs", 1},
                                {"total", which.size()},
                                {"until_ms", until}});
    ledger.checkpoint();
    for (const std::size_t i : which) ledger.records[i].bytes.clear();
  }
  // The old run, and something with it.
  void drop_old_and(std::initializer_list<std::size_t> more) {
    std::vector<std::size_t> which = old_records;
    which.insert(which.end(), more);
    drop(which);
  }
  [[nodiscard]] Outcome verify() const { return verify_maker(ledger, "", pin); }
};

}  // namespace

TEST_CASE("kept: a sealed ledger is not un-sealed by an order to drop the seal", "[verify]") {
  Story story;
  CHECK(story.verify().status == 0);
  story.drop_old_and({story.seal});
  story.add(kLater);
  const Outcome r = story.verify();
  CAPTURE(r.out.substr(0, 3000));
  CHECK(r.status == 1);
  CHECK(r.has("prune_mismatch"));
  CHECK(r.has("after_seal"));
  CHECK(r.verdict("integrity") == "fail");
  CHECK(r.json.at("known").at(0).at("kept_held") == false);
  CHECK(r.json.at("known").at(0).at("sealed") == true);
  // A pin of before says nothing of it, and the tool says that nobody does.
  const Outcome old = verify_maker(story.ledger);
  CHECK(old.status == 0);
  CHECK(old.out.find("nothing that you hold says which records had to stay") != std::string::npos);
}

TEST_CASE("kept: a hold in force, dropped alone or with what it covered", "[verify]") {
  for (const bool with_run : {false, true}) {
    Story story(false);
    with_run ? story.drop_old_and({story.hold}) : story.drop({story.last_of_new, story.hold});
    const Outcome r = story.verify();
    CAPTURE(with_run, r.out.substr(0, 2000));
    CHECK(r.status == 1);
    CHECK(r.has("prune_mismatch"));
  }
}

TEST_CASE("kept: what is lawfully dropped is no loss, and it is said", "[verify]") {
  Story story(false, kNew);
  story.drop_old_and({});
  story.add(kLater);
  const Outcome r = story.verify();
  CAPTURE(r.out.substr(0, 3000));
  CHECK(r.status == 0);
  CHECK(r.json.at("known").at(0).at("kept_held") == true);
  CHECK(r.out.find("all are there that you remember") != std::string::npos);
  CHECK_FALSE(r.json.at("pruned").contains("held_unseen"));
}

TEST_CASE("kept: a held run of which nothing is there is named", "[verify]") {
  Story story(false);
  story.drop_old_and({});
  const Outcome r = story.verify();
  CAPTURE(r.out.substr(0, 3000));
  REQUIRE(r.json.at("pruned").contains("held_unseen"));
  CHECK(r.json.at("pruned").at("held_unseen") == Json::array({{{"hold", "h"}, {"run", kOld}}}));
  CHECK(r.out.find("which hold h covered then, no record is there") != std::string::npos);
}

TEST_CASE("kept: a memory remembers it too, and old lines of one go on", "[verify]") {
  using ethos::verify::Memory;
  const TempDir dir;
  Story story;
  story.ledger.write(dir.file("l.db"));
  save(dir.file("pin"), story.ledger.pin());
  const auto verify = [&](const char* file) {
    return verify_with(
        {"--json", "--pin", dir.file("pin"), "--memory", dir.file("memory"), dir.file(file)});
  };
  REQUIRE(verify("l.db").status == 0);
  const std::string marked = slurp(dir.file("memory"));
  CHECK(marked.find("\"kept\":{\"list\":") != std::string::npos);
  CHECK(marked.find("\"open\":[],") != std::string::npos);
  CHECK(marked.find("\"sealed\":true,\"sum\":\"") != std::string::npos);
  // One that an older program wrote: the state's marks are added at the next visit.
  Json old = Json::parse(marked);
  old.erase("kept");
  old.erase("open");
  old.erase("sealed");
  old.erase("sum");
  old["v"] = 1;
  save(dir.file("memory"), old.dump() + "\n");
  REQUIRE(verify("l.db").status == 0);
  CHECK(slurp(dir.file("memory")) == marked);
  for (const char* spoiled : {"kept", "open", "sealed", "v", "sum"}) {
    Json bad = Json::parse(marked);
    bad[spoiled] = 1;
    CAPTURE(spoiled);
    CHECK_FALSE(Memory::parse(bad.dump() + "\n"));
  }
  old["v"] = 2;
  CHECK_FALSE(Memory::parse(old.dump() + "\n"));

  story.drop_old_and({story.seal});
  story.add(kLater);
  story.ledger.write(dir.file("late.db"));
  const Outcome r = verify("late.db");
  CHECK(r.status == 1);
  CHECK(r.has("prune_mismatch"));
  CHECK(r.has("after_seal"));
  CHECK(slurp(dir.file("memory")) == marked);
}

TEST_CASE("kept: the pin that the program makes is the one that this test makes", "[verify]") {
  const TempDir dir;
  for (const bool seals : {false, true}) {
    Story story(seals);
    const std::string name = dir.file(seals ? "sealed.db" : "open.db");
    story.ledger.write(name);
    const std::string command = std::string(ETHOS_BIN) + "/ethos-ledger pin --min -q --ledger " +
                                name + " > " + dir.file("made");
    REQUIRE(std::system(command.c_str()) == 0);
    CHECK(slurp(dir.file("made")) == story.pin);
    Json other = Json::parse(story.pin);
    other["min"]["kept"]["records"] = 1;
    CHECK(verify_maker(story.ledger, "", other.dump() + "\n").has("prune_mismatch"));
    other["v"] = 1;
    save(dir.file("old"), other.dump() + "\n");
    CHECK(verify_with({"--pin", dir.file("old"), name}).status == 2);
  }
}

TEST_CASE("kept: a bundle of one run shows by its size that the ledger went on after its seal",
          "[verify]") {
  const TempDir dir;
  Story story;
  story.drop_old_and({story.seal});
  story.add(kLater);
  story.ledger.write(dir.file("l.db"));
  save(dir.file("pin"), story.pin);
  const std::string command = std::string(ETHOS_BIN) + "/ethos-ledger bundle -q --ledger " +
                              dir.file("l.db") + " --run " + kLater + " -o " + dir.file("b");
  REQUIRE(std::system(command.c_str()) == 0);
  const Outcome r = verify_with({"--json", "--pin", dir.file("pin"), dir.file("b")});
  CAPTURE(r.out);
  CHECK(r.status == 1);
  CHECK(r.has("after_seal"));
  CHECK_FALSE(r.has("prune_mismatch"));
}

namespace {

// A run that met denials and ended well, and was pinned; then its end is dropped and made anew.
struct Exchanged {
  LedgerMaker ledger;
  std::string pin;
  std::string old_pin;  // version 1
  std::size_t enforced = 0;
  std::vector<std::size_t> tail;
  Json end;

  explicit Exchanged(bool closes = true) {
    RunChoices choices;
    choices.run = kOld;
    choices.denials = 2;
    choices.close = closes;
    add_run(ledger, choices);
    for (std::size_t i = 1; i < ledger.records.size(); ++i) {
      const Json record = Json::parse(ledger.records[i].bytes);
      if (record.at("type") == "sandbox.enforced") enforced = i;
      if (record.at("type") == "run.close") end = record.at("body");
    }
    for (std::size_t i = enforced + 1; i < ledger.records.size(); ++i) tail.push_back(i);
    RunChoices other;
    other.run = kNew;
    add_run(ledger, other);
    ledger.checkpoint();
    pin = ledger.marked_pin();
    old_pin = ledger.pin(static_cast<std::int64_t>(ledger.records.size()));
  }
  void order() {
    std::string list;
    std::int64_t from = INT64_MAX;
    std::int64_t until = INT64_MIN;
    for (const std::size_t i : tail) {
      list += std::to_string(i) + "\n";
      const std::int64_t wall = Json::parse(ledger.records[i].bytes).at("ts").at("wall_ms");
      from = std::min(from, wall);
      until = std::max(until, wall);
    }
    ledger.add("ledger.prune", {{"authority", "me"},
                                {"below", tail.back() + 1},
                                {"from_ms", from},
                                {"list", "sha256:" + hex(sha256(list))},
                                {"reason", "old"},
                                {"records", tail.size()},
                                {"runs", 1},
                                {"total", tail.size()},
                                {"until_ms", until}});
  }
  void exchange(bool aborts, bool is_order_first = true) {
    if (is_order_first) order();
    std::vector<std::pair<std::string, Json>> more;
    for (const std::size_t i : tail) {
      const Json record = Json::parse(ledger.records[i].bytes);
      const std::string type = record.at("type");
      if (type != "sandbox.denial" && type != "run.close")
        more.emplace_back(type, record.at("body"));
    }
    ledger.go_on_behind(kOld, enforced);
    if (aborts) {
      ledger.add("run.abort", {{"reason", "supervisor_gone"}}, kOld);
    } else {
      for (const auto& [type, body] : more) ledger.add(type, body, kOld);
      Json close = end;
      close["records"] =
          Json::parse(ledger.records[enforced].bytes).at("run_seq").get<std::size_t>() +
          more.size() + 2;
      ledger.add("run.close", close, kOld);
    }
    if (!is_order_first) order();
    ledger.checkpoint();
    for (const std::size_t i : tail) ledger.records[i].bytes.clear();
  }
};

int shell(const std::string& arguments) {
  return std::system((std::string(ETHOS_BIN) + "/ethos-ledger " + arguments).c_str());
}

}  // namespace

TEST_CASE("kept: the end of a run that had ended is not made anew", "[verify]") {
  for (const bool aborts : {false, true}) {
    Exchanged story;
    CHECK(verify_maker(story.ledger, "", story.pin).status == 0);
    story.exchange(aborts);
    const Outcome r = verify_maker(story.ledger, "", story.pin);
    CAPTURE(aborts, r.out.substr(0, 3000));
    CHECK(r.status == 1);
    CHECK(r.has("prune_mismatch"));
    CHECK(r.out.find("the pin remembers that run " + std::string(kOld) + " had ended") !=
          std::string::npos);
    // Who remembers nothing of it learns that nobody can tell, and no question about that run
    // passes.
    const Outcome old = verify_maker(story.ledger, "", story.old_pin);
    CAPTURE(old.out.substr(0, 3000));
    CHECK(old.status == 0);
    CHECK(old.json.at("pruned").at("straddled") == Json::array({kOld}));
    CHECK(old.verdict("completeness") == "pass");
    CHECK(old.out.find("goes on behind such an order") != std::string::npos);
    const Outcome asked = verify_maker(story.ledger, "", story.old_pin, {"--run", kOld});
    CHECK(asked.status == 3);
    CHECK(asked.has("pruned"));
    CHECK(verify_maker(story.ledger, "", story.old_pin, {"--run", kNew}).status == 0);
    // Nor does a report of that run's period.
    const TempDir dir;
    story.ledger.write(dir.file("l.db"));
    save(dir.file("pin"), story.old_pin);
    const std::string report = std::string(ETHOS_BIN) + "/ethos-report --ledger " +
                               dir.file("l.db") + " --pin " + dir.file("pin") +
                               " --period 2020-01-01..2035-12-31 --zone UTC --format json --out " +
                               dir.file("r") + " >" + dir.file("log") + " 2>&1";
    REQUIRE(std::system(report.c_str()) == 0);
    const Outcome reported = verify_with({"--json", "--pin", dir.file("pin"), "--report",
                                          dir.file("r/report.json"), dir.file("l.db")});
    CHECK(reported.status == 3);
    CHECK(reported.out.find("goes on behind records of it that were dropped") !=
          std::string::npos);
    CHECK(
        verify_maker(story.ledger, "", story.old_pin, {"--assert", "denials < 9"}).status ==
        3);
  }
}

TEST_CASE("kept: an end that comes before the order to drop the first one is told too", "[verify]") {
  // Who can sign with the key of now only, or is held to a pin, drops what was there before.
  for (const bool rotates : {false, true}) {
    Exchanged story;
    if (rotates) story.ledger.rotate();
    story.exchange(false, false);
    const Outcome r = verify_maker(story.ledger, "", rotates ? story.ledger.pin() : story.old_pin);
    CAPTURE(rotates, r.out.substr(0, 3000));
    CHECK(r.status == 0);
    CHECK(r.json.at("pruned").at("straddled") == Json::array({kOld}));
    const Outcome asked = verify_maker(story.ledger, "", rotates ? story.ledger.pin() : story.old_pin, {"--run", kOld});
    CHECK(asked.status == 3);
    CHECK(asked.has("pruned"));
  }
}

TEST_CASE("kept: a run beside a dropped one is whole", "[verify]") {
  // The records of two runs lie between each other; one of them is dropped, and nothing is held from before.
  Exchanged story(false);
  story.ledger.go_on_behind(kOld, story.tail.back());
  const std::size_t last = story.ledger.records.size() - 1;
  Json close = Json::parse(story.ledger.records[last].bytes).at("body");
  for (std::size_t i = story.tail.back() + 1; i < last; ++i) {
    const Json record = Json::parse(story.ledger.records[i].bytes);
    if (record.at("type") == "output.captured") story.ledger.add("output.captured", record.at("body"), kOld);
  }
  close["records"] = Json::parse(story.ledger.records[story.tail.back()].bytes).at("run_seq").get<std::size_t>() + 4;
  close["denials"] = {{"acts", "4"}, {"records", 2}};
  story.ledger.add("run.close", close, kOld);
  story.ledger.checkpoint();
  std::vector<std::size_t> other;
  for (std::size_t i = story.tail.back() + 1; i <= last; ++i) other.push_back(i);
  story.tail = other;
  story.order();
  story.ledger.checkpoint();
  for (const std::size_t i : other) story.ledger.records[i].bytes.clear();
  const Outcome r = verify_maker(story.ledger, "", story.ledger.pin(), {"--run", kOld});
  CAPTURE(r.out.substr(0, 3000));
  CHECK(r.status == 0);
  CHECK_FALSE(r.json.at("pruned").contains("straddled"));
}

TEST_CASE("kept: of a run behind an order, it is said that its id may have been another's", "[verify]") {
  Exchanged story;
  story.order();
  story.ledger.checkpoint();
  RunChoices later;
  later.run = kLater;
  add_run(story.ledger, later);
  for (const std::size_t i : story.tail) story.ledger.records[i].bytes.clear();
  const Outcome r = verify_maker(story.ledger, "", "", {"--run", kLater});
  CAPTURE(r.out.substr(0, 3000));
  CHECK(r.json.at("run_known").at("behind_order") == true);
  CHECK_FALSE(verify_maker(story.ledger, "", "", {"--run", kNew}).json.at("run_known").contains("behind_order"));
}

TEST_CASE("kept: nor is it left out", "[verify]") {
  Exchanged story;
  story.order();
  story.ledger.checkpoint();
  for (const std::size_t i : story.tail) story.ledger.records[i].bytes.clear();
  const Outcome r = verify_maker(story.ledger, "", story.pin);
  CHECK(r.status == 1);
  CHECK(r.has("prune_mismatch"));
}

TEST_CASE("kept: a memory, bundles of the run and of later records tell of it too", "[verify]") {
  const TempDir dir;
  Exchanged story;
  story.ledger.write(dir.file("l.db"));
  save(dir.file("plain"), story.ledger.pin());
  save(dir.file("pin"), story.pin);
  const auto size = Json::parse(story.pin).at("min").at("size").get<std::size_t>();
  REQUIRE(verify_with({"--json", "--pin", dir.file("plain"), "--memory", dir.file("memory"),
                       dir.file("l.db")})
              .status == 0);
  story.exchange(false);
  story.ledger.write(dir.file("late.db"));
  const Outcome r = verify_with(
      {"--json", "--pin", dir.file("plain"), "--memory", dir.file("memory"), dir.file("late.db")});
  CHECK(r.status == 1);
  CHECK(r.out.find("the memory remembers that run") != std::string::npos);
  const std::string ledger = " -q --ledger " + dir.file("late.db") + " -o ";
  REQUIRE(shell("bundle" + ledger + dir.file("run") + " --run " + kOld + " --since " +
                std::to_string(size)) == 0);
  const Outcome one = verify_with({"--json", "--pin", dir.file("pin"), dir.file("run")});
  CAPTURE(one.out.substr(0, 3000));
  CHECK(one.status == 1);
  CHECK(one.has("prune_mismatch"));
  REQUIRE(shell("bundle" + ledger + dir.file("tail") + " --from " + std::to_string(size - 1)) == 0);
  const Outcome later = verify_with({"--json", "--pin", dir.file("pin"), dir.file("tail")});
  CAPTURE(later.out.substr(0, 3000));
  CHECK(later.status == 1);
  CHECK(later.has("prune_mismatch"));
}

TEST_CASE("kept: a run that was open may end later, and be dropped", "[verify]") {
  const TempDir dir;
  Exchanged story(false);
  const auto size = Json::parse(story.pin).at("min").at("size").get<std::size_t>();
  CHECK(Json::parse(story.pin).at("min").at("open") == Json::array({1}));
  story.ledger.write(dir.file("l.db"));
  save(dir.file("pin"), story.pin);
  REQUIRE(shell("pin --min -q --ledger " + dir.file("l.db") + " > " + dir.file("made")) == 0);
  CHECK(slurp(dir.file("made")) == story.pin);
  CHECK_FALSE(verify_maker(story.ledger, "", story.pin).has("prune_mismatch"));
  story.ledger.add("run.abort", {{"reason", "supervisor_gone"}}, kOld);
  story.ledger.checkpoint();
  CHECK(verify_maker(story.ledger, "", story.pin).status == 0);
  story.ledger.write(dir.file("late.db"));
  const std::string ledger = " -q --ledger " + dir.file("late.db") + " -o ";
  REQUIRE(shell("bundle" + ledger + dir.file("run") + " --run " + kOld + " --since " +
                std::to_string(size)) == 0);
  CHECK(verify_with({"--json", "--pin", dir.file("pin"), dir.file("run")}).status == 0);
  REQUIRE(shell("bundle" + ledger + dir.file("tail") + " --from " + std::to_string(size - 1)) == 0);
  CHECK_FALSE(
      verify_with({"--json", "--pin", dir.file("pin"), dir.file("tail")}).has("prune_mismatch"));
  // Numbers out of order, or too many of them, are no pin.
  for (const Json& bad : {Json::array({2, 1}), Json::array({0}), Json(1), Json::array({"1"})}) {
    Json pin = Json::parse(story.pin);
    pin["min"]["open"] = bad;
    save(dir.file("bad"), pin.dump() + "\n");
    CHECK(verify_with({"--pin", dir.file("bad"), dir.file("l.db")}).status == 2);
  }
}
