// SPDX-License-Identifier: Apache-2.0
// A report is made again after its ledger has grown: real ledgers, real verifier.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/reports/support/growing.h"

using namespace ethos::support;
namespace fs = std::filesystem;

TEST_CASE("repeat: a report is made again from a ledger that has grown", "[reports]") {
  Growing all;
  REQUIRE(all.verify().status == 0);
  all.grow();
  const Ended again = all.verify();
  CAPTURE(again.out, again.err);
  CHECK(again.status == 0);
  CHECK(again.out.find("report.html: same\n") != std::string::npos);
  CHECK(again.out.find("different") == std::string::npos);
  // By hand, with the option that the report names.
  const Ended by_hand = all.report("--at " + std::to_string(all.size) + " --format html,csv,md,json,xlsx,oscal --sample 1 --seed x --out " +
                                   all.dir.file("again"));
  CAPTURE(by_hand.err);
  REQUIRE(by_hand.status == 0);
  for (const auto& entry : fs::directory_iterator(all.dir.file("r"))) {
    CAPTURE(entry.path().string());
    CHECK(slurp(entry.path()) == slurp(all.dir.file("again/" + entry.path().filename().string())));
  }
  // A state that nobody signed is none.
  const Ended unsigned_state = all.report("--at " + std::to_string(all.size - 2) + " --out " + all.dir.file("none"));
  CHECK(unsigned_state.status == 3);
  CHECK_FALSE(fs::exists(all.dir.file("none")));
}

TEST_CASE("repeat: command lines are shown when asked for, and are the committed ones", "[reports]") {
  Growing all;
  const std::string command = "true --only 'it'\\''s here'";
  CHECK(slurp(all.dir.file("r/runs.csv")).find(command) == std::string::npos);
  REQUIRE(all.report("--arguments --format html,json,csv --out " + all.dir.file("r")).status == 0);
  const Json report = Json::parse(slurp(all.dir.file("r/report.json")));
  CHECK(report.at("runs").at(0).at("arguments") == 3);
  CHECK(report.at("runs").at(0).at("command") == command);
  CHECK(slurp(all.dir.file("r/runs.csv")).find(command) != std::string::npos);
  CHECK(all.verify().status == 0);
  const Ended told = all.start("ethos-report", "explain --arguments --ledger " + all.dir.file("l.db") + " --pin " + all.dir.file("pin") + " " + run_of('c', 0).run);
  CHECK(told.out.find("Command: " + command) != std::string::npos);
  // Withheld like any other value.
  save(all.dir.file("policy"), R"({"format":"ethos-redaction/1","id":"p","authority":"a","rules":[{"field":"arguments","reason":"secret"}]})");
  REQUIRE(all.report("--arguments --redact " + all.dir.file("policy") + " --format html,json,csv --out " + all.dir.file("x")).status == 0);
  for (const auto& entry : fs::directory_iterator(all.dir.file("x"))) CHECK(slurp(entry.path()).find(command) == std::string::npos);
  CHECK(slurp(all.dir.file("x/runs.csv")).find("[withheld: secret, no. 1]") != std::string::npos);
  // A bundle that carries them gives the same; one that does not says so.
  all.bundle("--disclose all");
  CHECK(all.verify("--bundle " + all.dir.file("b.ethosb")).status == 0);
  all.bundle("");
  REQUIRE(all.start("ethos-report", "--bundle " + all.dir.file("b.ethosb") + " --pin " + all.dir.file("pin") +
                                        " --period 2026-01-01..2026-12-31 --arguments --format csv --out " + all.dir.file("y")).status == 0);
  CHECK(slurp(all.dir.file("y/runs.csv")).find(command) == std::string::npos);
}

TEST_CASE("repeat: a bundle gives the bytes that the ledger gave", "[reports]") {
  Growing all;
  all.bundle("");
  CHECK(all.verify("--bundle " + all.dir.file("b.ethosb")).status == 0);
  all.grow();
  all.bundle("--to " + std::to_string(all.size));
  CHECK(all.verify("--bundle " + all.dir.file("b.ethosb")).status == 0);
  all.bundle("");  // of the ledger as it now is
  const Ended later = all.verify("--bundle " + all.dir.file("b.ethosb"));
  CAPTURE(later.out, later.err);
  CHECK(later.status == 0);
}

TEST_CASE("repeat: another history, a shorter ledger and a changed report are told", "[reports]") {
  Growing all;
  all.grow();
  std::ofstream(all.dir.file("r/report.md"), std::ios::app) << "x";
  const Ended changed = all.verify();
  CHECK(changed.status == 1);
  CHECK(changed.out.find("report.md: ") != std::string::npos);
  CHECK(changed.out.find("report.html: same") != std::string::npos);

  LedgerMaker other;  // the same keys, another first run
  add_run(other, run_of('c', 3));
  other.rotate();
  add_run(other, run_of('d', 0));
  other.checkpoint();
  all.ledger = other;
  all.write();
  const Ended forked = all.verify();
  CAPTURE(forked.out, forked.err);
  CHECK(forked.status == 1);
  CHECK(forked.out.empty());

  LedgerMaker shorter;
  add_run(shorter, run_of('c', 2));
  all.ledger = shorter;
  all.write();
  const Ended cut = all.verify();
  CAPTURE(cut.err, cut.out);
  // An older copy tells nothing about what it lacks.
  CHECK(cut.status == 3);
  CHECK(cut.err.find("the report covers 42 records, this evidence has 22") != std::string::npos);
}

TEST_CASE("repeat: a pin with a later minimum does not stand in the way", "[reports]") {
  Growing all;
  all.grow();
  save(all.dir.file("pin"), all.ledger.pin(static_cast<std::int64_t>(all.ledger.records.size())));
  CHECK(all.verify().status == 0);
}

TEST_CASE("repeat: a report made with a minimum asks for a pin with one", "[reports]") {
  Growing all;
  save(all.dir.file("pin"), all.ledger.pin(3));
  REQUIRE(all.report("--out " + all.dir.file("r")).status == 0);
  all.grow();
  CHECK(all.verify().status == 0);
  save(all.dir.file("pin"), all.ledger.pin());
  const Ended none = all.verify();
  CHECK(none.status == 3);
  CHECK(none.err.find("minimum") != std::string::npos);
}

TEST_CASE("repeat: runs that were pruned since are told from runs that never were", "[reports]") {
  Growing all;
  const std::size_t end = 1 + static_cast<std::size_t>(std::count_if(
      all.ledger.records.begin(), all.ledger.records.end(), [](const auto& one) { return one.bytes.find(run_of('c', 0).run) != std::string::npos; }));
  std::string list;
  std::int64_t from = INT64_MAX;
  std::int64_t until = 0;
  for (std::size_t i = 1; i < end; ++i) {
    list += std::to_string(i) + "\n";
    const std::int64_t wall = Json::parse(all.ledger.records[i].bytes).at("ts").at("wall_ms");
    from = std::min(from, wall);
    until = std::max(until, wall);
  }
  all.ledger.add("ledger.prune", {{"authority", "dpo"}, {"below", end}, {"from_ms", from}, {"list", "sha256:" + hex(sha256(list))}, {"reason", "old"},
                                  {"records", end - 1}, {"runs", 1}, {"total", end - 1}, {"until_ms", until}});
  all.ledger.checkpoint();
  for (std::size_t i = 1; i < end; ++i) all.ledger.records[i].bytes.clear();
  all.write();
  const Ended made = all.report("--format html,json,csv --out " + all.dir.file("x"));
  CAPTURE(made.err);
  REQUIRE(made.status == 0);
  const Json report = Json::parse(slurp(all.dir.file("x/report.json")));
  CHECK(report.at("runs").size() == 1);
  CHECK(slurp(all.dir.file("x/report.html")).find("RUNS OF THIS PERIOD MAY BE MISSING") != std::string::npos);
  CHECK(slurp(all.dir.file("x/counts.csv")).find("records:(dropped by ledger.prune):ledger," + std::to_string(end - 1) + ",") != std::string::npos);
  CHECK(report.at("completeness").dump().find("dropped by ledger.prune") != std::string::npos);
  const auto retention = std::find_if(report.at("controls").begin(), report.at("controls").end(), [](const Json& one) { return one.at("kind") == "retention"; });
  CHECK(retention->at("statement").get<std::string>().find(std::to_string(end - 1) + " records of 1 run, from ") != std::string::npos);
  // A bundle of the pruned ledger has the hashes of what is gone, and gives the same bytes.
  all.bundle("");
  const Ended bundled = all.start("ethos-report", "--bundle " + all.dir.file("b.ethosb") + " --pin " + all.dir.file("pin") +
                                                      " --period 2026-01-01..2026-12-31 --zone UTC --format html,json,csv --out " + all.dir.file("y"));
  CAPTURE(bundled.err);
  REQUIRE(bundled.status == 0);
  for (const char* name : {"report.html", "report.json", "counts.csv", "runs.csv", "controls.csv"})
    CHECK(slurp(all.dir.file(std::string("x/") + name)) == slurp(all.dir.file(std::string("y/") + name)));
  CHECK(all.start("ethos-report", "verify --bundle " + all.dir.file("b.ethosb") + " --pin " + all.dir.file("pin") + " " + all.dir.file("x")).status == 0);
  // With one bit of a hash of what is gone changed, nothing is reported on.
  std::string damaged = slurp(all.dir.file("b.ethosb"));
  damaged[damaged.find("tile/0/") + 512 + 33] ^= 1;
  save(all.dir.file("b.ethosb"), damaged);
  const Ended refused = all.start("ethos-report", "--bundle " + all.dir.file("b.ethosb") + " --pin " + all.dir.file("pin") +
                                                      " --unverified --period 2026-01-01..2026-12-31 --format json --out " + all.dir.file("z"));
  CHECK(refused.status == 0);
  CHECK(Json::parse(slurp(all.dir.file("z/report.json"))).at("source").at("root") != report.at("source").at("root"));
  CHECK(all.start("ethos-report", "--bundle " + all.dir.file("b.ethosb") + " --pin " + all.dir.file("pin") +
                                      " --period 2026-01-01..2026-12-31 --out " + all.dir.file("w")).status == 1);
  // The state before cannot be reported on any more, and is not called false.
  const Ended before = all.verify();
  CAPTURE(before.err);
  CHECK(before.status == 3);
}

TEST_CASE("repeat: the ledgers of a fleet may have grown", "[reports]") {
  Growing all;
  save(all.dir.file("list"), R"({"format":"ethos-fleet/1","members":[{"name":"a","ledger":"l.db","pin":"pin"}]})");
  REQUIRE(all.start("ethos-report", "fleet " + all.dir.file("list") + " --period 2026-01-01..2026-12-31 --out " + all.dir.file("f")).status == 0);
  all.grow();
  const Ended again = all.start("ethos-report", "verify --fleet " + all.dir.file("list") + " " + all.dir.file("f"));
  CAPTURE(again.out, again.err);
  CHECK(again.status == 0);
}

// A verifier saw one file, and whoever reads after (or before) it another: the same as a file that is
// swapped in between, whichever of the two comes first.
TEST_CASE("repeat: a file that is swapped beside the verifier is never reported on", "[reports]") {
  Growing all;
  const auto path = [&](const char* name) { return all.dir.file(name); };
  fs::create_directory(path("bin"));
  fs::copy_file(std::string(ETHOS_BIN) + "/ethos-report", path("bin/ethos-report"));
  // Looks at seen.db, or its bundle, whatever it is asked about.
  save(path("bin/ethos-verify"), "#!/bin/sh\nfor last; do :; done\nset -- \"$@\"\nn=$#\nfor word; do\n  shift\n  n=$((n - 1))\n  if [ $n -eq 0 ]; then word=$(dirname \"$word\")/seen.${word##*.}; fi\n"
                                 "  set -- \"$@\" \"$word\"\ndone\nexec " +
                                     std::string(ETHOS_BIN) + "/ethos-verify \"$@\"\n");
  fs::permissions(path("bin/ethos-verify"), fs::perms::owner_all);
  all.bundle("");
  fs::copy_file(path("l.db"), path("seen.db"));
  fs::copy_file(path("b.ethosb"), path("seen.ethosb"));
  save(path("list"), R"({"format":"ethos-fleet/1","members":[{"name":"a","ledger":"l.db","pin":"pin"}]})");
  const std::string period = " --period 2026-01-01..2026-12-31";
  const std::string pin = " --pin " + path("pin");
  const std::string ledger = " --ledger " + path("l.db");
  const std::string bundle = " --bundle " + path("b.ethosb");
  const auto status = [&](const std::string& options) {
    const int ended = std::system((path("bin/ethos-report") + " " + options + " >" + path("out") + " 2>" + path("err")).c_str());
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  };
  const std::vector<std::string> commands = {
      ledger + pin + period + " --format html,csv,json --out " + path("new"),
      bundle + pin + period + " --format html,csv,json --out " + path("new"),
      "explain" + ledger + pin + " " + run_of('c', 0).run,
      "drift" + ledger + pin + " --from 2026-12-30",
      "fleet " + path("list") + period + " --out " + path("new"),
      "verify" + ledger + pin + " " + path("r"),
      "verify" + bundle + pin + " " + path("r"),
  };
  for (const std::string& command : commands) {
    CAPTURE(command);
    REQUIRE(status(command) == 0);  // nothing was swapped
    fs::remove_all(path("new"));
  }
  std::string changed = slurp(path("b.ethosb"));
  changed[changed.rfind("\"wall_ms\":") + 12] ^= 1;  // another digit
  SECTION("for another history of the same length, signed by the same key") {
    Json record = Json::parse(all.ledger.records[5].bytes);
    record["ts"]["wall_ms"] = record["ts"]["wall_ms"].get<std::int64_t>() + 1;
    all.ledger.records[5].bytes = record.dump();
    all.ledger.rehash_and_resign();
    all.write();
    save(path("b.ethosb"), changed);
  }
  SECTION("for a longer one") {
    all.grow();
    fs::remove(path("b.ethosb"));
    all.bundle("");
  }
  SECTION("for a shorter one") {
    all.ledger.records.pop_back();
    all.ledger.rehash_and_resign();
    all.write();
    save(path("b.ethosb"), changed);
  }
  for (const std::string& command : commands) {
    CAPTURE(command, slurp(path("err")));
    // Of what only grew the verified records are still there, and are what is told. Without a size
    // to stop at, a bundle has its own.
    const bool only_grew = all.ledger.records.size() > static_cast<std::size_t>(all.size);
    const bool is_whole_bundle = command.starts_with(bundle);
    CHECK(status(command) == (only_grew && !is_whole_bundle ? 0 : 1));
    CHECK((only_grew || !fs::exists(path("new"))));
    fs::remove_all(path("new"));
  }
}
