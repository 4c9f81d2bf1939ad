// SPDX-License-Identifier: Apache-2.0
// Bundles, made by ethos-ledger from a ledger that the tests' own writer made; read by the verifier.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "tests/verify/support/archive_parts.h"
#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"
#include "verify/archive.h"
#include "verify/bundle_names.h"

using namespace ethos::support;

namespace {

constexpr const char* kRun = "caireeyuculbogazdinryhi6d4";

struct Story {
  TempDir dir;
  LedgerMaker ledger;

  explicit Story(int runs = 1) {
    RunChoices choices;
    choices.vector = "02-linter";
    choices.denials = 1;
    add_run(ledger, choices);
    ledger.rotate();
    const std::string letters = "efghijklmnopqrstuvwxyz";
    for (int i = 0; i < runs; ++i) {
      RunChoices more;
      more.run = std::string(1, letters[static_cast<std::size_t>(i)]) + "aireeyuculbogazdinryhi6d4";
      add_run(ledger, more);
    }
    ledger.write(dir.file("l.db"));
    save(dir.file("pin"), ledger.pin());
  }

  std::string make(const std::string& options) {
    const std::string command = std::string(ETHOS_BIN) + "/ethos-ledger bundle --ledger " + dir.file("l.db") + " " + options + " -o " +
                                dir.file("b.ethosb") + " 2>" + dir.file("log");
    INFO(command);
    const int status = std::system(command.c_str());
    INFO(slurp(dir.file("log")));
    REQUIRE(status == 0);
    std::string bytes = slurp(dir.file("b.ethosb"));
    std::filesystem::remove(dir.file("b.ethosb"));
    return bytes;
  }

  Outcome verify(const std::string& bytes, const std::vector<std::string>& more = {}) {
    save(dir.file("given.ethosb"), bytes);
    std::vector<std::string> args{"--json", "--pin", dir.file("pin"), dir.file("given.ethosb")};
    args.insert(args.end(), more.begin(), more.end());
    return verify_with(args);
  }
};

const auto members = members_of;

}  // namespace

TEST_CASE("bundle: one run and the whole ledger pass", "[verify]") {
  Story story(3);
  const Outcome run = story.verify(story.make(std::string("--run ") + kRun));
  CAPTURE(run.status, run.first(), run.json.at("problems").dump());
  CHECK(run.status == 0);
  CHECK(run.json.at("counts").at("runs") == 1);
  CHECK(run.json.at("input").at("kind") == "bundle");
  for (const char* verdict : {"integrity", "signatures", "trust", "completeness", "policy"}) CHECK(run.verdict(verdict) == "pass");
  const Outcome all = story.verify(story.make(""));
  CAPTURE(all.status, all.first(), all.json.at("problems").dump());
  CHECK(all.status == 0);
  CHECK(all.json.at("counts").at("runs") == 4);
  CHECK(all.json.at("checkpoint").at("size") == story.ledger.records.size());
}

TEST_CASE("bundle: a tail shows hashes of what came before", "[verify]") {
  Story story(20);
  REQUIRE(story.ledger.records.size() > 300);
  const std::string bytes = story.make("--from 256");
  const Outcome r = story.verify(bytes);
  CAPTURE(r.status, r.first(), r.json.at("problems").dump());
  CHECK(r.status == 0);
  CHECK(r.json.at("counts").at("late_runs") == 1);
  auto parts = members(bytes);
  std::string& tile = parts.at("tile/0/000");
  tile[40] = static_cast<char>(tile[40] ^ 1);
  CHECK(story.verify(archive_of(parts)).status == 1);
}

TEST_CASE("bundle: nothing disclosed leaves the assertions and makes the policy unknown", "[verify]") {
  Story story;
  const Outcome r = story.verify(story.make(std::string("--disclose none --run ") + kRun), {"--assert", "no-network"});
  CHECK(r.status == 3);
  CHECK(r.verdict("policy") == "unknown");
  CHECK(r.json.at("assertions").at(0).at("result") == "pass");
}

TEST_CASE("bundle: taken apart and put together it is the same file", "[verify]") {
  Story story;
  for (const char* options : {"", "--run caireeyuculbogazdinryhi6d4"}) {
    const std::string bytes = story.make(options);
    CHECK(archive_of(members(bytes)) == bytes);
    CHECK(story.make(options) == bytes);
  }
}

TEST_CASE("bundle: what is disclosed is what the manifest names", "[verify]") {
  Story story;
  auto all = members(story.make(""));
  const Json manifest = Json::parse(all.at("manifest.json"));
  REQUIRE(manifest.at("disclosed").size() > 3);
  const auto with = [&](const Json& kinds) {
    auto changed = all;
    Json other = manifest;
    other["disclosed"] = kinds;
    changed["manifest.json"] = other.dump() + "\n";
    return story.verify(archive_of(changed)).status;
  };
  CHECK(with(manifest.at("disclosed")) == 0);
  Json fewer = manifest.at("disclosed");
  fewer.erase(0);
  CHECK(with(fewer) == 1);
  CHECK(with(Json::array()) == 1);
  Json odd = manifest.at("disclosed");
  odd.push_back("~x");
  CHECK(with(odd) == 1);
  Json later = manifest.at("disclosed");
  later.push_back("zone");
  CHECK(with(later) == 3);
}

TEST_CASE("bundle: the manifest names the ledger and the run that the records are of", "[verify]") {
  Story story;
  for (const char* options : {"--run caireeyuculbogazdinryhi6d4", ""}) {
    const auto all = members(story.make(options));
    const Json manifest = Json::parse(all.at("manifest.json"));
    const auto with = [&](const char* key, const std::string& value) {
      auto changed = all;
      Json other = manifest;
      other[key] = value;
      changed["manifest.json"] = other.dump() + "\n";
      return story.verify(archive_of(changed)).status;
    };
    CHECK(with("origin", "other.example/ethos/aaaqeayeaudaocajbifqydiob4") == 1);
    if (manifest.contains("run")) CHECK(with("run", "daireeyuculbogazdinryhi6d4") == 1);
  }
}

TEST_CASE("bundle: every byte changed and every cut is reported", "[verify][slow]") {
  Story story;
  for (const char* options : {"--run caireeyuculbogazdinryhi6d4", ""}) {
    const std::string good = story.make(options);
    std::size_t unreported = 0;
    for (std::size_t at = 0; at < good.size(); at += at < 2048 ? 5 : 211) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 7)));
      const Outcome r = story.verify(bad);
      CAPTURE(options, at, r.status);
      CHECK(r.status != 0);
      unreported += r.status == 0 ? 1 : 0;
    }
    for (std::size_t cut = 0; cut < good.size(); cut += 1009) CHECK(story.verify(good.substr(0, cut)).status != 0);
    CHECK(story.verify(good + std::string(512, '\0')).status == 1);
    CHECK(unreported == 0);
  }
}

TEST_CASE("bundle: each member left out, added or exchanged is found", "[verify]") {
  Story story(2);
  for (const char* options : {"--run caireeyuculbogazdinryhi6d4", ""}) {
    const auto good = members(story.make(options));
    for (const auto& [name, bytes] : good) {
      auto fewer = good;
      fewer.erase(name);
      const Outcome r = story.verify(archive_of(fewer));
      CAPTURE(options, name, r.status);
      CHECK(r.status != 0);
    }
    const auto with = [&](const std::string& name, const std::string& bytes) {
      auto more = good;
      more[name] = bytes;
      return story.verify(archive_of(more)).status;
    };
    CHECK(with("extra", "x") == 1);
    CHECK(with("../x", "x") == 1);
    CHECK(with("record/99999999999999999999", "x") == 1);
    CHECK(with("disclosure/" + std::string(64, '0'), "argv\n" + std::string(32, 's') + "x") == 1);
    CHECK(with("tile/0/x001/000", std::string(8192, 'x')) == 1);
    CHECK(with("proof/00000000000000000002-00000000000000000003", "") == 1);
    CHECK(with("manifest.json", "{}\n") == 1);
  }
}

TEST_CASE("bundle: a hidden denial shows as a hole in the run", "[verify]") {
  Story story;
  auto parts = members(story.make(std::string("--run ") + kRun));
  std::string denial;
  for (const auto& [name, bytes] : parts) {
    if (name.starts_with("record/") && bytes.find("runtime.sandbox_denial") != std::string::npos) denial = name.substr(7);
  }
  REQUIRE_FALSE(denial.empty());
  parts.erase("record/" + denial);
  for (auto at = parts.begin(); at != parts.end();) {
    at = at->first.starts_with("proof/" + denial) ? parts.erase(at) : std::next(at);
  }
  const Outcome r = story.verify(archive_of(parts));
  CHECK(r.status == 1);
  CHECK(r.has("run_seq_gap"));
}

TEST_CASE("bundle: names of tiles have one form", "[verify]") {
  using namespace ethos::verify;
  CHECK(tile_name("0", 5, 256) == "tile/0/005");
  CHECK(tile_name("1", 1234067, 256) == "tile/1/x001/x234/067");
  CHECK(tile_name("entries", 273, 112) == "tile/entries/273.p/112");
  for (const char* good : {"tile/0/005", "tile/1/x001/x234/067", "tile/entries/273.p/112", "checkpoint",
                           "record/00000000000000000007", "proof/00000000000000000001-00000000000000000002"}) {
    CHECK(parse_bundle_name(good).has_value());
  }
  for (const char* bad : {"tile/0/5", "tile/0/x000/005", "tile/00/005", "tile/0/005.p/0", "tile/0/005.p/256", "tile/0/005.p/012",
                          "tile/64/000", "record/7", "record/0000000000000000000x", "proof/00000000000000000001", "blob/sha256/00",
                          "disclosure/" "ZZ", "checkpoint/", "", "tile/", "x"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_bundle_name(bad).has_value());
  }
}

TEST_CASE("input: what is neither ledger nor bundle is refused with one line", "[verify]") {
  const TempDir dir;
  save(dir.file("text"), "hello\n");
  save(dir.file("empty"), "");
  save(dir.file("sqlite"), "SQLite format 3" + std::string(1, '\0'));
  std::filesystem::create_directory(dir.file("folder"));
  for (const char* name : {"text", "empty", "sqlite", "folder", "missing"}) {
    const Outcome r = verify_with({dir.file(name)});
    CAPTURE(name, r.err);
    CHECK(r.status == (std::string(name) == "missing" ? 2 : 3));
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
}

TEST_CASE("bundle: a blob that no record names is found", "[verify]") {
  Story story;
  for (const char* options : {"", "--run caireeyuculbogazdinryhi6d4"}) {
    auto parts = members(story.make(options));
    REQUIRE(story.verify(archive_of(parts)).status == 0);
    parts["blob/sha256/" + hex(sha256("foreign"))] = "foreign";
    const Outcome r = story.verify(archive_of(parts));
    CAPTURE(options, r.out);
    CHECK(r.status == 1);
    CHECK(r.has("bundle"));
  }
}
