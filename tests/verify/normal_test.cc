// SPDX-License-Identifier: Apache-2.0
// Normal forms that no declaration and no command line give, and what was started in a cage.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"
#include "verify/grants.h"
#include "verify/limits.h"
#include "verify/normal_rules.h"

using namespace ethos::support;

namespace {

ethos::verify::Value changed(const std::string& vector, const std::function<void(Json&)>& change) {
  Json normal = Json::parse(policy_member(vector + ".json", "normal"));
  change(normal);
  auto parsed = ethos::verify::parse_canonical(normal.dump(), ethos::verify::kDocumentLimits);
  REQUIRE(parsed.ok());
  return *std::move(parsed);
}

std::string told(const std::string& vector, const std::function<void(Json&)>& change) {
  return ethos::verify::check_normal(changed(vector, change));
}

// What an ad hoc run of `sh` has.
std::string options(const std::function<void(Json&)>& change) {
  return told("01-defaults", [&](Json& normal) {
    normal["origin"] = "options";
    normal["command"] = {"/usr/bin/sh"};
    normal["tool"] = "sh";
    change(normal);
  });
}

Outcome linter(const std::function<void(LedgerMaker&, RunChoices&)>& change) {
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "02-linter";
  change(ledger, choices);
  add_run(ledger, choices);
  return verify_maker(ledger);
}

Json exe(const std::string& base, const std::string& path) {
  return {{"exe",
           {{"measured", "before_start"},
            {"path", {{"base", base}, {"path", path}}},
            {"sha256", "sha256:" + std::string(64, 'a')},
            {"size", 5}}}};
}

}  // namespace

TEST_CASE("normal: what an ad hoc run can ask for", "[verify]") {
  CHECK(options([](Json&) {}).empty());
  CHECK_FALSE(options([](Json& n) { n["read"][0]["optional"] = true; }).empty());
  CHECK_FALSE(options([](Json& n) { n["exec"] = {{{"optional", true}, {"path", "x"}}}; }).empty());
  CHECK(options([](Json& n) { n["exec"] = {{{"optional", false}, {"path", "x"}}}; }).empty());
  CHECK(options([](Json& n) { n["write"] = {{{"delete", true}, {"path", "x"}}}; }).empty());
  CHECK(options([](Json& n) { n["write"] = {{{"delete", false}, {"path", "x"}}}; }).empty());
  CHECK_FALSE(options([](Json& n) { n["tool"] = "shellcheck"; }).empty());
  CHECK(options([](Json& n) {
          n["command"] = {"./a b"};
          n["tool"] = "a_b";
        }).empty());
  CHECK(options([](Json& n) {
          n["command"] = {"-x"};
          n["tool"] = "_-x";
        }).empty());
  CHECK_FALSE(options([](Json& n) { n["command"] = Json::array(); }).empty());
  CHECK_FALSE(options([](Json& n) { n["command"] = {"sh", "-c"}; }).empty());
  CHECK_FALSE(options([](Json& n) { n["args"] = "fixed"; }).empty());
  CHECK_FALSE(options([](Json& n) { n["on_output_limit"] = "truncate"; }).empty());
  CHECK_FALSE(options([](Json& n) {
                n["limits"] = Json::object();
                n["enforce"] = Json::object();
              }).empty());
  const auto env = [](const Json& entry) {
    return options([&](Json& n) { n["env"] = Json::array({entry}); });
  };
  CHECK(env({{"name", "BASH_ENV"}, {"value", "x"}}).empty());
  CHECK(env({{"name", "LC_ALL"}}).empty());
  for (const char* name : {"LD_PRELOAD", "GLIBC_TUNABLES", "A=\u202eB", "9"}) {
    CAPTURE(name);
    CHECK_FALSE(env({{"name", name}, {"value", "x"}}).empty());
  }
  for (const char* name : {"BASH_ENV", "PYTHONSTARTUP", "GIT_DIR"}) {
    CAPTURE(name);
    CHECK_FALSE(env({{"name", name}}).empty());
  }
}

TEST_CASE("normal: patterns in full form, means named once, ceilings of their form", "[verify]") {
  const auto hide = [](const Json& patterns) {
    return told("01-defaults", [&](Json& n) { n["hide"] = patterns; });
  };
  CHECK(hide({"**", "**/.env", "/a/b/"}).empty());
  CHECK_FALSE(hide({".env"}).empty());
  CHECK_FALSE(hide({"/b", "/a"}).empty());
  CHECK_FALSE(hide({"/a", "/a"}).empty());
  CHECK_FALSE(told("02-linter", [](Json& n) {
                n["enforce"]["memory_bytes"] = {"rlimit", "rlimit"};
              }).empty());
  CHECK_FALSE(told("02-linter", [](Json& n) { n["command"] = Json::array(); }).empty());
  const auto ceiling = [](const Json& added) {
    return told("01-defaults", [&](Json& n) { n["ceilings"].push_back(added); });
  };
  CHECK(ceiling({{"name", "acme"}, {"network", {"none"}}, {"limits", {{"wall_ms", 5}}}}).empty());
  for (const char* text :
       {R"({"name":"acme","writes":[]})", R"({"network":["none"]})",
        R"({"name":"acme","network":["none","loopback"]})", R"({"name":"acme","read":["./a"]})",
        R"({"name":"acme","limits":{"wall":5}})", R"({"name":"acme","pinned":[]})",
        R"({"name":"acme","env_deny":["a b"]})"}) {
    CAPTURE(text);
    CHECK_FALSE(ceiling(Json::parse(text)).empty());
  }
}

TEST_CASE("normal: an absolute name of a place in the workspace", "[verify]") {
  const auto normal = changed("01-defaults", [](Json& n) {
    n["read"] = {{{"optional", false}, {"path", "."}},
                 {{"optional", false}, {"path", "/opt/proj/.env"}}};
  });
  using ethos::verify::absolute_in_workspace;
  CHECK(absolute_in_workspace(normal, "/opt/proj") == "/opt/proj/.env");
  CHECK(absolute_in_workspace(normal, "/opt") == "/opt/proj/.env");
  CHECK(absolute_in_workspace(normal, "/opt/pro").empty());
}

TEST_CASE("made up: a file that no grant lets be executed", "[verify]") {
  const auto with = [](const std::string& base, const std::string& path,
                       const Json& close = Json::object()) {
    return linter([&](LedgerMaker&, RunChoices& choices) {
      choices.patch["run.open"] = exe(base, path);
      choices.patch["run.close"] = close;
    });
  };
  CHECK(with("system", "usr/bin/true").status == 0);
  for (const auto& [base, path] :
       {std::pair{"host", "srv/evil/sh"}, {"workspace", "sh"}, {"system", "opt/evil"}}) {
    CAPTURE(path);
    const Outcome r = with(base, path);
    CHECK(r.status == 1);
    CHECK(r.has("contradiction"));
  }
  // What could not be executed is measured all the same.
  CHECK(with("host", "srv/evil/sh", {{"exit", nullptr}, {"status", 126}, {"execs", nullptr}})
            .status == 0);
}

TEST_CASE("made up: a program from a place that the cage did not show", "[verify]") {
  const auto with = [](const std::string& base, const std::string& path) {
    return linter([&](LedgerMaker& ledger, RunChoices& choices) {
      const std::string command = Json::parse(policy_member("02-linter.json", "normal"))
                                      .at("command")
                                      .at(0)
                                      .get<std::string>();
      Json list = {
          {{"count", "1"}, {"path", {{"base", base}, {"path", path}}}},
          {{"count", "1"}, {"path", {{"base", "system"}, {"path", "usr/bin/" + command}}}}};
      std::sort(list.begin(), list.end(), [](const Json& a, const Json& b) {
        return a.at("path").dump() < b.at("path").dump();
      });
      choices.patch["run.close"] = {
          {"execs", {{"list", ledger.commit("execs", list.dump())}, {"total", "2"}}}};
    });
  };
  CHECK(with("scratch", "a").status == 0);
  CHECK(with("system", "bin/zz").status == 0);
  for (const auto& [base, path] : {std::pair{"host", "srv/evil"}, {"system", "opt/evil"}}) {
    CAPTURE(path);
    const Outcome r = with(base, path);
    CHECK(r.status == 1);
    CHECK(r.has("contradiction"));
  }
}

TEST_CASE("made up: a commit without a repository, a pin without a ceiling", "[verify]") {
  const auto with = [](const std::string& vector, const Json& open) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = vector;
    choices.patch["run.open"] = open;
    add_run(ledger, choices);
    return verify_maker(ledger);
  };
  CHECK(with("19-workspace-in-tmp", Json::object()).status == 0);
  CHECK(with("19-workspace-in-tmp", {{"repository", nullptr}}).has("contradiction"));
  CHECK(with("18-pinned", Json::object()).status == 0);
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "18-pinned";
  Json normal = Json::parse(policy_member("18-pinned.json", "normal"));
  choices.patch["run.open"] = {{"ceilings", Json::array()},
                               {"normal", ledger.commit("normal", normal.dump())}};
  add_run(ledger, choices);
  CHECK(verify_maker(ledger).has("contradiction"));
}
