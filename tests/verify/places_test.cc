// SPDX-License-Identifier: Apache-2.0
// Where a run could read and write, and where its files came out: names that only open to something else.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

struct Out {
  std::string grant = "home/dev/out";
  std::string path = "home/dev/out/a";
  bool is_disclosed = true;
  std::string action = "created";
  Json plain = nullptr;  // instead of a committed path
};

// A run with a write grant below a home, whose path is committed to, and one file of it.
Outcome brought_out(const Out& out) {
  LedgerMaker ledger;
  RunChoices choices;
  choices.vector = "29-home-write";
  const auto committed = [&](const std::string& path, bool disclose) {
    return Json{{"base", "host"}, {"commit", ledger.commit("path", path, disclose)}};
  };
  choices.patch["grant fs.write"]["path"] = committed("home/dev/out", true);
  choices.patch["grant fs.write"]["path"]["path"] = nullptr;
  Json body = {{"action", out.action},
               {"grant", committed(out.grant, out.is_disclosed)},
               {"path", out.plain.is_null() ? committed(out.path, out.is_disclosed) : out.plain},
               {"sha256", "sha256:" + std::string(64, 'a')},
               {"size", "3"},
               {"type", "file"}};
  if (out.action == "deleted") {
    body.erase("sha256");
    body["size"] = "0";
  }
  choices.more = {{"artifact.exported", body}};
  add_run(ledger, choices);
  return verify_maker(ledger);
}

void refused(const Out& out) {
  const Outcome r = brought_out(out);
  CAPTURE(out.grant, out.path, r.out);
  CHECK(r.status == 1);
  CHECK(r.has("grant_mismatch"));
  CHECK(r.verdict("policy") == "fail");
}

}  // namespace

TEST_CASE("places: a committed path of a file is opened and held against its grant", "[verify]") {
  const Outcome good = brought_out({});
  CAPTURE(good.out);
  CHECK(good.status == 0);
  CHECK(brought_out({.path = "home/dev/out/d/b"}).status == 0);
  for (const char* path : {"home/dev/.ssh/authorized_keys", "home/dev/outer/a", "home/dev/out",
                           "home/dev/out/.git/config", "home/dev/out/../x", "/home/dev/out/a", ""}) {
    refused({.path = path});
  }
  for (const char* grant : {"home/dev", "etc", "home/dev/other"}) {
    refused({.grant = grant, .path = std::string(grant) + "/a"});
  }
  refused({.action = "deleted"});
  refused({.plain = {{"base", "system"}, {"path", "etc/cron.d/evil"}}});
  refused({.plain = {{"base", "workspace"}, {"path", "src/a"}}});
}

TEST_CASE("places: what is not disclosed is unknown, and not held to be right", "[verify]") {
  const Outcome r = brought_out({.is_disclosed = false});
  CAPTURE(r.out);
  CHECK(r.status != 0);
  CHECK(r.status != 1);
  CHECK(r.verdict("policy") == "unknown");
}

// What a run has that names places outside of its workspace, which nobody tells.
TEST_CASE("places: an absolute path may lie in a workspace that is not disclosed", "[verify]") {
  const auto without_workspace = [](const char* vector) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = vector;
    add_run(ledger, choices);
    std::string erased;
    for (const auto& [c, disclosure] : ledger.disclosures) {
      if (disclosure.kind == "workspace") erased = c;
    }
    ledger.disclosures.erase(erased);
    ledger.add("data.erase",
               {{"authority", "dpo"}, {"reason", "asked"}, {"targets", {base64(erased)}}});
    ledger.checkpoint();
    return verify_maker(ledger);
  };
  const Outcome relative = without_workspace("02-linter");
  CAPTURE(relative.out);
  CHECK(relative.status == 0);
  const Outcome absolute = without_workspace("18-pinned");
  CAPTURE(absolute.out);
  CHECK(absolute.status == 3);
  CHECK(absolute.verdict("policy") == "unknown");
}

TEST_CASE("places: of a granted path that is not disclosed nobody can say where it lies", "[verify]") {
  const auto result = [](const std::string& text) {
    LedgerMaker ledger;
    RunChoices choices;
    choices.vector = "29-home-write";
    choices.patch["grant fs.write"]["path"] = {{"base", "host"}, {"commit", ledger.commit("path", "home/dev/out", false)}};
    choices.patch["grant fs.write"]["path"]["path"] = nullptr;
    add_run(ledger, choices);
    return verify_maker(ledger, "", "", {"--assert", text}).json.at("assertions").at(0).at("result").get<std::string>();
  };
  for (const char* text : {"writes-within /home/dev", "not writes-within /home/dev", "writes-within .", "not writes-within ."}) {
    CAPTURE(text);
    CHECK(result(text) == "unknown");
  }
  CHECK(result("writes-within /") == "pass");
  CHECK(result("writes-nothing") == "fail");
}
