// SPDX-License-Identifier: Apache-2.0
// Ledgers of which old runs were dropped: by the book, and by hand.
#include <catch2/catch.hpp>
#include <array>
#include <cstdlib>
#include <ctime>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"
#include "verify/json.h"
#include "verify/limits.h"
#include "verify/pruned.h"
#include "verify/record.h"

using namespace ethos::support;

namespace {

constexpr const char* kOld = "caireeyuculbogazdinryhi6d4";
constexpr const char* kNew = "daireeyuculbogazdinryhi6d4";

struct Story {
  LedgerMaker ledger;
  std::vector<std::size_t> old_records;
  std::size_t order = 0;
  Json body;

  Story() {
    RunChoices choices;
    choices.denials = 1;
    add_run(ledger, choices);
    for (std::size_t i = 1; i < ledger.records.size(); ++i) old_records.push_back(i);
    RunChoices more;
    more.run = kNew;
    add_run(ledger, more);
    std::string list;
    std::int64_t from = INT64_MAX;
    std::int64_t until = INT64_MIN;
    for (const std::size_t i : old_records) {
      list += std::to_string(i) + "\n";
      const std::int64_t wall = Json::parse(ledger.records[i].bytes).at("ts").at("wall_ms");
      from = std::min(from, wall);
      until = std::max(until, wall);
    }
    body = {{"authority", "records office"}, {"below", old_records.back() + 1}, {"from_ms", from}, {"list", "sha256:" + hex(sha256(list))}, {"reason", "kept for a year"},
            {"records", old_records.size()}, {"runs", 1}, {"total", old_records.size()}, {"until_ms", until}};
  }
  void drop() {
    order = ledger.add("ledger.prune", body);
    ledger.checkpoint();
    for (const std::size_t i : old_records) ledger.records[i].bytes.clear();
  }
  [[nodiscard]] Outcome verify(const std::vector<std::string>& more = {}) const { return verify_maker(ledger, "", "", more); }
};

}  // namespace

TEST_CASE("pruned: hashes stay, and it is said who dropped what", "[verify]") {
  Story story;
  story.drop();
  const Outcome r = story.verify();
  CAPTURE(r.out.substr(0, 3000));
  CHECK(r.status == 0);
  CHECK(r.json.at("pruned").at("records") == story.old_records.size());
  CHECK(r.json.at("pruned").at("orders").at(0).at("seq") == story.order);
  CHECK(r.out.find("records office: kept for a year") != std::string::npos);
  CHECK(r.json.at("counts").at("runs") == 1);
  CHECK(r.json.at("verdicts").at(0).at("checked") == story.ledger.records.size());
}

TEST_CASE("pruned: no statement over the time of dropped runs passes", "[verify]") {
  Story story;
  story.drop();
  const Outcome r = story.verify({"--assert", "no-network"});
  CHECK(r.status == 3);
  CHECK(r.has("pruned"));
  CHECK(r.json.at("assertions").at(0).at("result") == "unknown");
  CHECK(story.verify({"--run", kNew}).status == 0);
  CHECK(story.verify({"--run", kOld}).status == 3);
  CHECK(story.verify({"--period", "1970-01-01..2038-01-01"}).has("pruned"));
  CHECK_FALSE(story.verify({"--period", "2038-01-01..2038-01-02"}).has("pruned"));
  // A failure stays one.
  Story bad;
  bad.drop();
  CHECK(bad.verify({"--assert", "not no-network"}).json.at("assertions").at(0).at("result") == "fail");
}

TEST_CASE("pruned: bytes that go without an order, or against it, are tampering", "[verify]") {
  {
    Story story;  // nobody ordered it
    for (const std::size_t i : story.old_records) story.ledger.records[i].bytes.clear();
    CHECK(story.verify().first() == "prune_mismatch");
  }
  {
    Story story;  // one more
    story.drop();
    story.ledger.records[story.old_records.back() + 3].bytes.clear();
    const Outcome r = story.verify();
    CHECK(r.status == 1);
    CHECK(r.has("prune_mismatch"));
  }
  {
    Story story;  // the genesis record, whatever the order says
    story.body["below"] = 1;
    story.drop();
    story.ledger.records[0].bytes.clear();
    CHECK(story.verify().status == 1);
  }
  for (const char* key : {"below", "records", "total", "list", "from_ms"}) {
    Story story;
    story.body[key] = std::string(key) == "list" ? Json("sha256:" + std::string(64, '0')) : std::string(key) == "from_ms" ? Json(story.body["until_ms"].get<std::int64_t>() + 1) : Json(1);
    story.drop();
    CAPTURE(key);
    CHECK(story.verify().status == 1);
  }
  {
    Story story;  // another record of the same number of them
    story.drop();
    LedgerMaker whole = Story().ledger;
    story.ledger.records[story.old_records[2]].bytes = whole.records[story.old_records[2]].bytes;
    const Outcome r = story.verify();
    CHECK(r.status == 1);
  }
  for (const char* key : {"authority", "until_ms", "list"}) {
    Story story;
    story.body.erase(key);
    story.drop();
    CHECK(story.verify().has("body_key"));
  }
}

TEST_CASE("pruned: what ethos-ledger drops, drops by the book, in the ledger and in its bundle", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  for (int i = 0; i < 25; ++i) {
    RunChoices choices;
    choices.run = std::string(1, static_cast<char>('a' + i)) + "aireeyuculbogazdinryhi6d4";
    add_run(ledger, choices);
  }
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  std::filesystem::create_directory(dir.file("l.db.keys"));
  std::filesystem::permissions(dir.file("l.db.keys"), std::filesystem::perms::owner_all);
  const TestKey& key = ledger.epochs[0];
  save(dir.file("l.db.keys/epoch-0.key"), "PRIVATE+KEY+" + key.name + "+" + hex(key.id) + "+" + base64("\x01" + key.seed) + "\n");
  std::filesystem::permissions(dir.file("l.db.keys/epoch-0.key"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const std::string program = std::string(ETHOS_BIN) + "/ethos-ledger ";
  const std::string prune = program + "prune --ledger " + dir.file("l.db") + " --below 300 --reason old --authority me >" + dir.file("log") + " 2>&1";
  const int status = std::system(prune.c_str());
  INFO(slurp(dir.file("log")));
  REQUIRE(status == 0);
  const Outcome r = verify_with({"--json", "--pin", dir.file("pin"), dir.file("l.db")});
  CAPTURE(r.out.substr(0, 2500));
  CHECK(r.status == 0);
  CHECK(r.json.at("pruned").at("records").get<int>() > 200);
  for (const char* range : {"", "--from 256 "}) {
    REQUIRE(std::system((program + "bundle --ledger " + dir.file("l.db") + " " + range + "-o " + dir.file("b") + " >/dev/null 2>&1").c_str()) == 0);
    const Outcome bundle = verify_with({"--json", "--pin", dir.file("pin"), dir.file("b")});
    CAPTURE(range, bundle.out.substr(0, 2500));
    CHECK(bundle.status == 0);
    std::filesystem::remove(dir.file("b"));
  }
  // The entries of what was dropped are in no directory of tiles (tiles.md TD-8): that is no forgery.
  REQUIRE(std::system((program + "tiles --ledger " + dir.file("l.db") + " --dir " + dir.file("t") + " >/dev/null 2>&1").c_str()) == 0);
  const Outcome tiles = verify_with({"--json", "--pin", dir.file("pin"), dir.file("t")});
  CAPTURE(tiles.out.substr(0, 2500));
  CHECK(tiles.status == 3);
  CHECK(tiles.json.at("first_bad").is_null());
  CHECK(tiles.has("tiles_missing"));
  CHECK(tiles.out.find("pruned") != std::string::npos);
}

TEST_CASE("pruned: a period with room for dropped records is not answered, whatever times the order states", "[verify]") {
  // Three days lie between the run before and the run behind; the order's times are within them.
  const auto text = [](std::int64_t ms) {
    const std::time_t seconds = ms / 1000;
    std::array<char, 11> day{};
    std::strftime(day.data(), day.size(), "%Y-%m-%d", std::gmtime(&seconds));
    return std::string(day.data()) + ".." + day.data();
  };
  constexpr std::int64_t kDay = 86'400'000;
  LedgerMaker ledger;
  RunChoices before;
  before.run = "eaireeyuculbogazdinryhi6d4";
  add_run(ledger, before);
  const std::int64_t begin = ledger.wait(0);
  const std::size_t first = ledger.records.size();
  add_run(ledger, {});
  const std::size_t behind = ledger.records.size();
  ledger.wait(3 * kDay);
  RunChoices after;
  after.run = kNew;
  add_run(ledger, after);
  std::string list;
  for (std::size_t i = first; i < behind; ++i) list += std::to_string(i) + "\n";
  const std::int64_t said = begin + 2 * kDay;  // false: they were of the first day
  ledger.add("ledger.prune", {{"authority", "me"}, {"below", behind}, {"from_ms", said}, {"list", "sha256:" + hex(sha256(list))}, {"reason", "old"},
                              {"records", behind - first}, {"runs", 1}, {"total", behind - first}, {"until_ms", said}});
  ledger.checkpoint();
  for (std::size_t i = first; i < behind; ++i) ledger.records[i].bytes.clear();
  const auto of = [&](std::int64_t ms) { return verify_maker(ledger, "", "", {"--assert", "no-network", "--period", text(ms)}); };
  CHECK(verify_maker(ledger, "", "", {}).status == 0);
  for (const std::int64_t day : {begin, begin + kDay, begin + 2 * kDay, begin + 3 * kDay}) {
    const Outcome asked = of(day);
    CAPTURE(text(day), asked.out.substr(0, 2000));
    CHECK(asked.status == 3);
    CHECK(asked.has("pruned"));
  }
  CHECK_FALSE(of(begin + 5 * kDay).has("pruned"));
  CHECK_FALSE(of(begin - 5 * kDay).has("pruned"));
}

TEST_CASE("pruned: an order that lies about times or runs is tampering", "[verify]") {
  const std::int64_t day = 86'400'000;
  for (const std::int64_t shift : {-400 * day, -day, day, 400 * day}) {
    Story story;
    for (const char* key : {"from_ms", "until_ms"}) story.body[key] = story.body[key].get<std::int64_t>() + shift;
    story.drop();
    CAPTURE(shift);
    CHECK(story.verify().status == 1);
    CHECK(story.verify({"--assert", "no-network", "--period", "2038-01-01..2038-01-02"}).status == 1);
  }
  for (const char* key : {"from_ms", "until_ms"}) {
    Story story;
    story.body[key] = story.body[key].get<std::int64_t>() + (key[0] == 'f' ? -day : day);
    story.drop();
    CHECK(story.verify().has("prune_mismatch"));
  }
  Story story;
  story.body["runs"] = story.old_records.size() / 3 + 1;
  story.drop();
  CHECK(story.verify().has("prune_mismatch"));
}

TEST_CASE("holds: nothing is dropped or erased under one of the whole ledger, and each begins and ends once", "[verify]") {
  const auto hold = [](const char* name) { return Json{{"authority", "court"}, {"name", name}, {"reason", "case 7"}}; };
  enum class What { good, dropped, dropped_after, other, erased, twice, no_such };
  for (const What what : {What::good, What::dropped, What::dropped_after, What::other, What::erased, What::twice, What::no_such}) {
    Story story;
    LedgerMaker& ledger = story.ledger;
    Json some = hold("some");
    some["runs"] = Json::array({kNew});
    bool bad = true;
    switch (what) {
      case What::good:
        ledger.add("ledger.hold", hold("h"));
        ledger.add("ledger.release", hold("h"));
        ledger.add("ledger.hold", hold("h"));
        ledger.add("ledger.hold", hold("h2"));
        bad = false;
        break;
      case What::dropped:
        ledger.add("ledger.hold", hold("h"));
        story.drop();
        break;
      case What::dropped_after:
        ledger.add("ledger.hold", hold("h"));
        ledger.add("ledger.release", hold("h"));
        story.drop();
        bad = false;
        break;
      case What::other:
        ledger.add("ledger.hold", some);
        story.drop();
        bad = false;
        break;
      case What::erased: {
        ledger.add("ledger.hold", hold("h"));
        const auto& gone = *ledger.disclosures.begin();
        ledger.add("data.erase", {{"authority", "me"}, {"reason", "r"}, {"targets", Json::array({base64(gone.first)})}});
        break;
      }
      case What::twice:
        ledger.add("ledger.hold", hold("h"));
        ledger.add("ledger.hold", hold("h"));
        break;
      case What::no_such: ledger.add("ledger.release", hold("h")); break;
    }
    ledger.checkpoint();
    const Outcome r = story.verify();
    CAPTURE(static_cast<int>(what), r.out.substr(0, 2000));
    CHECK(r.has("hold_broken") == bad);
    CHECK(r.status == (bad ? 1 : 0));
  }
}

TEST_CASE("pruned: in a bundle of later records, no more and no fewer bytes are missing than was ordered", "[verify]") {
  const auto body = ethos::verify::parse_canonical(
      R"({"authority":"a","below":90,"from_ms":0,"list":"","reason":"r","records":10,"runs":2,"total":10,"until_ms":5})", ethos::verify::kRecordLimits);
  REQUIRE(body);
  for (const auto& [dropped, unseen, fits] : {std::tuple{10, 4, true}, {7, 4, true}, {6, 4, true}, {5, 4, false}, {11, 4, false}, {0, 10, true}, {0, 9, false}}) {
    ethos::verify::PruneBook book;
    for (int i = 0; i < unseen; ++i) book.on_unseen();
    for (int i = 0; i < dropped; ++i) book.on_dropped(20 + i);
    book.on_kept(3, true);
    book.on_order(95, *body);
    ethos::verify::Findings findings;
    book.finish(ethos::verify::PruneBook::Seen::tail, findings);
    CAPTURE(dropped, unseen);
    CHECK((findings.count(ethos::verify::Code::prune_mismatch) == 0) == fits);
  }
}

TEST_CASE("seal: its numbers are those of the ledger after a pruning too", "[verify]") {
  for (const auto& [closed, open, good] :
       {std::tuple{1, 0, true}, {2, 0, true}, {0, 0, false}, {3, 0, false}, {99'999, 0, false}, {1, 1, false}, {0, 7, false}}) {
    Story story;
    story.drop();
    story.ledger.add("ledger.seal", {{"authority", "a"}, {"closed", closed}, {"open", open}, {"reason", "r"}});
    story.ledger.checkpoint();
    const Outcome r = story.verify();
    CAPTURE(closed, open, r.out.substr(0, 2000));
    CHECK(r.has("counts_mismatch") != good);
    CHECK(r.status == (good ? 0 : 1));
  }
}

TEST_CASE("seal: its numbers of runs are those of the ledger", "[verify]") {
  for (const auto& [closed, open, good] : {std::tuple{2, 0, true}, {1, 0, false}, {2, 1, false}, {0, 0, false}}) {
    Story story;
    story.ledger.add("ledger.seal", {{"authority", "a"}, {"closed", closed}, {"open", open}, {"reason", "r"}});
    story.ledger.checkpoint();
    const Outcome r = story.verify();
    CAPTURE(closed, open, r.out.substr(0, 2000));
    CHECK(r.has("counts_mismatch") != good);
    CHECK(r.status == (good ? 0 : 1));
  }
}
