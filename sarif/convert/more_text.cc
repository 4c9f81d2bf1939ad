// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <optional>

#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/convert/text_line.h"
#include "sarif/rules/known.h"
#include "sarif/rules/rule_book.h"

// Texts of which each line, or a line and the heading above it, is a finding: GitHub's workflow
// commands, ansible-lint, Pylint's own text, ESLint's "stylish".

namespace ethos::sarif {
namespace {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// What a line says.
struct Said {
  std::string path;
  Region region;
  Level level = Level::warning;
  std::string id;
  std::string text;
};

using Parse = std::function<std::optional<Said>(std::string_view line)>;
using Describe = std::function<Rule(const std::string& id)>;

// `is_context(line)`: a line that the tool writes beside its findings.
base::Result<ConvertedRun> convert_said(ByteSource& source, ToolInfo tool, const Parse& parse,
                                        bool (*is_context)(std::string_view),
                                        const Describe& describe) {
  ConvertedRun run;
  run.tool = std::move(tool);
  RuleBook rules(run);
  bool has_other_text = false;
  bool has_context = false;
  auto done = read_lines(source, [&](std::string_view line) -> base::Result<void> {
    auto said = parse(line);
    if (!said) {
      if (is_blank(line)) return {};
      (is_context(line) ? has_context : has_other_text) = true;
      return {};
    }
    Finding finding;
    finding.level = said->level;
    finding.rule = rules.index_of(said->id, [&](const std::string& id) {
      Rule rule = describe(id);
      rule.default_level = said->level;
      return rule;
    });
    finding.message = clean_message(said->text);
    finding.location.path = std::move(said->path);
    finding.location.region = said->region;
    return add_finding(run, std::move(finding));
  });
  if (!done) return base::Unexpected(std::move(done).error());
  if (has_other_text && !has_context && run.findings.empty()) {
    return base::fail(base::Errc::malformed, "no line is " + run.tool.name + " output");
  }
  return run;
}

// Workflow commands escape %, CR and LF, and in properties ":" and "," too.
std::string unescape_command(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const std::string_view code = text.substr(i + 1, 2);
      const char found = code == "25"   ? '%'
                         : code == "0D" ? '\r'
                         : code == "0A" ? '\n'
                         : code == "3A" ? ':'
                         : code == "2C" ? ','
                                        : '\0';
      if (found != '\0') {
        out.push_back(found);
        i += 2;
        continue;
      }
    }
    out.push_back(text[i]);
  }
  return out;
}

// ::error file=app.js,line=1,col=5,endColumn=7,title=Missing semicolon::The text
std::optional<Said> parse_annotation(std::string_view line) {
  line = line.substr(std::min(line.find("::"), line.size()));
  Said said;
  constexpr std::pair<std::string_view, Level> kWords[] = {
      {"::error", Level::error}, {"::warning", Level::warning}, {"::notice", Level::note}};
  std::string_view rest;
  for (const auto& [word, level] : kWords) {
    if (!line.starts_with(word)) continue;
    rest = line.substr(word.size());
    said.level = level;
  }
  const std::size_t end = rest.find("::");
  if (end == std::string_view::npos || (end > 0 && rest[0] != ' ')) return std::nullopt;
  said.text = unescape_command(rest.substr(end + 2));
  std::optional<std::int64_t> first_line;
  std::optional<std::int64_t> last_line;
  std::optional<std::int64_t> column;
  std::optional<std::int64_t> end_column;
  std::string_view properties = trim(rest.substr(0, end));
  while (!properties.empty()) {
    const std::size_t comma = std::min(properties.find(','), properties.size());
    const std::string_view one = properties.substr(0, comma);
    properties.remove_prefix(std::min(comma + 1, properties.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string_view key = trim(one.substr(0, equals));
    const std::string value = unescape_command(one.substr(std::min(equals + 1, one.size())));
    if (key == "file") said.path = value;
    if (key == "line") first_line = parse_position(value);
    if (key == "endLine") last_line = parse_position(value);
    if (key == "col" || key == "startColumn") column = parse_position(value);
    if (key == "endColumn") end_column = parse_position(value);
    if (key == "title") said.id = value;
  }
  // An annotation of no file is a message of the job.
  if (said.path.empty()) return std::nullopt;
  said.region = make_region(first_line, column, last_line, end_column);
  const bool is_id = !said.id.empty() && said.id.size() <= 100 &&
                     said.id.find(' ') == std::string::npos &&
                     said.id.find('\n') == std::string::npos;
  if (!is_id) {
    if (!said.id.empty()) said.text = said.id + ": " + said.text;
    said.id = "annotation";
  }
  return said;
}

bool is_command(std::string_view line) {
  return line.find("::") != std::string_view::npos || line.starts_with("##[");
}

bool is_rule_word(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// tasks/main.yml:3: name[missing]: All tasks should be named.
// tasks/main.yml:3: [E301] Commands should not change things   (before version 6)
std::optional<Said> parse_ansible(std::string_view line) {
  std::string_view id;
  std::string_view text;
  const auto accepts = [&](std::string_view rest) {
    if (rest.starts_with('[')) {
      const std::size_t close = rest.find("] ");
      if (close == std::string_view::npos || close < 2) return false;
      id = rest.substr(1, close - 1);
      text = rest.substr(close + 2);
      return id.find(' ') == std::string_view::npos;
    }
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos) return false;
    id = rest.substr(0, colon);
    text = rest.substr(colon + 2);
    const std::size_t bracket = std::min(id.find('['), id.size());
    return is_rule_word(id.substr(0, bracket)) && (bracket == id.size() || id.ends_with(']'));
  };
  const auto place = split_place(line, accepts);
  if (!place) return std::nullopt;
  Said said;
  said.path = place->path;
  said.region = make_region(parse_position(place->line), parse_position(place->column), {}, {});
  said.id = id;
  said.text = text;
  // Warnings carry a mark behind the text.
  constexpr std::string_view kWarning = " (warning)";
  said.level = Level::error;
  if (said.text.ends_with(kWarning)) {
    said.text.resize(said.text.size() - kWarning.size());
    said.level = Level::warning;
  }
  return said;
}

Rule ansible_rule(const std::string& id) {
  const std::string page = id.substr(0, std::min(id.find('['), id.size()));
  return plain_rule(id, "ansible-lint",
                    is_rule_word(page)
                        ? "https://ansible.readthedocs.io/projects/lint/rules/" + page + "/"
                        : std::string());
}

bool is_ansible_context(std::string_view line) {
  return line.starts_with("Passed: ") || line.starts_with("Failed: ") ||
         line.starts_with("WARNING") || line.starts_with("# ");
}

Level level_of_pylint(char letter) {
  if (letter == 'E' || letter == 'F') return Level::error;
  return letter == 'W' ? Level::warning : Level::note;
}

bool is_pylint_id(std::string_view id) {
  return id.size() == 5 && std::string_view("CRWEFI").find(id[0]) != std::string_view::npos &&
         std::all_of(id.begin() + 1, id.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// py/app.py:6:0: C0116: Missing function or method docstring (missing-function-docstring)
// py/app.py:6: [C0116(missing-function-docstring), run] Missing function or method docstring
struct PylintSaid {
  Said said;
  std::string symbol;
};

std::optional<PylintSaid> parse_pylint(std::string_view line) {
  PylintSaid out;
  std::string_view text;
  const auto accepts = [&](std::string_view rest) {
    const bool is_parseable = rest.starts_with('[');
    if (is_parseable) rest.remove_prefix(1);
    if (!is_pylint_id(rest.substr(0, 5))) return false;
    out.said.id = rest.substr(0, 5);
    rest.remove_prefix(5);
    if (!is_parseable) {
      if (!rest.starts_with(": ")) return false;
      text = rest.substr(2);
      const std::size_t open = text.rfind(" (");
      if (text.ends_with(')') && open != std::string_view::npos) {
        out.symbol = text.substr(open + 2, text.size() - open - 3);
        text = text.substr(0, open);
      }
      return true;
    }
    const std::size_t close = rest.find("] ");
    if (close == std::string_view::npos) return false;
    const std::size_t symbol_end = rest.find(')');
    if (rest.starts_with('(') && symbol_end < close) out.symbol = rest.substr(1, symbol_end - 1);
    text = rest.substr(close + 2);
    return true;
  };
  const auto place = split_place(line, accepts);
  if (!place) return std::nullopt;
  out.said.path = place->path;
  out.said.level = level_of_pylint(out.said.id[0]);
  out.said.text = text;
  // Columns count from 0, which is no position to the others.
  auto column =
      place->column == "0" ? std::optional<std::int64_t>(0) : parse_position(place->column);
  if (column) ++*column;
  out.said.region = make_region(parse_position(place->line), column, {}, {});
  return out;
}

bool is_pylint_context(std::string_view line) {
  return line.starts_with("*************") || line.starts_with("-----") ||
         line.starts_with("Your code has been rated");
}

// Under a line with the path:
//    3:9   warning  Expected '===' and instead saw '=='          eqeqeq
std::optional<Said> parse_stylish(std::string_view line) {
  line = trim(line);
  const std::size_t colon = line.find(':');
  const std::size_t space = line.find(' ');
  if (colon == std::string_view::npos || space == std::string_view::npos || space < colon) {
    return std::nullopt;
  }
  const auto row = parse_position(line.substr(0, colon));
  if (!row) return std::nullopt;
  Said said;
  said.region = make_region(row, parse_position(line.substr(colon + 1, space - colon - 1)), {}, {});
  line = trim(line.substr(space));
  for (const auto& [word, level] :
       {std::pair<std::string_view, Level>{"error ", Level::error}, {"warning ", Level::warning}}) {
    if (!line.starts_with(word)) continue;
    line = trim(line.substr(word.size()));
    said.level = level;
    const std::size_t gap = line.rfind("  ");
    // Without a rule: the file could not be parsed.
    said.id = gap == std::string_view::npos ? "parse-error" : trim(line.substr(gap));
    said.text = trim(line.substr(0, gap));
    return said;
  }
  return std::nullopt;
}

bool is_stylish_context(std::string_view line) {
  return line.find(" problem") != std::string_view::npos;
}

Rule eslint_rule(const std::string& id) {
  const bool is_core = id.find('/') == std::string::npos && id != "parse-error";
  return plain_rule(id, "ESLint", is_core ? "https://eslint.org/docs/latest/rules/" + id : "");
}

}  // namespace

base::Result<ConvertedRun> convert_github_annotations(ByteSource& source) {
  return convert_said(source, {"GitHub annotations", "", ""}, parse_annotation, is_command,
                      [](const std::string& id) { return plain_rule(id, "GitHub annotations"); });
}

base::Result<ConvertedRun> convert_ansible_lint(ByteSource& source) {
  return convert_said(source, {"ansible-lint", "", "https://ansible.readthedocs.io/projects/lint/"},
                      parse_ansible, is_ansible_context, ansible_rule);
}

base::Result<ConvertedRun> convert_pylint_text(ByteSource& source) {
  std::string symbol;
  auto run = convert_said(
      source, {"Pylint", "", "https://pylint.readthedocs.io"},
      [&symbol](std::string_view line) -> std::optional<Said> {
        auto found = parse_pylint(line);
        if (!found) return std::nullopt;
        symbol = std::move(found->symbol);
        return std::move(found->said);
      },
      is_pylint_context, [&symbol](const std::string& id) { return pylint_rule(id, symbol); });
  // As the JSON has it: most checks take the column from Python's ast.
  if (run) run->column_unit = ColumnUnit::utf8_bytes;
  return run;
}

base::Result<ConvertedRun> convert_eslint_stylish(ByteSource& source) {
  std::string path;
  auto run = convert_said(
      source, {"ESLint", "", "https://eslint.org"},
      [&path](std::string_view line) -> std::optional<Said> {
        if (auto said = parse_stylish(line); said && !path.empty()) {
          said->path = path;
          return said;
        }
        const bool is_heading = !is_blank(line) && line.front() != ' ' &&
                                line.find("  ") == std::string_view::npos &&
                                line.find(" problem") == std::string_view::npos;
        if (is_heading) path = line;
        return std::nullopt;
      },
      is_stylish_context, eslint_rule);
  if (run) run->column_unit = ColumnUnit::utf16_units;
  return run;
}

}  // namespace ethos::sarif
