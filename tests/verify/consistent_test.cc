// SPDX-License-Identifier: Apache-2.0
// What the records of one run say of each other, where each of them alone would be right.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

void refused(const Outcome& r, const std::string& code) {
  CAPTURE(r.status, r.out);
  CHECK(r.status == 1);
  CHECK(r.has(code));
  CHECK(r.verdict("policy") == "fail");
}

}  // namespace

TEST_CASE("made up: a denial of a call that the filter tells nobody of", "[verify]") {
  const auto denied = [](const char* operation, int nr) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "02-linter";
    choices.more = {{"runtime.sandbox_denial",
                     {{"count", 1},
                      {"errno", 13},
                      {"mark", "K"},
                      {"operation", operation},
                      {"outcome", "denied"},
                      {"phase", "run"},
                      {"rule", "syscall"},
                      {"source", "seccomp"},
                      {"syscall", {{"arch", "x86_64"}, {"nr", nr}}}}}};
    choices.patch["run.close"] = {{"denials", {{"acts", "1"}, {"records", 1}}}};
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  CHECK(denied("openat", 257).status == 0);
  CHECK(denied("mkdir", 83).status == 0);
  // One that the test's filter lets through, and one that it refuses by itself.
  refused(denied("read", 0), "contradiction");
  refused(denied("memfd_create", 319), "contradiction");
  refused(denied("clone", 56), "contradiction");
}

TEST_CASE("made up: one run started more programs than can be", "[verify]") {
  const auto starts = [](const std::string& count) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "02-linter";
    const std::string list =
        R"([{"count":")" + count + R"(","path":{"base":"system","path":"usr/bin/shellcheck"}}])";
    choices.patch["run.close"] = {
        {"execs", {{"list", ledger.commit("execs", list)}, {"total", count}}}};
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  CHECK_FALSE(starts("2000000000").has("contradiction"));
  refused(starts("9007199254740992"), "contradiction");
  refused(starts("18446744073709551615"), "contradiction");
}

TEST_CASE("made up: a reason of a refusal that is told more than once", "[verify]") {
  for (const int count : {1, 5}) {
    LedgerMaker ledger;
    add_refused_run(ledger, "caireeyuculbogazdinryhi6d4");
    for (auto& record : ledger.records) {
      Json json = Json::parse(record.bytes);
      if (json.at("type") != "runtime.sandbox_denial") continue;
      json["body"]["count"] = count;
      record.bytes = json.dump();
    }
    ledger.rehash_and_resign();
    const Outcome r = verify_maker(ledger);
    CAPTURE(count, r.out);
    CHECK(r.has("contradiction") == (count > 1));
  }
}

TEST_CASE("made up: a short list of a grant behind a commitment", "[verify]") {
  const auto with = [](const std::string& vector, const std::string& cap, const std::string& key) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = vector;
    for (const Json& grant : Json::parse(policy_member(vector + ".json", "grants"))) {
      if (grant.at("cap") != cap) continue;
      choices.patch["grant " + cap] = {{key, ledger.commit("list", grant.at(key).dump())}};
    }
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  refused(with("02-linter", "fs.hide", "patterns"), "grant_mismatch");
  refused(with("02-linter", "env", "pass"), "grant_mismatch");
  refused(with("02-linter", "env", "fixed"), "grant_mismatch");
}

TEST_CASE("made up: the cage's own lists in another order or form", "[verify]") {
  const auto cage = [](const char* key, const Json& value) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "05-no-cgroup";
    choices.patch["sandbox.enforced"] = {{key, value}};
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  Json named;
  {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "05-no-cgroup";
    add_run(ledger, choices);
    CHECK(verify_maker(ledger).status == 0);
    for (const auto& record : ledger.records) {
      const Json json = Json::parse(record.bytes);
      if (json.at("type") == "sandbox.enforced") named = json.at("body").at("weaker");
    }
  }
  REQUIRE(named.size() > 1);
  Json turned = named;
  std::reverse(turned.begin(), turned.end());
  refused(cage("weaker", turned), "enforced_mismatch");
  // A table of mounts with keys of its own, or a place that is none.
  const auto mounts = [](const std::function<void(Json&)>& change) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "02-linter";
    choices.mounts = Json::array();
    const Json plan = Json::parse(policy_member("02-linter.json", "plan"));
    for (const Json& mount : plan.at("mounts")) {
      Json entry = {{"dev", "0:1"},
                    {"flags", mount.at("flags")},
                    {"kind", mount.at("kind")},
                    {"where", mount.at("where")}};
      change(entry);
      choices.mounts.push_back(entry);
    }
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  CHECK(mounts([](Json&) {}).status == 0);
  refused(mounts([](Json& entry) { entry["root"] = "/root"; }), "enforced_mismatch");
  refused(mounts([](Json& entry) { entry["where"]["note"] = "x"; }), "enforced_mismatch");
}
