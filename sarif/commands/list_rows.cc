// SPDX-License-Identifier: Apache-2.0
#include "sarif/commands/list_rows.h"

#include <algorithm>

#include "ledger/base/bytes.h"
#include "ledger/record/digest.h"
#include "sarif/commands/cells.h"

namespace ethos::sarif {
namespace {

std::string number_cell(std::int64_t number) { return number > 0 ? std::to_string(number) : ""; }

// "src/a.c:3:7: warning: text [rule]", as compilers write it: editors jump to these.
class TextRows final : public ListRows {
 public:
  explicit TextRows(ByteSink& sink) : sink_(sink) {}
  void row(const ListedResult& result) override {
    std::string line = result.path.empty() ? plain_cell(result.tool) : plain_cell(result.path);
    if (result.line > 0) line += ":" + std::to_string(result.line);
    if (result.line > 0 && result.column > 0) line += ":" + std::to_string(result.column);
    line += ": ";
    line += result.level == Level::none ? "note" : level_text(result.level);
    line += ": " + plain_cell(result.message);
    if (!result.rule.empty()) line += " [" + plain_cell(result.rule) + "]";
    sink_.append(line + "\n");
  }

 private:
  ByteSink& sink_;
};

class CsvRows final : public ListRows {
 public:
  explicit CsvRows(ByteSink& sink) : sink_(sink) {}
  void begin() override {
    sink_.append("tool,rule,level,path,line,column,message,state,suppressed\r\n");
  }
  void row(const ListedResult& result) override {
    sink_.append(csv_cell(result.tool) + "," + csv_cell(result.rule) + "," +
                 std::string(level_text(result.level)) + "," + csv_cell(result.path) + "," +
                 number_cell(result.line) + "," + number_cell(result.column) + "," +
                 csv_cell(result.message) + "," + csv_cell(result.state) + "," +
                 (result.is_suppressed ? "yes" : "no") + "\r\n");
  }

 private:
  ByteSink& sink_;
};

class MarkdownRows final : public ListRows {
 public:
  explicit MarkdownRows(ByteSink& sink) : sink_(sink) {}
  void begin() override { sink_.append("| Level | Where | Rule | What |\n|---|---|---|---|\n"); }
  void row(const ListedResult& result) override {
    const std::string line = result.line > 0 ? ":" + std::to_string(result.line) : "";
    sink_.append("| " + std::string(level_text(result.level)) + " | " +
                 markdown_cell(result.path + line) + " | " + markdown_cell(result.rule) + " | " +
                 markdown_cell(result.message) + " |\n");
  }

 private:
  ByteSink& sink_;
};

class HtmlRows final : public ListRows {
 public:
  explicit HtmlRows(ByteSink& sink) : sink_(sink) {}
  void begin() override {
    sink_.append(html_page_begin("Findings") +
                 "<table>\n<tr><th>Level</th><th>Where</th><th>Rule</th><th>What</th>"
                 "<th>Tool</th></tr>\n");
  }
  void row(const ListedResult& result) override {
    const std::string level(level_text(result.level));
    const std::string line = result.line > 0 ? ":" + std::to_string(result.line) : "";
    sink_.append("<tr><td class=\"" + level + "\">" + level + "</td><td><code>" +
                 html_cell(result.path + line) + "</code></td><td><code>" + html_cell(result.rule) +
                 "</code></td><td>" + html_cell(result.message) + "</td><td>" +
                 html_cell(result.tool) + "</td></tr>\n");
  }
  void end() override { sink_.append("</table>\n" + html_page_end()); }

 private:
  ByteSink& sink_;
};

class JsonRows final : public ListRows {
 public:
  explicit JsonRows(ByteSink& sink) : writer_(sink, JsonLayout::indented) {}
  void begin() override { writer_.begin_array(); }
  void row(const ListedResult& result) override {
    writer_.begin_object();
    writer_.member("tool", result.tool);
    writer_.member("rule", result.rule);
    writer_.member("level", level_text(result.level));
    writer_.member("path", result.path);
    writer_.member_integer("line", result.line);
    writer_.member_integer("column", result.column);
    writer_.member("message", result.message);
    writer_.member("state", result.state);
    writer_.member_boolean("suppressed", result.is_suppressed);
    writer_.end_object();
  }
  void end() override {
    writer_.end_array();
    writer_.finish();
  }

 private:
  JsonWriter writer_;
};

// Code Climate's form, which GitLab shows in merge requests. A finding is known by its fingerprint,
// so two that are alike get numbers.
class CodeClimateRows final : public ListRows {
 public:
  explicit CodeClimateRows(ByteSink& sink) : writer_(sink, JsonLayout::indented) {}
  void begin() override { writer_.begin_array(); }
  void row(const ListedResult& result) override {
    const std::string& what = result.key.empty() ? result.message : result.key;
    std::string name = result.tool;
    for (const std::string* part : {&result.rule, &result.path, &what}) name += '\0' + *part;
    record::Digest digest = record::sha256(base::as_bytes(name));
    const std::size_t before = seen_[digest.text()]++;
    if (before > 0) {
      name += '\0' + std::to_string(before);
      digest = record::sha256(base::as_bytes(name));
    }
    writer_.begin_object();
    writer_.member("type", "issue");
    writer_.member("check_name", result.rule.empty() ? result.tool : result.rule);
    writer_.member("description", result.message);
    writer_.member("fingerprint", digest.text().substr(digest.text().find(':') + 1));
    writer_.member("severity", severity(result.level));
    writer_.key("location");
    writer_.begin_object();
    writer_.member("path", result.path);
    writer_.key("lines");
    writer_.begin_object();
    writer_.member_integer("begin", std::max<std::int64_t>(result.line, 1));
    if (result.end_line > result.line) writer_.member_integer("end", result.end_line);
    writer_.end_object();
    writer_.end_object();
    writer_.end_object();
  }
  void end() override {
    writer_.end_array();
    writer_.finish();
  }

 private:
  static std::string_view severity(Level level) {
    switch (level) {
      case Level::error:
        return "critical";
      case Level::warning:
        return "major";
      case Level::note:
        return "minor";
      case Level::none:
        break;
    }
    return "info";
  }

  JsonWriter writer_;
  std::map<std::string, std::size_t> seen_;
};

// "::error file=a.c,line=3::text": what a runner of GitHub turns into notes on the lines of a
// change.
class GithubRows final : public ListRows {
 public:
  explicit GithubRows(ByteSink& sink) : sink_(sink) {}
  void row(const ListedResult& result) override {
    std::string line = "::notice";
    if (result.level == Level::error) line = "::error";
    if (result.level == Level::warning) line = "::warning";
    std::string properties;
    const auto add = [&properties](std::string_view name, const std::string& value) {
      if (value.empty()) return;
      properties += (properties.empty() ? " " : ",") + std::string(name) + "=" + value;
    };
    add("file", escaped(result.path, true));
    add("line", number_cell(result.line));
    add("col", number_cell(result.column));
    add("title", escaped(result.rule, true));
    sink_.append(line + properties + "::" + escaped(result.message, false) + "\n");
  }

 private:
  static std::string escaped(const std::string& text, bool is_property) {
    std::string out;
    for (const char c : text) {
      if (c == '%') {
        out += "%25";
      } else if (c == '\r') {
        out += "%0D";
      } else if (c == '\n') {
        out += "%0A";
      } else if (is_property && c == ':') {
        out += "%3A";
      } else if (is_property && c == ',') {
        out += "%2C";
      } else {
        out += c;
      }
    }
    return out;
  }

  ByteSink& sink_;
};

}  // namespace

std::unique_ptr<ListRows> make_list_rows(std::string_view format, ByteSink& sink) {
  if (format == "text") return std::make_unique<TextRows>(sink);
  if (format == "csv") return std::make_unique<CsvRows>(sink);
  if (format == "json") return std::make_unique<JsonRows>(sink);
  if (format == "markdown") return std::make_unique<MarkdownRows>(sink);
  if (format == "html") return std::make_unique<HtmlRows>(sink);
  if (format == "code-climate") return std::make_unique<CodeClimateRows>(sink);
  if (format == "github") return std::make_unique<GithubRows>(sink);
  return nullptr;
}

}  // namespace ethos::sarif
