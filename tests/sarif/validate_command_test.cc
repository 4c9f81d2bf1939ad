// SPDX-License-Identifier: Apache-2.0
// ethos-sarif validate and repair as they are called.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sarif/commands/run.h"
#include "sarif/validate/validate.h"
#include "tests/sarif/support.h"
#include "tests/sarif/temp_tree.h"

namespace ethos::sarif {
namespace {

namespace fs = std::filesystem;
const fs::path kFaults = fs::path(ETHOS_TEST_DATA) / "sarif" / "validate";

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome call(const std::vector<std::string>& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run(args, out, err);
  return {code, out.str(), err.str()};
}

std::string fault(const std::string& name) { return (kFaults / name).string(); }

TEST_CASE("validate: the exit status says how it went", "[sarif][validate]") {
  const std::string good = fault("good.sarif");
  const std::string bad = fault("spec.ETH1203.other_rule.sarif");
  const std::string cut = fault("spec.ETH1001.truncated.sarif");
  CHECK(call({"validate", good}).code == 0);
  CHECK(call({"validate", bad}).code == 1);
  CHECK(call({"validate", "--profile", "sonar", bad}).code == 0);  // only a warning there
  CHECK(call({"validate", good, bad}).code == 1);
  CHECK(call({"validate", cut, bad, good}).code == 3);
  CHECK(call({"validate", "/nonexistent/x.sarif"}).code == 3);
  CHECK(call({"validate", "/"}).code == 3);
  CHECK(call({"validate"}).code == 2);
  CHECK(call({"validate", "--profile", "jira", good}).code == 2);
  CHECK(call({"validate", "--format", "xml", good}).code == 2);
  CHECK(call({"validate", "--level", "off", good}).code == 2);
  CHECK(call({"validate", "--root", "/nonexistent", good}).code == 2);
  CHECK(call({"validate", "--no-such-option", good}).code == 2);
  CHECK(call({"validate", "-o", "/nonexistent/out", good}).code == 3);
}

TEST_CASE("validate: one line on standard error for what cannot be read", "[sarif][validate]") {
  const Outcome cut = call({"validate", "--quiet", fault("spec.ETH1001.truncated.sarif")});
  CHECK(cut.out.empty());
  CHECK(std::count(cut.err.begin(), cut.err.end(), '\n') == 1);
  CHECK(cut.err.find("ends in the middle") != std::string::npos);
  CHECK(call({"validate", fault("spec.ETH1001.utf16.sarif")}).err.find("UTF-16") !=
        std::string::npos);
}

TEST_CASE("validate: text names file, line, rule, pointer and fix", "[sarif][validate]") {
  const std::string path = fault("spec.ETH1203.other_rule.sarif");
  const Outcome outcome = call({"validate", path});
  CHECK(outcome.out.find(path + ":") == 0);
  CHECK(outcome.out.find(": error: The rule id is \"R1\", but rule 1 is \"R2\". "
                         "[ETH1203 at /runs/0/results/0]\n    Correct ruleIndex") !=
        std::string::npos);
  CHECK(outcome.out.find("1 error, 0 warnings, 0 notes in 1 run with 2 results (profile spec)") !=
        std::string::npos);
}

TEST_CASE("validate: what a file says reaches nobody's terminal", "[sarif][validate]") {
  const support::TempTree tree;
  auto log = nlohmann::json::parse(support::read_all(kFaults / "good.sarif"));
  log["runs"][0]["results"][0]["level"] =
      "\x1B[2J\xE2\x80\xAE"
      "evil";
  log["runs"][0]["\x1B]0;x\x07"] = 1;
  tree.write("a.sarif", log.dump());
  for (const char* format : {"text", "json", "sarif"}) {
    CAPTURE(format);
    const Outcome outcome = call({"validate", "--format", format, tree.file("a.sarif")});
    CHECK(outcome.code == 1);
    CHECK(outcome.out.find('\x1B') == std::string::npos);
    CHECK(outcome.out.find("\xE2\x80\xAE") == std::string::npos);
    CHECK(outcome.out.find("evil") != std::string::npos);
  }
}

TEST_CASE("validate: the JSON report holds the findings", "[sarif][validate]") {
  const auto report =
      nlohmann::json::parse(call({"validate", "--json", "--profile", "github", fault("good.sarif"),
                                  fault("github.ETH2019.number.sarif"),
                                  fault("spec.ETH1001.empty.sarif"), "/nonexistent"})
                                .out);
  CHECK(report["format"] == "ethos-sarif-validation");
  CHECK(report["version"] == 1);
  CHECK(report["profile"] == "github");
  REQUIRE(report["files"].size() == 4);
  CHECK(report["files"][0]["findings"].empty());
  CHECK(report["files"][0]["schema_valid"] == true);
  const auto& finding = report["files"][1]["findings"][0];
  CHECK(finding["rule"] == "ETH2019");
  CHECK(finding["level"] == "error");
  CHECK(finding["pointer"] == "/runs/0/tool/driver/rules/0/properties/security-severity");
  CHECK(finding["line"].get<int>() > 1);
  CHECK(report["files"][2]["readable"] == false);
  CHECK(report["files"][3]["readable"] == false);
  CHECK(report["files"][3].contains("failure"));
}

TEST_CASE("validate: the level chooses what is shown, not what is counted", "[sarif][validate]") {
  const std::string path = fault("spec.ETH1602.no_provenance.sarif");
  CHECK(call({"validate", path}).out.find("[ETH1602") == std::string::npos);
  CHECK(call({"validate", path}).out.find("1 note ") != std::string::npos);
  CHECK(call({"validate", "--level", "note", path}).out.find("[ETH1602") != std::string::npos);
}

TEST_CASE("validate: its own SARIF report pleases every profile", "[sarif][validate]") {
  const support::TempTree tree;
  std::vector<std::string> args = {"validate", "--format", "sarif", "--level", "note"};
  for (const auto& entry : fs::directory_iterator(kFaults)) {
    // Names of files of the repository, as a service would get them.
    if (entry.path().extension() == ".sarif") args.push_back(entry.path().string());
  }
  const Outcome outcome = call(args);
  CHECK(outcome.code == 3);
  for (const auto profile : {validation::Profile::spec, validation::Profile::github,
                             validation::Profile::gitlab, validation::Profile::sonar}) {
    CAPTURE(validation::profile_name(profile));
    MemorySource source(outcome.out);
    validation::Options options;
    options.profile = profile;
    const auto report = validation::validate(source, options);
    for (const auto& finding : report.findings) {
      CAPTURE(finding.rule->id, finding.pointer, finding.message);
      CHECK(finding.severity != validation::Severity::error);
    }
    CHECK(report.results > 100);
    CHECK(report.is_clean());
  }
}

TEST_CASE("validate: the rules can be listed", "[sarif][validate]") {
  CHECK(call({"validate", "--list-rules"}).out.find("ETH1203  RuleIndexDisagrees") !=
        std::string::npos);
  const auto list = nlohmann::json::parse(call({"validate", "--list-rules", "--json"}).out);
  CHECK(list["rules"].size() == validation::rules().size());
  CHECK(list["rules"][0]["levels"]["github"] == "error");
}

TEST_CASE("repair: the command writes the log and lists the changes", "[sarif][repair]") {
  const support::TempTree tree;
  const std::string in = fault("spec.ETH1104.column_zero.sarif");
  const std::string out = tree.file("out.sarif");
  const Outcome mended = call({"repair", in, "-o", out});
  CHECK(mended.code == 0);
  CHECK(mended.out.find(": number-out-of-range at /runs/0/results/0/locations/0/physicalLocation/"
                        "region/startColumn: 0 left out (no file has such a place)") !=
        std::string::npos);
  CHECK(mended.out.find("1 change: 1 number-out-of-range") != std::string::npos);
  CHECK(call({"validate", "--quiet", out}).code == 0);
  CHECK(call({"repair", "--check", "--quiet", in}).code == 1);
  CHECK(call({"repair", "--check", "--quiet", out}).code == 0);
  const Outcome piped = call({"repair", in, "-o", "-", "--json"});
  CHECK(nlohmann::json::parse(piped.out) == nlohmann::json::parse(support::read_all(out)));
  const auto first = nlohmann::json::parse(piped.err.substr(0, piped.err.find('\n')));
  CHECK(first["kind"] == "number-out-of-range");
  CHECK(first["before"] == "0");
  CHECK(call({"repair", in, "-o", out, "--changes", tree.file("changes.txt")}).out.empty());
  CHECK(support::read_all(tree.file("changes.txt")).find("number-out-of-range") !=
        std::string::npos);
}

TEST_CASE("repair: a failure leaves the output as it was", "[sarif][repair]") {
  const support::TempTree tree;
  tree.write("out.sarif", "old");
  CHECK(
      call({"repair", fault("spec.ETH1001.truncated.sarif"), "-o", tree.file("out.sarif")}).code ==
      3);
  CHECK(
      call({"repair", fault("spec.ETH1002.key_twice.sarif"), "-o", tree.file("out.sarif")}).code ==
      3);
  CHECK(call({"repair", fault("spec.ETH1004.of_1_0.sarif"), "-o", tree.file("out.sarif")}).code ==
        3);
  CHECK(support::read_all(tree.file("out.sarif")) == "old");
  CHECK(call({"repair", fault("good.sarif")}).code == 2);
  CHECK(call({"repair", "-o", "x"}).code == 2);
  CHECK(call({"repair", fault("good.sarif"), "-o", "-", "--changes", "-"}).code == 2);
  CHECK(call({"repair", fault("good.sarif"), "-o", "-", "--root", "/nonexistent"}).code == 3);
}

}  // namespace
}  // namespace ethos::sarif
