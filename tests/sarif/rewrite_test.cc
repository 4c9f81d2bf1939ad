// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/rewrite.h"

#include <catch2/catch.hpp>

#include "sarif/log/digest.h"
#include "tests/sarif/support.h"

namespace ethos::sarif {
namespace {

std::string compact(std::string_view text) {
  MemorySource source(text);
  JsonReader reader(source);
  JsonFragment fragment;
  if (!fragment.capture(reader, reader.next())) return "(not JSON)";
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  fragment.root().write(writer);
  writer.finish();
  return sink.text();
}

std::string rewrite(std::string_view text, const Additions& additions = {},
                    JsonLayout layout = JsonLayout::compact) {
  MemorySource source(text);
  JsonReader reader(source);
  StringSink sink;
  JsonWriter writer(sink, layout);
  const auto done = rewrite_log(reader, writer, additions);
  return done ? sink.text() : "error: " + done.error().message();
}

Additions with_block() {
  Additions additions;
  additions.write_sandbox = [](JsonWriter& writer) {
    writer.key("sandbox");
    writer.integer(1);
  };
  return additions;
}

Additions with_denial() {
  Additions additions = with_block();
  additions.rule = Rule{"r", "", "s", "f", "h", "", Level::error, {}, "", "", ""};
  Finding finding;
  finding.message = "m";
  finding.location.uri = "u";
  additions.findings.push_back(finding);
  return additions;
}

const std::string kRule =
    R"({"id":"r","shortDescription":{"text":"s"},"fullDescription":{"text":"f"},"help":{"text":"h"},"defaultConfiguration":{"level":"error"}})";
const std::string kResult =
    R"({"ruleId":"r","level":"warning","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"u"},"region":{"startLine":1}}}]})";

TEST_CASE("rewrite: nothing added, nothing changed but white space", "[sarif]") {
  const std::string_view text =
      "{ \"version\" : \"2.1.0\", \"x\\u0041\": [1.0, 1E5, 18446744073709551615, -0.0, "
      "\"\\/\\u00e9\"],"
      " \"runs\":[ {\"tool\":{\"driver\":{\"name\":\"t\"}},\"results\":[{\"a\":null}]}, 7 ]}";
  CHECK(rewrite(text) == compact(text));
  CHECK(compact(rewrite(text, {}, JsonLayout::indented)) == compact(text));
}

TEST_CASE("rewrite: the block goes into every run, in and without a property bag", "[sarif]") {
  CHECK(rewrite(R"({"version":"2.1.0","runs":[{"properties":{"a":1}},{"b":2}]})", with_block()) ==
        "{\"version\":\"2.1.0\",\"runs\":[{\"properties\":{\"a\":1,\"sandbox\":1}},"
        "{\"b\":2,\"properties\":{\"sandbox\":1}}]}\n");
}

TEST_CASE("rewrite: a block that the tool wrote does not pass for ours", "[sarif]") {
  CHECK(
      rewrite(
          R"({"version":"2.1.0","runs":[{"properties":{"sandbox":{"denied":false},"sandbox_from_input":3}}]})",
          with_block()) ==
      "{\"version\":\"2.1.0\",\"runs\":[{\"properties\":{\"sandbox_from_input\":{\"denied\":false},"
      "\"sandbox_from_input_from_input\":3,\"sandbox\":1}}]}\n");
}

TEST_CASE("rewrite: findings and their rule join the first run", "[sarif]") {
  CHECK(
      rewrite(
          R"({"version":"2.1.0","runs":[{"results":[{"x":1}],"tool":{"driver":{"name":"t","rules":[{"id":"a"}]}}},{"results":[]}]})",
          with_denial()) ==
      "{\"version\":\"2.1.0\",\"runs\":[{\"results\":[{\"x\":1}," + kResult +
          "],\"tool\":{\"driver\":{\"name\":\"t\",\"rules\":[{\"id\":\"a\"}," + kRule +
          "]}},\"properties\":{\"sandbox\":1}},{\"results\":[],\"properties\":{\"sandbox\":1}}]}"
          "\n");
}

TEST_CASE("rewrite: no rules, no results, null results, rule already there", "[sarif]") {
  const std::string tail = ",\"properties\":{\"sandbox\":1}}]}\n";
  CHECK(
      rewrite(R"({"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}}}]})", with_denial()) ==
      "{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"t\",\"rules\":[" + kRule +
          "]}},\"results\":[" + kResult + "]" + tail);
  CHECK(
      rewrite(
          R"({"version":"2.1.0","runs":[{"results":null,"tool":{"driver":{"rules":[{"id":"r"}]}}}]})",
          with_denial()) == "{\"version\":\"2.1.0\",\"runs\":[{\"results\":[" + kResult +
                                "],\"tool\":{\"driver\":{\"rules\":[{\"id\":\"r\"}]}}" + tail);
}

// With what the log itself says of its rules.
std::string owned(const std::string& text, Additions additions) {
  MemorySource source(text);
  JsonReader reader(source);
  const auto survey = survey_log(reader);
  if (!survey) return "error: " + survey.error().message();
  additions.own_rule = "r";
  additions.survey = &*survey;
  return rewrite(text, additions);
}

std::string run_of(const std::string& tool, const std::string& rest) {
  return R"({"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t",)" + tool + "}}" + rest +
         "}]}";
}

TEST_CASE("rewrite: what a tool calls as ours is called gets another name", "[sarif]") {
  const std::string tail = R"(,"properties":{"sandbox":1})";
  const auto with_rules = [](const std::string& theirs) {
    return "\"rules\":[" + theirs + "," + kRule + "]";
  };
  const auto with_results = [&](const std::string& theirs) {
    return ",\"results\":[" + theirs + "," + kResult + "]" + tail;
  };
  // In rules, also of extensions and policies, in results, and one that has the other name already.
  CHECK(
      owned(
          run_of(
              R"("rules":[{"id":"r"},{"id":"r_from_input"},{"id":"r/a","deprecatedIds":["r"]},{"id":"rr"}])",
              R"(,"results":[{"ruleId":"r","ruleIndex":0},{"rule":{"id":"r"}},{"ruleId":"\u0072/x"}])"),
          with_denial()) ==
      run_of(
          with_rules(
              R"({"id":"r_from_input"},{"id":"r_from_input_from_input"},{"id":"r_from_input/a","deprecatedIds":["r_from_input"]},{"id":"rr"})"),
          with_results(
              R"({"ruleId":"r_from_input","ruleIndex":0},{"rule":{"id":"r_from_input"}},{"ruleId":"r_from_input/x"})")) +
          "\n");
  CHECK(
      owned(
          R"({"version":"2.1.0","runs":[{"tool":{"extensions":[{"rules":[{"id":"r"}]}]},"policies":[{"rules":[{"id":"r"}]}]}]})",
          with_block()) ==
      R"({"version":"2.1.0","runs":[{"tool":{"extensions":[{"rules":[{"id":"r_from_input"}]}]},"policies":[{"rules":[{"id":"r_from_input"}]}])" +
          tail + "}]}\n");
  // By a number beyond the tool's own rules, and of an extension that is not there.
  CHECK(
      owned(
          run_of(
              R"("rules":[{"id":"a"}])",
              R"(,"results":[{"ruleIndex":1},{"ruleIndex":0},{"ruleIndex":1.0},{"rule":{"index":7}},{"ruleIndex":3,"rule":{"index":3,"toolComponent":{"index":0}}}])"),
          with_denial()) ==
      run_of(
          with_rules(R"({"id":"a"})"),
          with_results(
              R"({"ruleIndex":-1},{"ruleIndex":0},{"ruleIndex":-1},{"rule":{"index":-1}},{"ruleIndex":-1,"rule":{"index":-1,"toolComponent":{"index":0}}})")) +
          "\n");
  // An extension that is there and has the rule; a GUID in either case; two names for a component.
  const auto indexes = [](const std::string& component, const std::string& written) {
    const std::string tool =
        R"("guid":"AAAAAAAA-0000-4000-8000-000000000001","rules":[{"id":"a"}]},)"
        R"("extensions":[{"name":"e","guid":"e1","rules":[{},{}]})";
    const std::string text = R"({"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t",)" + tool +
                             R"(]},"results":[{"ruleIndex":1,"rule":{"index":1,"toolComponent":)" +
                             component + "}}]}]}";
    CAPTURE(component);
    CHECK(owned(text, with_block())
              .find("\"ruleIndex\":" + written + ",\"rule\":{\"index\":" + written + ",") !=
          std::string::npos);
  };
  indexes(R"({"guid":"AAAAAAAA-0000-4000-8000-000000000001"})", "-1");
  indexes(R"({"guid":"aaaaaaaa-0000-4000-8000-000000000001"})", "-1");
  indexes(R"({"guid":"bbbbbbbb-0000-4000-8000-000000000001"})", "-1");
  indexes(R"({"name":"T"})", "-1");
  indexes(R"({"index":1})", "-1");
  indexes(R"({"index":0,"name":"t"})", "-1");
  indexes(R"({"index":0})", "1");
  indexes(R"({"guid":"E1"})", "1");
  indexes(R"({"index":0,"name":"e","guid":"E1"})", "1");
  // What is switched off; an override that names no rule of the tool's is left out.
  CHECK(
      owned(
          run_of(
              R"("rules":[])",
              R"(,"results":[],"invocations":[{"ruleConfigurationOverrides":[{"descriptor":{"id":"r","index":0}},{"descriptor":{"index":0}},{"descriptor":{}},{"descriptor":{"guid":"g"}},7]}])"),
          with_block()) ==
      run_of(
          R"("rules":[])",
          R"(,"results":[],"invocations":[{"ruleConfigurationOverrides":[{"descriptor":{"id":"r_from_input","index":-1}},{"descriptor":{"guid":"g"}}]}])" +
              tail) +
          "\n");
  CHECK(
      owned(
          run_of(
              R"("x":{"properties":{"record_seq":1,"id":"r"}})",
              R"(,"results":[{"properties":{"record_seq":1,"record_type":"x"},"partialFingerprints":{"ethosDenial/v1":"f","a":"b"}}])"),
          with_block()) ==
      run_of(
          R"("x":{"properties":{"record_seq_from_input":1,"id":"r"}})",
          R"(,"results":[{"properties":{"record_seq_from_input":1,"record_type_from_input":"x"},"partialFingerprints":{"ethosDenial_from_input/v1":"f","a":"b"}}])" +
              tail) +
          "\n");
}

TEST_CASE("rewrite: what evidence cannot stand beside is refused", "[sarif]") {
  for (const auto& [text, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"({"version":"2.1.0","runs":7})", "runs is no list"},
           {R"({"version":"2.1.0","runs":[7]})", "a run is no object"},
           {R"({"version":"2.1.0","runs":[{"results":{}}]})", "results is no list"},
           {R"({"version":"2.1.0","runs":[{"results":[1]}]})", "a result is no object"},
           {R"({"version":"2.1.0","runs":[{"properties":[]}]})", "no object"},
           {R"({"version":"2.1.0","runs":[{"tool":[]}]})", "tool is no object"},
           {R"({"version":"2.1.0","runs":[{"tool":{"driver":1}}]})", "driver is no object"},
           {R"({"version":"2.1.0","runs":[{"tool":{"driver":{"rules":null}}}]})",
            "rules is no list"},
           {R"({"version":"2.1.0","runs":[{"externalPropertyFileReferences":{}}]})", "external"},
           {R"({"version":"2.1.0","runs":[],"inlineExternalProperties":[]})", "external"}}) {
    CAPTURE(text);
    CHECK(owned(text, with_denial()).find(why) != std::string::npos);
  }
}

TEST_CASE("rewrite: a log without runs can get one", "[sarif]") {
  Additions additions = with_block();
  additions.write_run = [](JsonWriter& writer) {
    writer.begin_object();
    writer.end_object();
  };
  CHECK(rewrite(R"({"version":"2.1.0","runs":[]})", additions) ==
        "{\"version\":\"2.1.0\",\"runs\":[{}]}\n");
  CHECK(rewrite(R"({"runs":null,"version":"2.1.0"})", additions) ==
        "{\"runs\":[{}],\"version\":\"2.1.0\"}\n");
  CHECK(rewrite(R"({"version":"2.1.0","runs":[]})") == "{\"version\":\"2.1.0\",\"runs\":[]}\n");
}

TEST_CASE("rewrite: automationDetails only where there is none", "[sarif]") {
  Additions additions;
  additions.automation_id = "c/";
  CHECK(rewrite(R"({"version":"2.1.0","runs":[{"automationDetails":{"id":"o"}},{}]})", additions) ==
        "{\"version\":\"2.1.0\",\"runs\":[{\"automationDetails\":{\"id\":\"o\"}},"
        "{\"automationDetails\":{\"id\":\"c/\"}}]}\n");
}

TEST_CASE("rewrite: what is no SARIF 2.1.0 is refused by name", "[sarif]") {
  for (const auto& [text, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"[]", "not a SARIF log"},
           {"{}", "missing"},
           {R"({"version":"2.1.0"})", "missing"},
           {R"({"runs":[]})", "missing"},
           {R"({"version":"1.0.0","runs":[]})", "\"1.0.0\""},
           {R"({"version":"2.2","runs":[]})", "\"2.2\""},
           {R"({"version":2.1,"runs":[]})", "2.1"},
           {R"({"version":"2.1.0","runs":[{"a":1,"a":2}]})", "twice"},
           {R"({"version":"2.1.0","runs":[)", "ends in the middle"},
           {R"({"version":"2.1.0","runs":[]} x)", "after the end"}}) {
    CAPTURE(text);
    CHECK(rewrite(text, with_denial()).find(why) != std::string::npos);
  }
}

TEST_CASE("digest: the published vectors of a result's projection", "[sarif][golden]") {
  const auto projection = [](std::string_view text) {
    MemorySource source(text);
    JsonReader reader(source);
    JsonFragment fragment;
    REQUIRE(fragment.capture(reader, reader.next()));
    return result_projection(fragment.root());
  };
  CHECK(
      projection(R"({"message":{"text":"Loop."},"ruleId":"SC2045","ruleIndex":0,"level":"error",
    "locations":[{"physicalLocation":{"region":{"startLine":2,"startColumn":11,"endColumn":18},
    "artifactLocation":{"uri":"src/tabs.sh"}}},{"physicalLocation":{"artifactLocation":{"uri":"no"}}}]})") ==
      R"({"end_column":18,"level":"error","message":"Loop.","rule_id":"SC2045","start_column":11,"start_line":2,"uri":"src/tabs.sh"})");
  CHECK(
      projection(
          R"({"ruleIndex":0,"rule":{"id":"r\/1"},"level":"note","message":{"text":"tab\t\"quote\" \u00e9 \u0000"},"locations":[]})") ==
      "{\"level\":\"note\",\"message\":\"tab\\t\\\"quote\\\" \xC3\xA9 "
      "\xEF\xBF\xBD\",\"rule_id\":\"r/1\"}");
  CHECK(
      projection(
          R"({"level":3,"locations":[{"physicalLocation":{"region":{"startLine":1.0,"endLine":9007199254740992}}}]})") ==
      "{}");
  CHECK(projection("7") == "{}");
}

TEST_CASE("digest: a file and its results", "[sarif]") {
  const std::string text =
      R"({"version":"2.1.0","runs":[{"results":[{"ruleId":"a"},{}]},{"results":null},{"results":[{}]}]})";
  support::TricklingSource source(text, 7);
  const auto digest = digest_log(source);
  REQUIRE(digest);
  const std::string empty =
      "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
  REQUIRE(digest->results.size() == 3);
  CHECK(digest->results[1] == empty);
  CHECK(digest->results[2] == empty);
  CHECK(digest->file.size() == empty.size());
  MemorySource broken("{\"version\":\"2.1.0\"");
  CHECK_FALSE(digest_log(broken));
}

TEST_CASE("rewrite: every file of the corpus keeps every token", "[sarif][golden]") {
  const auto shared = support::shared_sarif_dir();
  if (!shared) {
    WARN("skipped: shared data not present");
    return;
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*shared / "corpus")) {
    if (entry.path().extension() != ".sarif") continue;
    const std::string text = support::read_all(entry.path());
    CAPTURE(entry.path().filename().string());
    const std::string out = rewrite(text);
    ++files;
    if (out.rfind("error: ", 0) == 0) {
      // Only those that are another version, or no log at all.
      const std::string name = entry.path().filename().string();
      CHECK((name == "sarif-1.0.0-testhost.sarif" || name == "no-runs.sarif"));
      continue;
    }
    CHECK(out == compact(text));
    CHECK(rewrite(text, with_denial()).rfind("error: ", 0) != 0);
  }
  CHECK(files == 58);
}

}  // namespace
}  // namespace ethos::sarif
