// SPDX-License-Identifier: Apache-2.0
// Each command that docs/auditor-questions.md gives as an answer works as it stands there.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "tests/reports/support/growing.h"

using namespace ethos::support;

namespace {

// What stands between backticks in the tables.
std::vector<std::string> quoted_in(const std::string& page) {
  std::vector<std::string> out;
  for (auto at = page.find('`'); at != std::string::npos; at = page.find('`', at + 1)) {
    const auto end = page.find('`', at + 1);
    REQUIRE(end != std::string::npos);
    out.push_back(page.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

struct Stage {
  Growing all;
  std::map<std::string, std::string> places;

  Stage() {
    const auto& dir = all.dir;
    save(dir.file("list"),
         R"({"format":"ethos-fleet/1","members":[{"name":"a","ledger":"l.db","pin":"pin"}]})");
    save(
        dir.file("policy"),
        R"({"format":"ethos-redaction/1","id":"p","authority":"a","rules":[{"field":"user","reason":"person"}]})");
    const Ended key = all.start("ethos-report", "key audit.example.com -o " + dir.file("key"));
    REQUIRE(key.status == 0);
    REQUIRE(all.report("--sign-key " + dir.file("key") + " --out " + dir.file("r")).status == 0);
    all.bundle("");
    places = {{"L", dir.file("l.db")},
              {"P", dir.file("pin")},
              {"D", dir.file("r")},
              {"B", dir.file("b.ethosb")},
              {"LIST", dir.file("list")},
              {"POLICY", dir.file("policy")},
              {"RUN", run_of('c', 0).run},
              {"FILE", std::string(ETHOS_SOURCE) + "/reports/controls.json"},
              {"VKEY", "'" + key.out.substr(0, key.out.size() - 1) + "'"}};
  }

  // Words that stand for something are replaced; `--out D` of a new report goes elsewhere.
  [[nodiscard]] std::string filled(const std::string& command) const {
    std::istringstream words(command);
    std::string out;
    std::string before;
    for (std::string word; words >> word; before = word) {
      const auto place = places.find(word);
      if (word == "..." && before == "--period") {
        out += " 2026-01-01..2026-12-31";
      } else if (word == "...") {
        out += " --ledger " + places.at("L") + " --pin " + places.at("P") +
               " --period 2026-01-01..2026-12-31 --out " + all.dir.file("new");
      } else if (before == "--out") {
        out += " " + all.dir.file("fleet");
      } else {
        out += " " + (place == places.end() ? word : place->second);
      }
    }
    return out.substr(1);
  }
};

}  // namespace

TEST_CASE("questions: every command of the page works", "[reports]") {
  const std::string page = slurp(std::string(ETHOS_SOURCE) + "/docs/auditor-questions.md");
  const Stage stage;
  std::set<std::string> seen;
  for (const std::string& text : quoted_in(page)) {
    const bool is_command = text.starts_with("ethos-report ") || text.starts_with("ethos-verify ");
    if (!is_command || !seen.insert(text).second) continue;
    const auto space = text.find(' ');
    const Ended ended =
        stage.all.start(text.substr(0, space), stage.filled(text.substr(space + 1)));
    CAPTURE(text, stage.filled(text), ended.status, ended.err);
    CHECK((ended.status == 0 || (ended.status == 1 && text.starts_with("ethos-report drift "))));
  }
  CHECK(seen.size() >= 8);
  REQUIRE(page.find("`sha256sum -c SHA256SUMS`") != std::string::npos);
  CHECK(std::system(
            ("cd " + stage.all.dir.file("r") + " && sha256sum --quiet -c SHA256SUMS").c_str()) ==
        0);
}

TEST_CASE("questions: every option the page names is one", "[reports]") {
  const std::string page = slurp(std::string(ETHOS_SOURCE) + "/docs/auditor-questions.md");
  const Stage stage;
  std::size_t tried = 0;
  for (const std::string option :
       {"--sample 25 --seed x", "--format xlsx", "--format csv", "--format oscal",
        "--redact POLICY", "--controls FILE", "--arguments", "--unverified"}) {
    const std::string word = option.substr(0, option.find(' '));
    CAPTURE(option);
    REQUIRE(page.find(word) != std::string::npos);
    const Ended ended = stage.all.start("ethos-report", stage.filled("... " + option));
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    ++tried;
  }
  CHECK(tried == 8);
  CHECK(stage.all
            .start("ethos-verify",
                   "--json --pin " + stage.places.at("P") + " " + stage.places.at("L"))
            .status == 0);
}

TEST_CASE("questions: each has an answer, and each section named is on the page", "[reports]") {
  const std::string page = slurp(std::string(ETHOS_SOURCE) + "/docs/auditor-questions.md");
  std::istringstream lines(page);
  std::size_t questions = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ") || line.starts_with("| question")) continue;
    ++questions;
    const auto middle = line.find(" | ");
    REQUIRE(middle != std::string::npos);
    CAPTURE(line);
    CHECK(line.size() - middle > 25);
  }
  CHECK(questions >= 50);
  // The kinds of questions that auditors and users of such reports are known to ask, by a word
  // each.
  for (const char* kind : {"Is this all?",
                           "changed or added it later",
                           "Who made this report",
                           "leave out",
                           "clock right",
                           "Who approved",
                           "dead sensor",
                           "redo it without you",
                           "newest state",
                           "exit status",
                           "why, and is there more",
                           "key ended or was revoked",
                           "deleted for retention",
                           "What ran, when, by whom",
                           "What was it allowed",
                           "never used",
                           "tried and not allowed",
                           "reach the network",
                           "limits were reached",
                           "rights grew",
                           "the baseline",
                           "exceptions were there",
                           "quarter before",
                           "all our machines",
                           "the population",
                           "choose the sample",
                           "How large must the sample",
                           "my own list of runs",
                           "began before the period",
                           "run at 00:30",
                           "without a server",
                           "sees no colours",
                           "thousands of runs",
                           "on paper",
                           "in my spreadsheet",
                           "one command of a pipeline",
                           "my pipeline read it",
                           "OSCAL observation",
                           "two counts",
                           "come out again",
                           "keep it for years",
                           "leave the house",
                           "guessed from a digest",
                           "has grown since",
                           "compliant with AC-6",
                           "Which states are there",
                           "Until when",
                           "was it in force",
                           "Nothing ran",
                           "mapping is not ours",
                           "verification run at all",
                           "Who reviewed this"}) {
    CAPTURE(kind);
    const auto at = page.find(kind);
    REQUIRE(at != std::string::npos);
    CHECK(page.rfind("\n| ", at) + 120 > at);  // in the first column
  }
  const Growing all;
  const std::string html = slurp(all.dir.file("r/report.html"));
  for (const char* section :
       {"Completeness", "In one minute", "Exceptions", "Allowed versus used", "Denials and limits",
        "Drift of grants", "Strength of enforcement", "Evidence by control", "Signers and keys",
        "Population and sample", "Runs", "Verification transcript", "What is not proved",
        "Method and glossary"}) {
    CAPTURE(section);
    CHECK(html.find("<h2>" + std::string(section) + "</h2>") != std::string::npos);
  }
}
