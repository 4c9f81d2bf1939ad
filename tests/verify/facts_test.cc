// SPDX-License-Identifier: Apache-2.0
// Facts that no look at a host can give, and the identity that a cage kept.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"
#include "verify/grants.h"
#include "verify/limits.h"
#include "verify/plan.h"

using namespace ethos::support;

namespace {

// What is said of the facts of a vector after a change.
std::string told(const std::string& vector, const std::function<void(Json&)>& change) {
  Json facts = Json::parse(policy_member(vector + ".json", "facts"));
  change(facts);
  const auto parsed = ethos::verify::parse_canonical(facts.dump(), ethos::verify::kDocumentLimits);
  const auto normal = ethos::verify::parse_canonical(policy_member(vector + ".json", "normal"),
                                                     ethos::verify::kDocumentLimits);
  REQUIRE(parsed.ok());
  REQUIRE(normal.ok());
  return ethos::verify::check_facts(*parsed, *normal);
}

Json place(const char* at) { return {{"at", at}, {"dev", "1"}, {"ino", "2"}}; }

}  // namespace

TEST_CASE("facts: the base runtime is a few places and no other", "[verify]") {
  const auto with = [](const char* list, const Json& entry) {
    return told("02-linter", [&](Json& facts) {
      Json& entries = facts["system"][list];
      entries.push_back(entry);
      std::sort(entries.begin(), entries.end(),
                [](const Json& a, const Json& b) { return a.at("at") < b.at("at"); });
    });
  };
  CHECK(told("02-linter", [](Json&) {}).empty());
  CHECK(with("dirs", place("/libx32")).empty());
  for (const char* at : {"/root", "/home/alice", "/", "/usr/local", "/etc", "/opt", "/var"}) {
    CAPTURE(at);
    CHECK(with("dirs", place(at)) == std::string("the base runtime has no such place: ") + at);
    Json etc = place(at);
    etc["type"] = "dir";
    CHECK_FALSE(with("etc", etc).empty());
    CHECK_FALSE(with("links", {{"at", at}, {"to", "x"}}).empty());
  }
  CHECK_FALSE(with("dirs", place("/usr")).empty());
  CHECK_FALSE(with("links", {{"at", "/usr"}, {"to", "usr2"}}).empty());
  CHECK_FALSE(told("02-linter", [](Json& facts) {
                facts["system"]["etc"] = Json::array();
                facts["system"]["links"] = {{{"at", "/etc/localtime"}, {"to", "/root/x"}}};
              }).empty());
}

TEST_CASE("facts: a repository in a workspace that is shown is hidden where git is none",
          "[verify]") {
  const auto layout = [](Json& facts) {
    facts["git"] = {{"dev", "1"}, {"ino", "2"}, {"layout", "directory"}};
  };
  const auto hide = [](Json& facts) {
    facts["hides"] = {
        {{"by", "git"}, {"path", {{"base", "workspace"}, {"path", ".git"}}}, {"type", "dir"}}};
  };
  const auto both = [&](Json& facts) {
    layout(facts);
    hide(facts);
  };
  const auto only = [&](Json& facts) {
    layout(facts);
    facts["hides"] = Json::array();
  };
  // Something was found there, so it was looked at.
  const auto other = [&](Json& facts) {
    layout(facts);
    facts["hides"] = {
        {{"by", "hide"}, {"path", {{"base", "workspace"}, {"path", ".env"}}}, {"type", "file"}}};
  };
  CHECK(told("01-defaults", both).empty());
  CHECK(told("01-defaults", other) ==
        "the workspace was shown with its .git, which `git` none hides");
  CHECK(told("01-defaults", only).empty());  // the next test
  for (const char* key : {"dev", "ino"}) {
    CHECK_FALSE(told("01-defaults", [&](Json& facts) {
                  both(facts);
                  facts["git"].erase(key);
                }).empty());
    CHECK_FALSE(told("01-defaults", [&](Json& facts) {
                  facts["git"] = {{key, "1"}, {"layout", "none"}};
                }).empty());
  }
  CHECK(told("01-defaults", [&](Json& facts) {
          both(facts);
          facts["git"]["dev"] = facts["workspace"]["dev"];
          facts["git"]["ino"] = facts["workspace"]["ino"];
        }) == "`git` is the workspace itself");
  CHECK(told("12-git-read", [&](Json& facts) { facts["hides"] = Json::array(); }).empty());
  CHECK_FALSE(told("01-defaults", [&](Json& facts) {
                both(facts);
                facts["hides"].push_back(facts["hides"][0]);
              }).empty());
}

// Programs of before passed over a directory that may be entered and not listed: such a ledger is
// honest, and nobody can tell whether the tool could read .git/config there.
TEST_CASE("facts: a workspace of which nothing is hidden may have been one that nobody could list",
          "[verify]") {
  const auto run = [](const Json& hides) {
    Json facts = Json::parse(policy_member("01-defaults.json", "facts"));
    facts["git"] = {{"dev", "1"}, {"ino", "2"}, {"layout", "directory"}};
    facts["hides"] = hides;
    const auto f = ethos::verify::parse_canonical(facts.dump(), ethos::verify::kDocumentLimits);
    const auto n = ethos::verify::parse_canonical(policy_member("01-defaults.json", "normal"),
                                                  ethos::verify::kDocumentLimits);
    REQUIRE(f.ok());
    REQUIRE(n.ok());
    const auto grants = ethos::verify::compute_grants(*n, *f);
    REQUIRE(grants.reasons.empty());
    LedgerMaker ledger;
    RunChoices choices;
    choices.members["facts"] = facts.dump();
    choices.members["grants"] = ethos::verify::encode_canonical(
        ethos::verify::Value::array(std::vector<ethos::verify::Value>(grants.grants)));
    choices.members["plan"] =
        ethos::verify::encode_canonical(ethos::verify::compute_plan(*n, *f, grants.grants));
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  const Json git = {
      {"by", "git"}, {"path", {{"base", "workspace"}, {"path", ".git"}}}, {"type", "dir"}};
  const Json other = {
      {"by", "hide"}, {"path", {{"base", "workspace"}, {"path", ".env"}}}, {"type", "file"}};
  CHECK(run(Json::array({git})).status == 0);
  const Outcome old = run(Json::array());
  CAPTURE(old.out);
  CHECK(old.status == 3);
  CHECK(old.verdict("policy") == "unknown");
  CHECK(old.has("not_recomputed"));
  CHECK(old.json.at("first_bad").is_null());
  CHECK(run(Json::array({other})).has("grant_mismatch"));
}

TEST_CASE("facts: the declaration is never to be written, and lists have one order", "[verify]") {
  const Json own = {{"base", "workspace"}, {"path", "ethos.json"}};
  CHECK_FALSE(told("11-write-all", [](Json& facts) { facts["policy"] = Json::array(); }).empty());
  CHECK_FALSE(told("11-write-all", [&](Json& facts) { facts["policy"] = {own, own}; }).empty());
  CHECK(told("11-write-all", [&](Json& facts) {
          facts["policy"] = {own, {{"base", "workspace"}, {"path", "x.json"}}};
        }).empty());
  CHECK_FALSE(told("11-write-all", [&](Json& facts) {
                facts["policy"] = {{{"base", "workspace"}, {"path", "x.json"}}};
              }).empty());
  CHECK_FALSE(told("11-write-all", [](Json& facts) { facts["host"]["groups"] = {7, 5}; }).empty());
  CHECK_FALSE(told("11-write-all", [](Json& facts) {
                facts["host"]["cgroup_controllers"] = {"pids", "cpu"};
              }).empty());
}

TEST_CASE("facts: the path `.` is the workspace", "[verify]") {
  CHECK(told("01-defaults", [](Json& facts) {
          for (Json& path : facts["paths"]) {
            if (path["asked"] == ".") path["ino"] = "999";
          }
        }) == "the path `.` is another directory than the workspace");
}

TEST_CASE("cage: supplementary groups behind a commitment are looked at", "[verify]") {
  const auto with = [](const Json& groups, bool disclose, std::size_t padding) {
    LedgerMaker ledger;
    std::string bytes = groups.dump();
    Json commitment = ledger.commit("list", bytes, disclose);
    if (padding > 0) commitment["n"] = padding;
    RunChoices choices;
    choices.vector = "05-no-cgroup";
    choices.patch["sandbox.enforced"] = {{"k", {{"groups", commitment}}}};
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  Json many = Json::array();
  for (int i = 0; i < 1500; ++i) many.push_back(i);
  // Groups that the supervisor did not have.
  const Outcome foreign = with(many, true, 0);
  CHECK(foreign.status == 1);
  CHECK(foreign.has("enforced_mismatch"));
  // A short list has room in the record.
  const Json own = Json::parse(policy_member("05-no-cgroup.json", "facts")).at("host").at("groups");
  CHECK(with(own, true, 0).has("enforced_mismatch"));
  // What is withheld is not taken for right.
  const Outcome withheld = with(many, false, 0);
  CHECK(withheld.status != 0);
  CHECK(withheld.has("not_recomputed"));
}
