// SPDX-License-Identifier: Apache-2.0
// Holds, erasures and prunings in any order: whatever is asked of the writer, its orders fit what
// it did (docs/formats/record.md ).
#include <map>
#include <random>
#include <set>

#include "ledger/erase.h"
#include "ledger/holds.h"
#include "ledger/prune.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/record.h"
#include "tests/ledger/ledger_fixture.h"

using namespace ethos;
using namespace ethos::support;
using record::Json;

namespace {

const ledger::Order kOrder{"asked for", "records office"};

using Records = std::map<std::uint64_t, record::Record>;

Records read_all(const LedgerFixture& f) {
  Records out;
  for (const std::string& bytes : f.records()) {
    auto parsed = record::parse_record(bytes);
    REQUIRE(parsed);
    const std::uint64_t seq = parsed->header.seq;
    out.emplace(seq, std::move(*parsed));
  }
  return out;
}

std::string run_of(const record::Record& r) { return r.header.run ? r.header.run->run.text() : ""; }

std::int64_t number(const record::Record& r, const char* key) {
  const Json* value = r.body.find(key, Json::Kind::integer);
  REQUIRE(value != nullptr);
  return value->as_integer();
}

// What the test knows on its own: who named which value, which runs have ended, what is held.
struct World {
  LedgerFixture f;
  ledger::Appender appender = f.appender();
  std::map<std::string, ledger::RunChain> runs;
  std::set<std::string> ended;
  std::map<std::string, std::string> named_by;         // commitment -> run
  std::map<std::string, std::set<std::string>> holds;  // none: the whole ledger
  std::uint64_t dropped = 0;
  int erasures = 0;
  int prunings = 0;

  [[nodiscard]] bool is_held(const std::string& run) const {
    for (const auto& [name, held] : holds)
      if (held.empty() || held.contains(run)) return true;
    return false;
  }

  void begin_run() {
    ledger::RunChain fresh = new_run();
    const std::string id = fresh.id.text();
    ledger::RunChain& run = runs.emplace(id, fresh).first->second;
    auto secret = record::commit_to("argv", "secret of " + id);
    REQUIRE(secret);
    named_by[secret->commitment.c.base64()] = id;
    const auto body =
        record::encode_canonical(Json::object().set("argv", secret->commitment.to_json()));
    ledger::CommitRequest request;
    request.records.push_back(pending("run.open", &run, *body));
    request.records.push_back(pending("run.gap", &run));
    request.disclosures.push_back(*secret);
    REQUIRE(appender.commit(request));
  }

  void end_run(const std::string& id) {
    if (ended.contains(id)) return;
    ledger::CommitRequest request;
    request.records.push_back(pending("run.close", &runs.at(id)));
    REQUIRE(appender.commit(request));
    ended.insert(id);
  }

  void hold(const std::string& name, const std::set<std::string>& of) {
    const bool is_new = !holds.contains(name);
    CHECK(ledger::set_hold(appender, name, of, kOrder).has_value() == is_new);
    if (is_new) holds[name] = of;
  }

  void release(const std::string& name) {
    CHECK(ledger::release_hold(appender, name, kOrder).has_value() == holds.contains(name));
    holds.erase(name);
  }

  void erase(const ledger::EraseSelector& selector) {
    auto selection = ledger::select_erasure(f.reader(), selector);
    REQUIRE(selection);
    if (selection->targets.empty()) return;
    bool is_blocked = false;
    for (const auto& target : selection->targets) is_blocked = is_blocked || is_held(target.run);
    const Records before = read_all(f);
    const auto done = ledger::erase(appender, *selection, kOrder);
    CHECK(done.has_value() == !is_blocked);
    const Records after = read_all(f);
    for (auto at = after.upper_bound(before.rbegin()->first); at != after.end(); ++at) {
      if (at->second.header.type != "data.erase") continue;
      ++erasures;
      // Never under the keys of a run: not of another one, and not of its own either.
      CHECK_FALSE(at->second.header.run);
      CHECK_FALSE(at->second.header.writer);
      const Json* targets = at->second.body.find("targets", Json::Kind::array);
      REQUIRE(targets != nullptr);
      CHECK_FALSE(targets->items().empty());
      std::string last;
      for (const Json& target : targets->items()) {
        CHECK(last < target.as_string());
        last = target.as_string();
        REQUIRE(named_by.contains(last));
        CHECK_FALSE(is_held(named_by.at(last)));
      }
    }
  }

  void prune(std::uint64_t below) {
    const std::int64_t later = f.clock.now().wall_ms + 3'600'000;
    auto selection = ledger::select_pruning(f.reader(), {.below = below}, later);
    if (!selection || selection->seqs.empty()) return;
    const Records before = read_all(f);
    const auto done = ledger::prune(appender, *selection, kOrder);
    const Records after = read_all(f);
    std::set<std::string> gone;
    std::uint64_t count = 0;
    for (const auto& [seq, r] : before) {
      if (after.contains(seq)) continue;
      CAPTURE(seq, r.header.type);
      ++count;
      // A record of the ledger itself, a hold above all, is never dropped.
      REQUIRE(r.header.run);
      gone.insert(run_of(r));
      CHECK(seq < below);
      CHECK(ended.contains(run_of(r)));
      CHECK_FALSE(is_held(run_of(r)));
    }
    REQUIRE(done.has_value() == (count > 0));
    if (!done) return;
    ++prunings;
    dropped += count;
    for (const auto& [seq, r] : after) CHECK_FALSE(gone.contains(run_of(r)));  // whole or not
    const record::Record& order = after.rbegin()->second;
    REQUIRE(order.header.type == "ledger.prune");
    CHECK(number(order, "runs") == static_cast<std::int64_t>(gone.size()));
    CHECK(number(order, "records") == static_cast<std::int64_t>(count));
    CHECK(number(order, "total") == static_cast<std::int64_t>(dropped));
    CHECK(number(order, "from_ms") <= number(order, "until_ms"));
    for (const auto& [seq, r] : before) {
      if (!gone.contains(run_of(r))) continue;
      CHECK(number(order, "from_ms") <= r.header.ts.wall_ms);
      CHECK(number(order, "until_ms") >= r.header.ts.wall_ms);
    }
  }
};

}  // namespace

TEST_CASE("orders: holds, erasures and prunings in any order fit what was done",
          "[ledger][erase][prune][property]") {
  const unsigned seed = GENERATE(1U, 2U, 3U, 4U, 5U, 6U);
  CAPTURE(seed);
  std::mt19937 rng(seed);
  World w;
  const auto any_run = [&] {
    auto at = w.runs.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(rng() % w.runs.size()));
    return at->first;
  };
  for (int i = 0; i < 6; ++i) w.begin_run();
  for (int step = 0; step < 90; ++step) {
    CAPTURE(step);
    w.f.clock.advance_ms(500);
    const std::string name = "case-" + std::to_string(rng() % 3);
    switch (rng() % 9) {
      case 0:
      case 1:
        w.begin_run();
        break;
      case 2:
      case 3:
        w.end_run(any_run());
        break;
      case 4:
        w.hold(name, rng() % 4 == 0 ? std::set<std::string>() : std::set{any_run(), any_run()});
        break;
      case 5:
        w.release(name);
        break;
      case 6:
        w.erase({.run = w.runs.at(any_run()).id});
        break;
      case 7:
        w.erase({.kinds = {"argv"}});
        break;
      default:
        w.prune(1 + rng() % w.f.reader().size());
        break;
    }
  }
  w.holds.empty() ? void() : w.release(w.holds.begin()->first);
  w.prune(w.f.reader().size());
  CHECK(w.erasures > 0);
  CHECK(w.prunings > 0);
}
