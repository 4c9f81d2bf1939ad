// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "reports/csv.h"
#include "reports/html_assets.h"
#include "reports/html_writer.h"
#include "reports/json_out.h"
#include "reports/markdown.h"
#include "reports/svg_chart.h"
#include "reports/text.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;

namespace {

// Tags in order of opening, checked to nest and close. Script and style contents are skipped, as a
// browser does.
std::vector<std::string> tags_of(const std::string& html) {
  static const std::set<std::string> kVoid = {"meta", "br", "input", "link", "img", "hr"};
  std::vector<std::string> seen;
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at)) {
    const std::size_t end = html.find('>', at);
    REQUIRE(end != std::string::npos);
    const std::string tag = html.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag[0] == '!') continue;
    if (tag[0] == '/') {
      REQUIRE_FALSE(open.empty());
      if (open.back() != tag.substr(1))
        FAIL("</" << tag.substr(1) << "> closes <" << open.back() << ">");
      open.pop_back();
      continue;
    }
    const std::string name = tag.substr(0, tag.find_first_of(" /"));
    seen.push_back(tag);
    if (name == "script" || name == "style") {
      at = html.find("</" + name + ">", at);
      REQUIRE(at != std::string::npos);
      at += name.size() + 3;
    } else if (!kVoid.contains(name) && tag.back() != '/') {
      open.push_back(name);
    }
  }
  CHECK(open.empty());
  return seen;
}

bool has_invisible(const std::string& text, bool allow_line_ends) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!point.valid) return true;
    const bool line_end = point.code == '\n' || point.code == '\r';
    if (is_invisible(point.code) && !(allow_line_ends && line_end)) return true;
    at += point.length;
  }
  return false;
}

std::string html_text(const std::string& value) {
  StringSink sink;
  Html(sink).text(value);
  return sink.text();
}

}  // namespace

TEST_CASE("safety: no output carries a character that hides or reorders text", "[reports]") {
  const Rendered files = render(small_model());
  for (const std::string* text : files.all()) {
    CAPTURE(text->substr(0, 60));
    CHECK_FALSE(has_invisible(*text, true));
  }
}

TEST_CASE("safety: a hostile name is text in the page", "[reports]") {
  const Rendered files = render(small_model());
  CHECK(files.html.find("<script>alert") == std::string::npos);
  CHECK(files.html.find("&lt;script&gt;alert(1)&lt;/script&gt;") != std::string::npos);
  CHECK(html_text("<a href=\"x\" onclick='y'>&") ==
        "&lt;a href=&quot;x&quot; onclick=&#39;y&#39;&gt;&amp;");
  CHECK(html_text("a\u202eb") == "a<b class=\"u\">\\u{202e}</b>b");
  StringSink sink;
  {
    Html page(sink);
    page.attribute("title", "\"><script>\u202e'\n");
  }
  CHECK(sink.text() == " title=\"&quot;&gt;&lt;script&gt;\\u{202e}&#39;\\u{a}\"");
}

TEST_CASE("safety: the page nests its tags and uses each id once", "[reports]") {
  const Rendered files = render(small_model());
  std::set<std::string> ids;
  std::set<std::string> links;
  for (const std::string& tag : tags_of(files.html)) {
    const auto id = tag.find(" id=\"");
    if (id != std::string::npos) {
      const std::string value = tag.substr(id + 5, tag.find('"', id + 5) - id - 5);
      if (!ids.insert(value).second) FAIL("id twice: " << value);
    }
    const auto href = tag.find(" href=\"#");
    if (href != std::string::npos)
      links.insert(tag.substr(href + 8, tag.find('"', href + 8) - href - 8));
  }
  for (const std::string& link : links) {
    CAPTURE(link);
    CHECK(ids.contains(link));
  }
}

TEST_CASE("safety: the policy names exactly the style and the script that are there", "[reports]") {
  const std::string html = render(small_model()).html;
  const auto content = [&html](const std::string& open, const std::string& close) {
    const auto start = html.find(open) + open.size();
    return html.substr(start, html.find(close, start) - start);
  };
  const std::string policy = content("Content-Security-Policy\" content=\"", "\"");
  CHECK(policy.find("default-src 'none'") == 0);
  CHECK(policy.find("style-src " + policy_hash(content("<style>", "</style>")) + ";") !=
        std::string::npos);
  CHECK(policy.find("script-src " + policy_hash(content("<script>", "</script>")) + ";") !=
        std::string::npos);
  CHECK(policy.find("unsafe") == std::string::npos);
  CHECK(policy.find("base-uri 'none'; form-action 'none'") != std::string::npos);
  std::size_t scripts = 0;
  for (const std::string& tag : tags_of(html)) {
    CAPTURE(tag);
    CHECK(tag.find(" style=") == std::string::npos);
    CHECK(tag.find(" on") == std::string::npos);
    CHECK(tag.find("src=") == std::string::npos);
    const bool is_namespace = tag.rfind("svg xmlns=\"http://www.w3.org/2000/svg\"", 0) == 0;
    CHECK((is_namespace || tag.find("//") == std::string::npos));
    if (tag.rfind("script", 0) == 0) ++scripts;
  }
  CHECK(scripts == 2);  // the data block and the script
  // A refusal of both would still leave the whole text: nothing is made by script but filters.
  CHECK(html.find("Allowed versus used") != std::string::npos);
}

TEST_CASE("safety: a page names its language, its sections and its tables", "[reports]") {
  const std::string html = render(small_model()).html;
  CHECK(html.find("<html lang=\"en\">") != std::string::npos);
  CHECK(html.find("class=\"skip\"") != std::string::npos);
  std::size_t tables = 0;
  std::size_t captions = 0;
  for (const std::string& tag : tags_of(html)) {
    if (tag.rfind("table", 0) == 0) ++tables;
    if (tag == "caption") ++captions;
    if (tag.rfind("th", 0) == 0 && tag != "thead") CHECK(tag.find("scope=") != std::string::npos);
    if (tag.rfind("svg", 0) == 0) CHECK(tag.find("role=\"img\"") != std::string::npos);
  }
  CHECK(tables == captions);
  CHECK(tables >= 8);
}

TEST_CASE("safety: a spreadsheet takes no cell for a formula", "[reports]") {
  CHECK(csv_cell("=1+1", CsvText::neutralised) == "'=1+1");
  CHECK(csv_cell("+1", CsvText::neutralised) == "'+1");
  CHECK(csv_cell("-1", CsvText::neutralised) == "'-1");
  CHECK(csv_cell("@SUM(A1)", CsvText::neutralised) == "'@SUM(A1)");
  CHECK(csv_cell("\uff1d1", CsvText::neutralised) == "'\uff1d1");
  CHECK(csv_cell("\t=1", CsvText::neutralised) == "\\u{9}=1");
  CHECK(csv_cell("=1", CsvText::raw) == "=1");
  CHECK(csv_cell("a,b", CsvText::neutralised) == "\"a,b\"");
  CHECK(csv_cell("say \"x\"", CsvText::neutralised) == "\"say \"\"x\"\"\"");
  CHECK(csv_cell("a\nb", CsvText::neutralised) == "a\\u{a}b");
  const Rendered files = render(small_model());
  for (const std::string* csv : {&files.runs, &files.denials, &files.limits, &files.grants,
                                 &files.exceptions, &files.counts}) {
    for (const auto& row : parse_csv(*csv)) {
      for (const std::string& cell : row) {
        if (cell.empty()) continue;
        CAPTURE(cell);
        const bool is_number =
            cell[0] == '-' && cell.find_first_not_of("0123456789", 1) == std::string::npos;
        CHECK((is_number || std::string("=+-@\t\r").find(cell[0]) == std::string::npos));
      }
    }
  }
}

TEST_CASE("safety: Markdown stays in its cells and calls nobody", "[reports]") {
  CHECK(markdown_code("a|b`c") == "`a\\|b'c`");
  CHECK(markdown_code("a\nb") == "`a\\u{a}b`");
  CHECK(markdown_text("<b>*x*_y_[z](u)") == "&lt;b&gt;\\*x\\*\\_y\\_\\[z\\](u)");
  CHECK(markdown_text("@someone") == "`@someone`");
  CHECK(markdown_text("see #42") == "`see #42`");
  CHECK(markdown_text("http://x") == "`http://x`");
  const std::string text = render(small_model()).markdown;
  std::istringstream lines(text);
  std::size_t columns = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] != '|') {
      columns = 0;
      continue;
    }
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1U : 0U;
    if (columns == 0) columns = bars;
    CAPTURE(line);
    CHECK(bars == columns);
  }
}

TEST_CASE("safety: JSON strings are exact and cannot end a script element", "[reports]") {
  const std::string hostile = "</script><!--\u2028\u202e\U000E0041\"\\\x01 caf\u00e9";
  StringSink sink;
  {
    JsonOut out(sink);
    out.open_object()
        .member("a", hostile)
        .member("b", "x\xffy")
        .member("c", ~std::uint64_t{0})
        .close_object();
  }
  const std::string& text = sink.text();
  CHECK(text.find('<') == std::string::npos);
  CHECK_FALSE(has_invisible(text, false));
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  REQUIRE_FALSE(parsed.is_discarded());
  CHECK(parsed["a"] == hostile);
  CHECK(parsed["b"] == "x\\xffy");
  CHECK(parsed["c"] == "18446744073709551615");
}

TEST_CASE("safety: charts hold for no data, one bar and the largest figures", "[reports]") {
  BarChart chart{"chart-x", "A <title>", "", "first", "second", {}};
  const auto draw = [&chart] {
    StringSink sink;
    {
      Html html(sink);
      put_bar_chart(html, chart);
    }
    tags_of(sink.text());
    return sink.text();
  };
  CHECK(draw().find("A &lt;title&gt;") != std::string::npos);
  chart.bars.push_back({"2026-01-01", ~std::uint64_t{0}, ~std::uint64_t{0}});
  draw();
  for (int i = 0; i < 500; ++i)
    chart.bars.push_back({"2026-01-02", static_cast<std::uint64_t>(i), 1});
  draw();
  CHECK(nice_top(0) == 1);
  CHECK(nice_top(3) == 5);
  CHECK(nice_top(10) == 10);
  CHECK(nice_top(11) == 20);
  CHECK(nice_top(~std::uint64_t{0}) == ~std::uint64_t{0});
}
