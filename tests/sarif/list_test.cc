// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sarif/commands/run.h"
#include "tests/sarif/support.h"
#include "tests/sarif/temp_tree.h"

namespace ethos::sarif {
namespace {

using nlohmann::json;

struct Called {
  int code;
  std::string out;
};

Called call(const std::vector<std::string>& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run(args, out, err);
  return {code, out.str()};
}

const char* const kLog = R"({"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","rules":[
  {"id":"R","defaultConfiguration":{"level":"error"}}]}},"results":[
  {"ruleId":"R","message":{"text":"50% of \"it\"\nis <wrong>, or: not"},"locations":[{"physicalLocation":{
    "artifactLocation":{"uri":"src/my%20a,b.c"},"region":{"startLine":3,"startColumn":7,"endLine":5}}}]},
  {"ruleId":"=S","level":"note","message":{"text":"same"},"locations":[{"physicalLocation":{
    "artifactLocation":{"uri":"b.c"},"region":{"startLine":9}}}]},
  {"ruleId":"=S","level":"note","message":{"text":"same"},"locations":[{"physicalLocation":{
    "artifactLocation":{"uri":"b.c"},"region":{"startLine":12}}}]},
  {"message":{"text":"nowhere"}},
  {"ruleId":"R","message":{"text":"hidden"},"suppressions":[{"kind":"inSource"}]},
  {"ruleId":"R","message":{"text":"gone"},"baselineState":"absent"}]}]})";

TEST_CASE("list: each form, with the level in effect and what is open only", "[sarif]") {
  const support::TempTree tree;
  tree.write("log", kLog);
  const auto list = [&tree](const char* format) {
    const Called done = call({"list", "--format", format, tree.file("log")});
    CHECK(done.code == 0);
    return done.out;
  };
  CHECK(list("text") ==
        "src/my a,b.c:3:7: error: 50% of \"it\" is <wrong>, or: not [R]\n"
        "b.c:9: note: same [=S]\nb.c:12: note: same [=S]\nt: warning: nowhere\n");
  CHECK(list("csv").find("\"t\",\"'=S\",note,\"b.c\",9,,\"same\",\"\",no\r\n") !=
        std::string::npos);
  CHECK(
      list("github").find("::error file=src/my a%2Cb.c,line=3,col=7,title=R::50%25 of \"it\"%0Ais "
                          "<wrong>, or: not\n") == 0);
  CHECK(list("github").find("\n::warning::nowhere\n") != std::string::npos);
  CHECK(list("html").find("&lt;wrong&gt;") != std::string::npos);
  CHECK(list("markdown").find("| note | b\\.c:9 | =S | same |") != std::string::npos);
  const json plain = json::parse(list("json"));
  REQUIRE(plain.size() == 4);
  CHECK(plain[0]["level"] == "error");
  CHECK(plain[0]["path"] == "src/my a,b.c");
  const json all = json::parse(call({"list", "--all", "--format", "json", tree.file("log")}).out);
  REQUIRE(all.size() == 6);
  CHECK(all[4]["suppressed"] == true);
  CHECK(all[5]["state"] == "absent");
  const json quality = json::parse(list("code-climate"));
  REQUIRE(quality.size() == 4);
  std::set<std::string> prints;
  for (const json& one : quality) prints.insert(one["fingerprint"].get<std::string>());
  CHECK(prints.size() == 4);
  CHECK(quality[0]["severity"] == "critical");
  CHECK(quality[0]["location"]["lines"] == json({{"begin", 3}, {"end", 5}}));
  CHECK(call({"list", "--format", "word", tree.file("log")}).code == 2);
  CHECK(call({"list", tree.file("absent")}).code == 3);
  tree.write("half", std::string(kLog).substr(0, 600));
  CHECK(call({"list", tree.file("log"), tree.file("half"), "-o", tree.file("out")}).code == 3);
  CHECK_FALSE(std::filesystem::exists(tree.file("out")));
}

// What is written for other programs is read again by convert, with the same places and words.
TEST_CASE("list: other programs' forms come back", "[sarif][golden]") {
  const auto shared = support::shared_sarif_dir();
  if (!shared) {
    WARN("skipped: shared data not present");
    return;
  }
  const support::TempTree tree;
  const std::string log = *shared / "corpus" / "gcc-14.2-fanalyzer-bugs.sarif";
  const auto said = [](const std::string& file) {
    std::vector<std::string> out;
    for (const json& one : json::parse(call({"list", "--format", "json", file}).out)) {
      out.push_back(one["rule"].get<std::string>() + "|" + one["path"].get<std::string>() + "|" +
                    std::to_string(one["line"].get<int>()) + "|" +
                    one["message"].get<std::string>());
    }
    return out;
  };
  const auto before = said(log);
  REQUIRE(before.size() > 5);
  for (const auto& [format, from] : std::map<std::string, std::string>{
           {"code-climate", "code-climate"}, {"github", "github-annotations"}, {"text", "gcc"}}) {
    CAPTURE(format);
    CHECK(call({"list", "--format", format, log, "-o", tree.file("out")}).code == 0);
    CHECK(call({"convert", "--from", from, tree.file("out"), "-o", tree.file("again")}).code == 0);
    CHECK(said(tree.file("again")) == before);
  }
}

}  // namespace
}  // namespace ethos::sarif
