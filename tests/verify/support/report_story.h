// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"

namespace ethos::support {

// A ledger of some runs and a report of it, made by ethos-report.
struct Story {
  TempDir dir;
  LedgerMaker ledger;
  std::string period = "2020-01-01..2035-12-31 --zone UTC";

  Story() {
    RunChoices choices;
    choices.vector = "02-linter";
    choices.denials = 2;
    add_run(ledger, choices);
    add_refused_run(ledger, "daireeyuculbogazdinryhi6d4");
    RunChoices aborted;
    aborted.run = "eaireeyuculbogazdinryhi6d4";
    aborted.close = false;
    aborted.abort = true;
    add_run(ledger, aborted);
    ledger.write(dir.file("l.db"));
    save(dir.file("pin"), ledger.pin());
  }
  void make(const std::string& more = "") const {
    const std::string command = std::string(ETHOS_BIN) + "/ethos-report --ledger " + dir.file("l.db") + " --pin " + dir.file("pin") +
                                " --period " + period + " --format json,csv --out " + dir.file("r") + " " + more + " >" + dir.file("log") + " 2>&1";
    INFO(command);
    const int status = std::system(command.c_str());
    INFO(slurp(dir.file("log")));
    REQUIRE(status == 0);
  }
  // The file alone: of the directory a digest would give away every change.
  [[nodiscard]] Outcome verify() const { return verify_as("r/report.json"); }
  [[nodiscard]] Outcome verify_as(const std::string& name) const {
    return verify_with({"--json", "--pin", dir.file("pin"), "--report", dir.file(name), dir.file("l.db")});
  }
  [[nodiscard]] Json read() const { return Json::parse(slurp(dir.file("r/report.json"))); }
  // The report with one change.
  [[nodiscard]] Outcome with(const std::function<void(Json&)>& change) const {
    const std::string good = slurp(dir.file("r/report.json"));
    Json json = Json::parse(good);
    change(json);
    save(dir.file("r/report.json"), json.dump());
    Outcome out = verify();
    save(dir.file("r/report.json"), good);
    return out;
  }
};

}  // namespace ethos::support
