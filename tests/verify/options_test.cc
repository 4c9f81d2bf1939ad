// SPDX-License-Identifier: Apache-2.0
// The command line: what is asked for is checked, or the call is refused.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/verify_run.h"

using namespace ethos::support;

namespace {

// Each option of the help text that takes a value.
std::set<std::string> options_with_value() {
  std::istringstream help(verify_with({"--help"}).out);
  std::set<std::string> out;
  for (std::string line; std::getline(help, line);) {
    std::istringstream words(line);
    std::string name;
    std::string value;
    words >> name >> value;
    const bool is_value =
        !value.empty() &&
        (value.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ-|.") == std::string::npos ||
         value == "svr|vsa");
    if (name.starts_with("--") && is_value) out.insert(name);
  }
  return out;
}

}  // namespace

TEST_CASE("options: an empty value is refused, not taken for a check that was not asked for",
          "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  add_run(ledger);
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  const std::set<std::string> options = options_with_value();
  for (const char* name :
       {"--pin", "--memory", "--period", "--at", "--policy", "--tsa-roots", "--zone", "--run",
        "--transcript", "--junit", "--attest", "--assert", "--attest-type"}) {
    CAPTURE(name);
    CHECK(options.contains(name));
  }
  for (const std::string& name : options) {
    for (const bool is_one_word : {false, true}) {
      std::vector<std::string> args{"--quiet", "--pin", dir.file("pin"), dir.file("l.db")};
      if (name == "--pin") args = {"--quiet", dir.file("l.db")};
      args.push_back(is_one_word ? name + "=" : name);
      if (!is_one_word) args.emplace_back();
      const Outcome r = verify_with(args);
      CAPTURE(name, is_one_word, r.err);
      CHECK(r.status == 2);
      CHECK(r.err.find("empty") != std::string::npos);
      CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    }
  }
  CHECK(verify_with({"--quiet", "--pin", dir.file("pin"), ""}).status == 2);
}

TEST_CASE("options: evidence is named, by the call or by the session", "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  add_run(ledger);
  std::filesystem::create_directories(dir.file("state/ethos"));
  ledger.write(dir.file("state/ethos/ledger.db"));
  save(dir.file("pin"), ledger.pin());
  ::unsetenv("ETHOS_LEDGER");
  ::setenv("XDG_STATE_HOME", dir.file("state").c_str(), 1);
  const Outcome none = verify_with({"--pin", dir.file("pin")});
  CHECK(none.status == 2);
  CHECK(none.out.empty());
  ::setenv("ETHOS_LEDGER", dir.file("state/ethos/ledger.db").c_str(), 1);
  const Outcome named = verify_with({"--pin", dir.file("pin")});
  CHECK(named.status == 0);
  CHECK(named.out.substr(0, named.out.find('\n')).find("named by $ETHOS_LEDGER") !=
        std::string::npos);
  ::unsetenv("ETHOS_LEDGER");
  ::unsetenv("XDG_STATE_HOME");
}

TEST_CASE("options: a file or directory that is not there is a wrong call, not a verdict",
          "[verify]") {
  const TempDir dir;
  LedgerMaker ledger;
  add_run(ledger);
  ledger.write(dir.file("l.db"));
  save(dir.file("pin"), ledger.pin());
  CHECK(verify_with({"--pin", dir.file("pin"), dir.file("nowhere")}).status == 2);
  for (const char* option : {"--memory", "--transcript", "--junit", "--attest"}) {
    CAPTURE(option);
    CHECK(verify_with({"--quiet", "--pin", dir.file("pin"), dir.file("l.db"), option,
                       dir.file("nowhere/x")})
              .status == 2);
  }
  for (const char* option : {"--pin", "--policy", "--tsa-roots", "--sarif", "--report", "--at"}) {
    CAPTURE(option);
    std::vector<std::string> args{"--quiet", dir.file("l.db"), option, dir.file("nowhere")};
    CHECK(verify_with(args).status == 2);
  }
  save(dir.file("junk"), "junk");
  CHECK(verify_with({"--pin", dir.file("pin"), dir.file("junk")}).status == 3);
}
