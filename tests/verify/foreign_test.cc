// SPDX-License-Identifier: Apache-2.0
// Records of a later version: not tampering, and nothing that could be judged.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

constexpr const char* kOther = "eaireeyuculbogazdinryhi6d4";

LedgerMaker two_runs() {
  LedgerMaker ledger;
  RunChoices choices;
  choices.denials = 2;
  add_run(ledger, choices);
  choices.run = kOther;
  add_run(ledger, choices);
  return ledger;
}

// A copy of record `at` put in after it and changed; the run's end counts it.
LedgerMaker with_record(std::size_t at, const std::function<void(Json&)>& change) {
  LedgerMaker ledger = two_runs();
  Json record = Json::parse(ledger.records[at].bytes);
  const std::string type = record.at("type").get<std::string>();
  change(record);
  ledger.records.insert(ledger.records.begin() + static_cast<std::ptrdiff_t>(at) + 1, {record.dump(), ""});
  for (std::size_t i = at + 2; i < ledger.records.size() && record.contains("run") && type != "run.close"; ++i) {
    Json later = Json::parse(ledger.records[i].bytes);
    if (later.at("type") != "run.close" || later.at("run") != record.at("run")) continue;
    later["body"]["records"] = later["body"]["records"].get<int>() + 1;
    ledger.records[i].bytes = later.dump();
  }
  ledger.rehash_and_resign();
  return ledger;
}

void unverifiable(const LedgerMaker& ledger, const std::string& code) {
  const Outcome r = verify_maker(ledger);
  CAPTURE(r.status, r.first(), r.json.at("problems").dump());
  CHECK(r.status == 3);
  CHECK(r.has(code));
  CHECK(r.verdict("integrity") == "unknown");
  CHECK(r.verdict("signatures") == "pass");
}

}  // namespace

TEST_CASE("foreign: a record of an unknown type or version, anywhere in a run, is not tampering", "[verify]") {
  const std::size_t records = two_runs().records.size();
  for (std::size_t at = 0; at < records; ++at) {
    CAPTURE(at);
    unverifiable(with_record(at, [](Json& r) { r["type"] = "future.thing"; }), "unknown_type");
    if (at > 0) unverifiable(with_record(at, [](Json& r) { r["v"] = 2; }), "unknown_version");
    unverifiable(with_record(at, [](Json& r) {
                   r["v"] = 3;
                   r["zone"] = "UTC";
                   r["body"] = {{"whatever", true}};
                 }), "unknown_version");
  }
  unverifiable(with_record(0, [](Json& r) { r["type"] = "ledger.upgrade"; r["body"] = Json::object(); }), "unknown_type");
}

TEST_CASE("foreign: a known record that became one of another version is not tampering either", "[verify]") {
  LedgerMaker good = two_runs();
  for (std::size_t at = 0; at < good.records.size(); ++at) {
    LedgerMaker ledger = good;
    Json record = Json::parse(ledger.records[at].bytes);
    record["v"] = 2;
    ledger.records[at].bytes = record.dump();
    ledger.rehash_and_resign();
    CAPTURE(at);
    if (at > 0) {
      unverifiable(ledger, "unknown_version");
      continue;
    }
    const Outcome r = verify_maker(ledger);  // without record 0 there are no keys either
    CHECK(r.status == 3);
    CHECK(r.verdict("signatures") == "unknown");
    CHECK(verify_maker(ledger, "", good.pin()).status == 1);
  }
  Json genesis = Json::parse(good.records[0].bytes);
  genesis["body"]["format"] = 2;
  good.records[0].bytes = genesis.dump();
  good.rehash_and_resign();
  CHECK(verify_maker(good).status == 3);
}

TEST_CASE("foreign: the run it is in is not judged, the others are", "[verify]") {
  const Outcome r = verify_maker(with_record(3, [](Json& record) { record["type"] = "future.thing"; }));
  CHECK(r.json.at("runs").at(0).at("policy") == "unknown");
  CHECK(r.json.at("runs").at(1).at("policy") == "pass");
}

TEST_CASE("foreign: --bad-runs lists only what does not pass, and judges the same", "[verify]") {
  const LedgerMaker ledger = with_record(3, [](Json& record) { record["type"] = "future.thing"; });
  const Outcome all = verify_maker(ledger);
  const Outcome bad = verify_maker(ledger, "", "", {"--bad-runs"});
  REQUIRE(all.json.at("runs").size() == 2);
  Json first = all.json.at("runs").at(0);
  first.erase("used");
  CHECK(bad.json.at("runs") == Json::array({first}));
  CHECK(bad.status == all.status);
  for (const auto& [key, value] : all.json.items()) {
    if (key != "runs" && key != "input" && key != "inputs") CHECK(bad.json.at(key) == value);
  }
  CHECK(verify_with({"--bad-runs", "l.db"}).status == 2);
}

TEST_CASE("foreign: what is tampered beside one is still named", "[verify]") {
  LedgerMaker ledger = with_record(3, [](Json& record) { record["type"] = "future.thing"; });
  LedgerMaker cut = ledger;
  cut.records.erase(cut.records.begin() + 6);
  CHECK(verify_maker(cut).status == 1);
  LedgerMaker unlinked = ledger;
  Json record = Json::parse(unlinked.records[4].bytes);
  record["run_seq"] = 9;
  unlinked.records[4].bytes = record.dump();
  CHECK(verify_maker(unlinked).status == 1);
  LedgerMaker other = ledger;
  Json end = Json::parse(other.records.back().bytes);
  end["body"]["gaps"] = 3;
  other.records.back().bytes = end.dump();
  other.rehash_and_resign();
  CHECK(verify_maker(other).status == 1);
}
