// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"

namespace ethos::support {

inline RunChoices run_of(char letter, int denials) {
  RunChoices choices;
  choices.run = std::string(1, letter) + "aireeyuculbogazdinryhi6d4";
  choices.denials = denials;
  return choices;
}

struct Ended {
  int status = -1;
  std::string out, err;
};

// A signed ledger of two runs with its report, which real programs check; and more runs when it grows.
struct Growing {
  TempDir dir;
  LedgerMaker ledger;
  std::int64_t size = 0;

  Growing() {
    RunChoices first = run_of('c', 2);
    const std::string argv("true\0--only\0it's here\0", 22);
    first.patch["run.open"] = {{"argc", 3}, {"argv", ledger.commit("argv", argv)}};
    add_run(ledger, first);
    ledger.rotate();
    add_run(ledger, run_of('d', 0));
    size = static_cast<std::int64_t>(ledger.records.size());
    write();
    save(dir.file("pin"), ledger.pin());
    const Ended made = report("--format html,csv,md,json,xlsx,oscal --sample 1 --seed x --out " + dir.file("r"));
    CAPTURE(made.err);
    REQUIRE(made.status == 0);
  }
  void write() {
    std::filesystem::remove(dir.file("l.db"));
    ledger.write(dir.file("l.db"));
  }
  void grow() {
    add_run(ledger, run_of('e', 1));
    ledger.rotate();
    add_run(ledger, run_of('f', 0));
    write();
  }
  [[nodiscard]] Ended start(const std::string& program, const std::string& options) const {
    const std::string command = std::string(ETHOS_BIN) + "/" + program + " " + options + " >" + dir.file("out") + " 2>" + dir.file("err");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(dir.file("out")), slurp(dir.file("err"))};
  }
  [[nodiscard]] Ended report(const std::string& options) const {
    return start("ethos-report", "--ledger " + dir.file("l.db") + " --pin " + dir.file("pin") +
                                     " --period 2026-01-01..2026-12-31 --zone UTC " + options);
  }
  [[nodiscard]] Ended verify(const std::string& evidence) const {
    return start("ethos-report", "verify " + evidence + " --pin " + dir.file("pin") + " " + dir.file("r"));
  }
  [[nodiscard]] Ended verify() const { return verify("--ledger " + dir.file("l.db")); }
  void bundle(const std::string& options) const {
    REQUIRE(start("ethos-ledger", "bundle -q --ledger " + dir.file("l.db") + " " + options + " -o " + dir.file("b.ethosb")).status == 0);
  }
};

}  // namespace ethos::support
