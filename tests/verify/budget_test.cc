// SPDX-License-Identifier: Apache-2.0
// Evidence that is made to take long, by anybody: runs are judged whoever signed them. Each bound
// answers with a verdict of its own, and no time is measured here.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"
#include "verify/audit.h"
#include "verify/grant_bounds.h"
#include "verify/grants.h"
#include "verify/input.h"
#include "verify/limits.h"

using namespace ethos::support;

namespace {

// What is said of a normal form after a change.
std::string told(const std::function<void(Json&)>& change) {
  Json normal = Json::parse(policy_member("02-linter.json", "normal"));
  change(normal);
  const auto parsed = ethos::verify::parse_canonical(normal.dump(), ethos::verify::kDocumentLimits);
  REQUIRE(parsed.ok());
  return ethos::verify::check_normal(*parsed);
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

Json texts(const std::string& head, std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(head + std::to_string(10000 + i));
  return out;
}

struct Judged {
  std::vector<ethos::verify::RunPolicy> policies;
  std::vector<std::string> why;
  std::vector<std::string> problems;  // texts

  [[nodiscard]] std::size_t count(const std::string& text) const {
    return static_cast<std::size_t>(std::count(problems.begin(), problems.end(), text));
  }
};

// Everything about a ledger, with a budget that small inputs use up.
Judged judge(const LedgerMaker& ledger, const ethos::verify::DocumentBudget& budget) {
  const TempDir dir;
  ledger.write(dir.file("l.db"));
  ethos::verify::Findings findings;
  std::string kind;
  auto source = ethos::verify::open_input(dir.file("l.db"), kind, findings);
  REQUIRE(source.ok());
  Judged out;
  ethos::verify::AuditOptions options;
  options.documents = budget;
  options.on_run = [&](const ethos::verify::RunEvidence&,
                       const ethos::verify::RunJudgement& judgement) {
    out.policies.push_back(judgement.policy);
    out.why.push_back(judgement.why);
  };
  const auto report = ethos::verify::audit(source->get(), std::move(findings), options);
  for (const auto& problem : report.findings.kept()) out.problems.push_back(problem.text);
  return out;
}

// Longer than what is kept from the record that names it to the end of its run.
constexpr std::size_t kLong = 20'000;

// An argument vector of one long value, which all of these runs name.
LedgerMaker runs_with_argv(int count) {
  LedgerMaker ledger;
  const Json normal = Json::parse(policy_member("02-linter.json", "normal"));
  std::string argv;
  for (const Json& word : normal.at("command"))
    argv += word.get<std::string>() + std::string(1, '\0');
  const auto words = normal.at("command").size() + kLong / 2;
  const Json commitment = ledger.commit("argv", argv + repeated(std::string("a\0", 2), kLong / 2));
  for (int i = 0; i < count; ++i) {
    RunChoices choices;
    choices.vector = "02-linter";
    choices.run[0] = static_cast<char>('c' + i);
    choices.patch["run.open"] = {{"argc", words}, {"argv", commitment}};
    add_run(ledger, choices);
  }
  return ledger;
}

constexpr const char* kTooOften =
    "its documents are long, and such were named too often to be read again";

}  // namespace

TEST_CASE("budget: patterns of `hide` times components of paths", "[verify]") {
  const std::string too_many =
      "the paths and the patterns of `hide` have more components than any declaration gives";
  // 16 times 512 components of patterns, 2,048 of paths: just so.
  const auto with = [&](std::size_t components, std::size_t patterns) {
    return told([&](Json& normal) {
      normal["write"] = Json::array();
      normal["exec"] = Json::array();
      normal["read"] = {{{"optional", false}, {"path", repeated("a/", components - 1) + "a"}}};
      normal["hide"] = Json::array();
      for (std::size_t i = 0; i < patterns; ++i)
        normal["hide"].push_back(repeated("/a", 510) + "/" + std::to_string(10 + i));
    });
  };
  CHECK(with(2048, 16).empty());
  CHECK(with(2048, 17) == too_many);
  CHECK(with(2047, 16).empty());
  // Many paths count together.
  CHECK(told([&](Json& normal) {
          normal["read"] = Json::array();
          for (int i = 0; i < 33; ++i)
            normal["read"].push_back(
                {{"optional", true}, {"path", repeated("a/", 2039) + std::to_string(10 + i)}});
        }) == "the paths have more components than any declaration gives");
  // A run that is signed by whomever fails by it.
  LedgerMaker ledger;
  RunChoices choices;
  Json normal = Json::parse(policy_member("01-defaults.json", "normal"));
  normal["hide"] = texts("/" + repeated("**/a/", 200) + "b", 1000);
  normal["read"] = {{{"optional", true}, {"path", repeated("a/", 2000) + "a"}}};
  choices.members["normal"] = normal.dump();
  add_run(ledger, choices);
  const Outcome r = verify_maker(ledger);
  CHECK(r.status == 1);
  CHECK(r.has("normal_mismatch"));
  CHECK(r.out.find(too_many) != std::string::npos);
}

TEST_CASE("budget: ceilings, their lists, and names of the environment", "[verify]") {
  const auto ceilings = [](std::size_t count, std::size_t patterns) {
    return told([&](Json& normal) {
      for (std::size_t i = 1; i < count; ++i)
        normal["ceilings"].push_back(
            {{"env_deny", texts("X*Y", patterns)}, {"name", "c" + std::to_string(i)}});
    });
  };
  CHECK(ceilings(4, 256).empty());
  CHECK(ceilings(5, 1) == "`ceilings` has more entries than any declaration gives");
  CHECK(ceilings(2, 1025) == "`ceilings` has more entries than any declaration gives");
  CHECK_FALSE(ceilings(2, 257).empty());
  CHECK(told([](Json& normal) {
          normal["env"] = Json::array();
          for (const Json& name : texts("A", 1025)) normal["env"].push_back({{"name", name}});
        }) == "`env` has more entries than any declaration gives");
  // What is left is bounded for all runs together.
  const std::string why =
      "its ceilings and its environment are too long to be held against each other";
  LedgerMaker ledger;
  for (const char* observe : {"1", "2"}) {
    RunChoices choices;
    choices.vector = "14-env";
    choices.run[0] = static_cast<char>('b' + observe[0] - '0');
    // Another kernel: what was found for the first run says nothing of the second.
    Json facts = Json::parse(policy_member("14-env.json", "facts"));
    facts["host"]["kernel"] = std::string("6.1.") + observe;
    choices.members["facts"] = facts.dump();
    add_run(ledger, choices);
  }
  const Judged all = judge(ledger, {});
  REQUIRE(all.policies.size() == 2);
  for (const auto policy : all.policies) CHECK(policy == ethos::verify::RunPolicy::pass);
  const Judged one = judge(ledger, {.free = 0, .most = 0});
  REQUIRE(one.policies.size() == 2);
  CHECK(one.policies[0] == ethos::verify::RunPolicy::pass);
  CHECK(one.policies[1] == ethos::verify::RunPolicy::unknown);
  CHECK(one.why[1] == why);
}

TEST_CASE("budget: long documents that many runs name", "[verify]") {
  const LedgerMaker ledger = runs_with_argv(4);
  const Judged all = judge(ledger, {});
  REQUIRE(all.policies.size() == 4);
  for (const auto policy : all.policies) CHECK(policy == ethos::verify::RunPolicy::pass);
  // Once for nothing, once for all that the budget has; then it is unknown, and nothing else.
  const Judged few = judge(ledger, {.free = kLong / 2, .most = 0, .opens = 1});
  REQUIRE(few.policies.size() == 4);
  for (std::size_t i = 0; i < few.policies.size(); ++i) {
    CAPTURE(i);
    CHECK((few.policies[i] == ethos::verify::RunPolicy::pass) == (i < 2));
    if (i < 2) continue;
    CHECK(few.policies[i] == ethos::verify::RunPolicy::unknown);
    CHECK(few.why[i] == kTooOften);
  }
  // Short ones are always read.
  const Judged small = judge(ledger, {.free = 3 * kLong, .most = 0, .opens = 0});
  for (const auto policy : small.policies) CHECK(policy == ethos::verify::RunPolicy::pass);
}

// Every document that a run names counts, and none is taken for right because it was not read.
TEST_CASE("budget: each of the documents of a run", "[verify]") {
  for (const char* what : {"execs", "mounts", "decision"}) {
    CAPTURE(what);
    LedgerMaker ledger;
    const Json commitment = ledger.commit(what, "[" + repeated(" ", kLong) + "]");
    for (int i = 0; i < 3; ++i) {
      RunChoices choices;
      choices.vector = "02-linter";
      choices.run[0] = static_cast<char>('c' + i);
      if (what == std::string("execs"))
        choices.patch["run.close"] = {{"execs", {{"list", commitment}, {"total", "3"}}}};
      if (what == std::string("mounts"))
        choices.patch["sandbox.enforced"] = {{"k", {{"mounts", commitment}}}};
      if (what == std::string("decision"))
        choices.patch["run.open"] = {{"decision",
                                      {{"authenticated", false},
                                       {"doc", commitment},
                                       {"policy", "a/1"},
                                       {"verdict", "allow"}}}};
      add_run(ledger, choices);
    }
    const Judged judged = judge(ledger, {.free = kLong / 2, .most = 0, .opens = 1});
    REQUIRE(judged.policies.size() == 3);
    const bool is_table = what == std::string("mounts");
    CHECK(judged.policies[0] != ethos::verify::RunPolicy::pass);
    CHECK(judged.policies[2] == ethos::verify::RunPolicy::unknown);
    CHECK(judged.why[2] == (is_table ? "the mount table is not disclosed" : kTooOften));
  }
}

// The length that a record states may be a lie, told again and again.
TEST_CASE("budget: a long value of which records state a short length", "[verify]") {
  LedgerMaker ledger;
  Json commitment = ledger.commit("argv", repeated(std::string("a\0", 2), kLong));
  commitment["n"] = 5;
  RunChoices choices;
  choices.vector = "02-linter";
  choices.patch["run.open"] = {{"argv", commitment}};
  add_run(ledger, choices);
  const Outcome r = verify_maker(ledger);
  CHECK(r.status == 1);
  CHECK(r.has("disclosure_mismatch"));
}

TEST_CASE("budget: paths behind commitments, and the workspace's", "[verify]") {
  const auto workspace = [](const std::string& path) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "02-linter";
    choices.patch["run.open"] = {{"workspace", {{"path", ledger.commit("workspace", path)}}}};
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  CHECK(workspace("/opt/proj").status == 0);
  for (const std::string& path :
       {std::string("opt/proj"), std::string("/opt/proj/"), std::string("/opt//proj"),
        std::string("/opt/./proj"), std::string("/opt/../proj"), std::string(),
        "/" + repeated("a/", 3000) + "a"}) {
    CAPTURE(path.substr(0, 40));
    const Outcome r = workspace(path);
    CHECK(r.status == 1);
    CHECK(r.has("contradiction"));
  }
  const auto artifact = [](std::size_t length) {
    LedgerMaker ledger;
    const Json path = {{"base", "host"},
                       {"commit", ledger.commit("path", "root/" + std::string(length - 5, 'a'))}};
    RunChoices choices;
    choices.vector = "29-home-write";
    choices.more = {{"artifact.exported",
                     {{"action", "created"},
                      {"grant", path},
                      {"path", path},
                      {"sha256", "sha256:" + std::string(64, 'a')},
                      {"size", "3"},
                      {"type", "file"}}}};
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  CHECK_FALSE(artifact(16384).has("body_type"));
  CHECK(artifact(16385).has("body_type"));
}

TEST_CASE("budget: long lists of results that many records name", "[verify]") {
  const std::string text = "its list of results was not counted: longer ones were named too often";
  LedgerMaker ledger;
  const Json list = ledger.commit("sarif", repeated("sha256:" + std::string(64, 'a') + "\n", 1000));
  for (const char* run :
       {"caireeyuculbogazdinryhi6d4", "daireeyuculbogazdinryhi6d4", "eaireeyuculbogazdinryhi6d4"}) {
    RunChoices choices;
    choices.vector = "02-linter";
    choices.run = run;
    add_run(ledger, choices);
    ledger.add("sarif.written",
               {{"converter", {{"product", "0.1.0"}, {"status", 0}}},
                {"list", list},
                {"results", 1000},
                {"sha256", "sha256:" + std::string(64, 'b')}},
               run);
  }
  ledger.checkpoint();
  CHECK(judge(ledger, {}).count(text) == 0);
  // Shorter documents than the lists are free, so that nothing but the lists counts: once for
  // nothing, once for all that the budget has.
  const ethos::verify::DocumentBudget budget{.free = 72'000 - 1, .most = 0, .opens = 1};
  const Judged judged = judge(ledger, budget);
  CHECK(judged.count(text) == 1);
  for (const auto policy : judged.policies) CHECK(policy == ethos::verify::RunPolicy::pass);
}

TEST_CASE("budget: files of millions of empty values beside the evidence", "[verify]") {
  std::string zeros = "0";
  while (zeros.size() < 2'000'001) zeros += ",0";
  const auto grants = ethos::verify::GrantFile::parse("[" + zeros + "]");
  REQUIRE_FALSE(grants);
  CHECK(grants.error().what == "more values than are kept of it");
  const TempDir dir;
  save(dir.file("s"), R"({"payload":[)" + zeros + "]}");
  const std::string signer = LedgerMaker().epochs.at(0).vkey;
  const Outcome r = verify_with({"--check-attest", dir.file("s"), "--signer", signer});
  CAPTURE(r.err);
  CHECK(r.status == 2);
  CHECK(r.err.find("more values than are kept of it") != std::string::npos);
}

// A few pages that name each other have more rows than anybody can read.
TEST_CASE("budget: a table whose pages name each other", "[verify]") {
  LedgerMaker ledger;
  for (int i = 0; i < 4; ++i) {
    RunChoices choices;
    choices.run[0] = static_cast<char>('c' + i);
    choices.denials = 20;
    add_run(ledger, choices);
  }
  const TempDir dir;
  ledger.write(dir.file("good.db"));
  save(dir.file("pin"), ledger.pin());
  const std::string good = slurp(dir.file("good.db"));
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      out = out << 8U | static_cast<unsigned char>(good.at(at + i));
    return out;
  };
  const auto put = [](std::string& file, std::size_t at, std::size_t page) {
    for (std::size_t i = 0; i < 4; ++i)
      file.at(at + i) = static_cast<char>(page >> (24 - 8 * i) & 0xffU);
  };
  constexpr std::size_t kPage = 4096;
  constexpr char kInterior = 5;
  std::size_t tables = 0;
  for (std::size_t page = 2; page <= good.size() / kPage; ++page) {
    const std::size_t start = (page - 1) * kPage;
    if (good[start] != kInterior) continue;
    ++tables;
    const std::size_t cells = number(start + 3, 2);
    REQUIRE(cells > 0);
    const std::size_t first = start + number(start + 12, 2);
    // All its children are its first one; or it itself: 20 levels of that have no end.
    for (const std::size_t child : {number(first, 4), page}) {
      std::string bad = good;
      for (std::size_t i = 0; i < cells; ++i)
        put(bad, start + number(start + 12 + 2 * i, 2), child);
      put(bad, start + 8, child);
      save(dir.file("bad.db"), bad);
      const Outcome r = verify_with({"--json", "--pin", dir.file("pin"), dir.file("bad.db")});
      CAPTURE(page, child, r.err, r.out.substr(0, 500));
      CHECK(r.status == 1);
      CHECK(r.has("integrity_check"));
    }
  }
  CHECK(tables > 1);
}
