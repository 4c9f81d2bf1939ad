// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sarif/commands/cells.h"
#include "sarif/commands/run.h"
#include "tests/sarif/support.h"
#include "tests/sarif/temp_tree.h"

namespace ethos::sarif {
namespace {

using nlohmann::json;

json result(const std::string& rule, int line, const std::string& level) {
  return {{"ruleId", rule},
          {"level", level},
          {"message", {{"text", rule + " " + std::to_string(line)}}},
          {"locations",
           {{{"physicalLocation",
              {{"artifactLocation", {{"uri", "a.c"}}}, {"region", {{"startLine", line}}}}}}}}};
}

std::string log_of(const std::string& time, const std::vector<json>& results) {
  const std::vector<json> runs = {
      {{"tool", {{"driver", {{"name", "t<&>"}}}}},
       {"invocations", json::array({{{"executionSuccessful", true}, {"endTimeUtc", time}}})},
       {"results", results}}};
  return json{{"version", "2.1.0"}, {"runs", runs}}.dump();
}

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

TEST_CASE("trend: what came and what went between each two logs", "[sarif]") {
  const support::TempTree tree;
  json suppressed = result("S", 9, "error");
  suppressed["suppressions"] = json::array({{{"kind", "inSource"}}});
  tree.write("1",
             log_of("2026-01-01T00:00:00Z", {result("A", 1, "error"), result("B", 2, "note")}));
  tree.write("2", log_of("2026-02-01T00:00:00Z",
                         {result("A", 1, "error"), result("C", 5, "warning"), suppressed}));
  tree.write(
      "3", log_of("2026-03-01T00:00:00Z", {result("C", 5, "warning"), result("C", 7, "warning")}));
  const Called text = call({"trend", tree.file("1"), tree.file("2"), tree.file("3")});
  CHECK(text.code == 0);
  CHECK(text.out.find("2 results (1 errors, 1 warnings, 0 notes), 1 suppressed, 2 new, 1 gone\n") !=
        std::string::npos);
  CHECK(text.out.find("  +2  t<&>: C (0 to 2)\n") != std::string::npos);
  // In any order, sorted by the times of the runs.
  const Called sorted = call({"trend", "--sort", "time", "--format", "json", tree.file("3"),
                              tree.file("1"), tree.file("2")});
  const json rows = json::parse(sorted.out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["file"] == tree.file("1"));
  CHECK_FALSE(rows[0].contains("new"));
  CHECK(rows[2]["time"] == "2026-03-01T00:00:00Z");
  CHECK(rows[2]["gone"] == 2);
  CHECK(rows[1]["suppressed"] == 1);
  const Called csv = call({"trend", "--format", "csv", tree.file("1"), tree.file("2")});
  CHECK(csv.out.find(",2,1,1,0,0,1,2,1\r\n") != std::string::npos);
  const Called markdown = call({"trend", "--format", "markdown", tree.file("1"), tree.file("2")});
  CHECK(markdown.out.find("| t\\<\\&\\>: B | 1 | 0 | -1 |") != std::string::npos);
  const Called html =
      call({"trend", "--format", "html", tree.file("1"), tree.file("2"), tree.file("3")});
  CHECK(html.out.starts_with("<!DOCTYPE html>"));
  CHECK(html.out.find("<code>t&lt;&amp;&gt;: C</code>") != std::string::npos);
  CHECK(html.out.find("t<&>") == std::string::npos);
  CHECK(html.out.find("<polyline") != std::string::npos);
  CHECK(html.out.ends_with("</html>\n"));
  CHECK(call({"trend", tree.file("1")}).code == 0);
  CHECK(call({"trend", tree.file("1"), tree.file("none")}).code == 3);
  CHECK(call({"trend"}).code == 2);
}

TEST_CASE("summary: HTML stands for itself and lets nothing of the file be markup", "[sarif]") {
  const support::TempTree tree;
  tree.write("in", log_of("", {result("<script>alert(1)</script>", 1, "error")}));
  const std::string path = tree.file("out.html");
  CHECK(call({"summary", "--format", "html", tree.file("in"), "-o", path}).code == 0);
  const std::string page = support::read_all(path);
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("&lt;script&gt;") != std::string::npos);
  CHECK(page.find("http:") == std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(
      call({"summary", "--format", "html", tree.file("in"), "-o", tree.file("no/such/dir")}).code ==
      3);
}

TEST_CASE("cells: hostile texts in each format", "[sarif]") {
  CHECK(plain_cell("a\x1b[2J\nb\xE2\x80\xAE"
                   "c\xFF") == "a [2J b c\xEF\xBF\xBD");
  CHECK(csv_cell("=1+1") == "\"'=1+1\"");
  CHECK(csv_cell("a\"b") == "\"a\"\"b\"");
  CHECK(markdown_cell("a|b<c>") == "a\\|b\\<c\\>");
  CHECK(html_cell("<a href=\"x\">'&") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
}

}  // namespace
}  // namespace ethos::sarif
