// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/sarif1.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sarif/commands/run.h"
#include "sarif/convert/formats.h"
#include "sarif/validate/validate.h"
#include "tests/sarif/support.h"
#include "tests/sarif/temp_tree.h"

namespace ethos::sarif {
namespace {

using nlohmann::json;

std::string upgraded(const std::string& text) {
  MemorySource source(text);
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  const auto done = upgrade_sarif1(source, writer);
  return done ? sink.text() : "error: " + done.error().message();
}

const char* const kLog =
    R"({"$schema":"http://json.schemastore.org/sarif-1.0.0","version":"1.0.0","runs":[{
  "id":"r1","tool":{"name":"old","fullName":"Old tool","version":"1.2","fileVersion":"1.2.3.4","language":"en-US","sarifLoggerVersion":"1"},
  "automationId":"nightly","invocation":{"commandLine":"old a b","startTime":"2017-01-01T00:00:00Z","workingDirectory":"C:\\w dir","responseFiles":{"x.rsp":"-y"}},
  "files":{"file:///a/b.c":{"mimeType":"text/x-c","hashes":[{"value":"ABC","algorithm":"sha256"}]},"file:///a/c.zip#in.c":{"uri":"file:///in.c","parentKey":"file:///a/b.c","offset":7}},
  "logicalLocations":{"N::f":{"name":"f","kind":"function","parentKey":"N"},"N":{"name":"N","kind":"namespace"}},
  "rules":{"R1":{"id":"R1","shortDescription":"Short.","defaultLevel":"error","messageFormats":{"f1":"Value {0} and {1}."}},"R1-1":{"id":"R1","defaultLevel":"pass","configuration":"disabled","extra":[1]}},
  "results":[
    {"ruleId":"R1","level":"error","formattedRuleMessage":{"formatId":"f1","arguments":["x","y"]},
     "locations":[{"resultFile":{"uri":"file:///a/b.c","region":{"startLine":3,"startColumn":2,"endColumn":5,"offset":20,"length":3}},"fullyQualifiedLogicalName":"N::f"}],
     "relatedLocations":[{"physicalLocation":{"uri":"file:///a/b.c"},"message":"There."}],
     "codeFlows":[{"message":"How","locations":[{"step":1,"physicalLocation":{"uri":"file:///a/b.c"},"message":"First","importance":"essential"}]}],
     "suppressionStates":["suppressedInSource"],"baselineState":"existing","toolFingerprintContribution":"abc",
     "fixes":[{"description":"d"}],"properties":{"mine":1},"id":"g"},
    {"ruleId":"R1","ruleKey":"R1-1","level":"pass","message":"Fine.","locations":[{"analysisTarget":{"uri":"a b.c"}}]}],
  "toolNotifications":[{"id":"N1","ruleId":"R1","message":"Note.","level":"warning"}]}]})";

TEST_CASE("sarif 1.0: keys become indices, and nothing is lost", "[sarif]") {
  const json log = json::parse(upgraded(kLog));
  const json& run = log["runs"][0];
  const json& driver = run["tool"]["driver"];
  CHECK(driver["name"] == "old");
  CHECK(driver["dottedQuadFileVersion"] == "1.2.3.4");
  CHECK(driver["language"] == "en-US");
  CHECK(driver["properties"]["sarif1"]["sarifLoggerVersion"] == "1");
  CHECK(driver["rules"][0]["messageStrings"]["f1"]["text"] == "Value {0} and {1}.");
  CHECK(driver["rules"][1]["defaultConfiguration"] == json{{"enabled", false}, {"level", "none"}});
  CHECK(driver["rules"][1]["properties"]["sarif1"]["extra"] == json{1});
  CHECK(run["automationDetails"]["id"] == "nightly");
  CHECK(run["invocations"][0]["workingDirectory"]["uri"] == "C%3A%5Cw%20dir");
  CHECK(run["invocations"][0]["properties"]["sarif1"]["responseFiles"]["x.rsp"] == "-y");
  CHECK(run["invocations"][0]["toolExecutionNotifications"][0]["associatedRule"] ==
        json{{"id", "R1"}, {"index", 0}});
  CHECK(run["artifacts"][0]["hashes"]["sha-256"] == "ABC");
  CHECK(run["artifacts"][1]["parentIndex"] == 0);
  CHECK(run["logicalLocations"][0]["parentIndex"] == 1);
  CHECK(run["properties"]["sarif1"]["id"] == "r1");
  const json& first = run["results"][0];
  CHECK(first["ruleIndex"] == 0);
  CHECK(first["message"] ==
        json{{"id", "f1"}, {"arguments", {"x", "y"}}, {"text", "Value x and y."}});
  CHECK(first["locations"][0]["physicalLocation"] ==
        json{{"artifactLocation", {{"uri", "file:///a/b.c"}, {"index", 0}}},
             {"region",
              {{"startLine", 3},
               {"startColumn", 2},
               {"endColumn", 5},
               {"byteOffset", 20},
               {"byteLength", 3}}}});
  CHECK(first["locations"][0]["logicalLocations"][0]["index"] == 0);
  CHECK(first["relatedLocations"][0]["message"]["text"] == "There.");
  const json& step = first["codeFlows"][0]["threadFlows"][0]["locations"][0];
  CHECK(step["importance"] == "essential");
  CHECK(step["properties"]["sarif1"]["step"] == 1);
  CHECK(first["suppressions"] == json::array({{{"kind", "inSource"}}}));
  CHECK(first["baselineState"] == "unchanged");
  CHECK(first["properties"]["mine"] == 1);
  CHECK(first["properties"]["sarif1"].contains("fixes"));
  CHECK(first["properties"]["sarif1"]["id"] == "g");
  const json& second = run["results"][1];
  CHECK(second["ruleIndex"] == 1);
  CHECK(second["kind"] == "pass");
  CHECK(second["level"] == "none");
  CHECK(second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.c");
}

TEST_CASE("sarif 1.0: what comes out is valid by the schema", "[sarif]") {
  const auto is_valid = [](const std::string& text) {
    MemorySource source(text);
    const auto report = validation::validate(source, {});
    for (const auto& one : report.findings) {
      if (one.severity == validation::Severity::error)
        UNSCOPED_INFO(one.pointer + ": " + one.message);
    }
    return report.is_schema_valid;
  };
  CHECK(is_valid(upgraded(kLog)));
  const auto shared = support::shared_sarif_dir();
  if (!shared) return;
  CHECK(is_valid(upgraded(support::read_all(*shared / "corpus" / "sarif-1.0.0-testhost.sarif"))));
}

TEST_CASE("sarif 1.0: other texts are refused", "[sarif]") {
  CHECK(upgraded("{").starts_with("error"));
  CHECK(upgraded("[]").starts_with("error"));
  CHECK(upgraded(R"({"version":"2.1.0","runs":[]})").find("reads 1.0.0") != std::string::npos);
  CHECK(upgraded(R"({"version":"1.0.0"})").find("runs") != std::string::npos);
  CHECK(json::parse(upgraded(R"({"version":"1.0.0","runs":[{}, null]})"))["runs"].size() == 2);
}

TEST_CASE("command: convert recognises SARIF 1.0", "[sarif]") {
  const support::TempTree tree;
  tree.write("in", kLog);
  std::ostringstream out;
  std::ostringstream err;
  CHECK(run({"convert", tree.file("in"), "-o", "-"}, out, err) == 0);
  CHECK(json::parse(out.str())["version"] == "2.1.0");
  CHECK(*detect_format(kLog) == "sarif-1.0");
  CHECK(*detect_format(R"({"version":"2.1.0","runs":[]})") == "sarif");
}

}  // namespace
}  // namespace ethos::sarif
