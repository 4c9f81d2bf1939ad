// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/convert/text_line.h"
#include "sarif/rules/known.h"
#include "sarif/rules/rule_book.h"

// Tools that write one finding a line: yamllint, mypy, MSBuild and tsc, go vet.

namespace ethos::sarif {
namespace {

// What a line says; views into it.
struct Said {
  std::string_view path;
  std::string_view line;
  std::string_view column;
  Level level = Level::warning;
  std::string_view id;
  std::string_view text;
};

using Parse = std::optional<Said> (*)(std::string_view line);

base::Result<ConvertedRun> convert_lines(ByteSource& source, ToolInfo tool, Parse parse,
                                         bool (*is_context)(std::string_view),
                                         Rule (*describe)(const std::string&)) {
  ConvertedRun run;
  run.tool = std::move(tool);
  RuleBook rules(run);
  bool has_other_text = false;
  bool has_context = false;
  auto done = read_lines(source, [&](std::string_view line) -> base::Result<void> {
    const auto said = parse(line);
    if (!said) {
      if (line.find_first_not_of(" \t") == std::string_view::npos) return {};
      (is_context(line) ? has_context : has_other_text) = true;
      return {};
    }
    Finding finding;
    finding.level = said->level;
    finding.rule = rules.index_of(std::string(said->id), [&](const std::string& id) {
      Rule rule = describe(id);
      rule.default_level = said->level;
      return rule;
    });
    finding.message = clean_message(said->text);
    finding.location.path = said->path;
    finding.location.region =
        make_region(parse_position(said->line), parse_position(said->column), {}, {});
    return add_finding(run, std::move(finding));
  });
  if (!done) return base::Unexpected(std::move(done).error());
  if (has_other_text && !has_context && run.findings.empty()) {
    return base::fail(base::Errc::malformed, "no line is " + run.tool.name + " output");
  }
  return run;
}

// "text (name)": cuts the name in the last brackets off `text`.
std::string_view take_last(std::string_view& text, char open, char close) {
  if (!text.ends_with(close)) return {};
  const std::size_t at = text.rfind(open);
  if (at == std::string_view::npos) return {};
  const std::string_view inside = text.substr(at + 1, text.size() - at - 2);
  if (inside.empty() || inside.find(' ') != std::string_view::npos) return {};
  text = text.substr(0, at);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return inside;
}

// a.yml:3:3: [error] wrong indentation: expected 2 but found 4 (indentation)
std::optional<Said> parse_yamllint(std::string_view line) {
  const auto place = split_place(line, [](std::string_view rest) {
    return rest.starts_with("[error] ") || rest.starts_with("[warning] ");
  });
  if (!place) return std::nullopt;
  Said said{place->path, place->line, place->column, Level::warning, "syntax", place->rest};
  if (said.text.starts_with("[error]")) said.level = Level::error;
  said.text.remove_prefix(said.text.find("] ") + 2);
  const std::string_view id = take_last(said.text, '(', ')');
  if (!id.empty()) said.id = id;
  return said;
}

Rule yamllint_rule(const std::string& id) {
  std::string module = id;
  std::replace(module.begin(), module.end(), '-', '_');
  return plain_rule(
      id, "yamllint",
      "https://yamllint.readthedocs.io/en/stable/rules.html#module-yamllint.rules." + module);
}

// a.py:3:5: error: Incompatible types in assignment  [assignment]
std::optional<Said> parse_mypy(std::string_view line) {
  const auto place = split_place(line, [](std::string_view rest) {
    return rest.starts_with("error: ") || rest.starts_with("warning: ") ||
           rest.starts_with("note: ");
  });
  if (!place) return std::nullopt;
  Said said{place->path, place->line, place->column, Level::note, "note", place->rest};
  if (said.text.starts_with("error")) said.level = Level::error;
  if (said.text.starts_with("warning")) said.level = Level::warning;
  said.text.remove_prefix(said.text.find(": ") + 2);
  if (said.level != Level::note) said.id = "misc";
  const std::string_view id = take_last(said.text, '[', ']');
  if (!id.empty()) said.id = id;
  return said;
}

Rule mypy_rule(const std::string& id) {
  return plain_rule(id, "mypy", "https://mypy.readthedocs.io/en/stable/_refs.html#code-" + id);
}

// src/a.ts(3,5): error TS2322: Type 'x' is not assignable to type 'y'.
// src\a.cs(3,5): warning CS0168: The variable 'x' is declared but never used [C:\a\b.csproj]
std::optional<Said> parse_msbuild(std::string_view line) {
  const std::size_t close = line.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const std::size_t open = line.rfind('(', close);
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  Said said;
  const std::size_t indent = line.find_first_not_of(' ');
  said.path = line.substr(indent, open - indent);
  const std::string_view numbers = line.substr(open + 1, close - open - 1);
  const std::size_t comma = std::min(numbers.find(','), numbers.size());
  said.line = numbers.substr(0, comma);
  const std::string_view rest_of_place = numbers.substr(std::min(comma + 1, numbers.size()));
  said.column = rest_of_place.substr(0, std::min(rest_of_place.find(','), rest_of_place.size()));
  if (!parse_position(said.line)) return std::nullopt;
  std::string_view rest = line.substr(close + 3);
  for (const auto& [word, level] : {std::pair<std::string_view, Level>{"error ", Level::error},
                                    {"warning ", Level::warning},
                                    {"message ", Level::note}}) {
    if (!rest.starts_with(word)) continue;
    rest.remove_prefix(word.size());
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    said.level = level;
    said.id = rest.substr(0, colon);
    said.text = rest.substr(colon + 2);
    // The project that was built is no part of the message.
    const std::size_t project = said.text.rfind(" [");
    if (said.text.ends_with("proj]") && project != std::string_view::npos) {
      said.text = said.text.substr(0, project);
    }
    if (said.id.find(' ') != std::string_view::npos) return std::nullopt;
    return said;
  }
  return std::nullopt;
}

Rule msbuild_rule(const std::string& id) { return plain_rule(id, "MSBuild"); }

// ./a.go:3:5: unreachable code
std::optional<Said> parse_go_vet(std::string_view line) {
  if (line.starts_with("vet: ")) line.remove_prefix(5);
  const auto place = split_place(line, [](std::string_view rest) { return !rest.empty(); });
  if (!place || !place->path.ends_with(".go")) return std::nullopt;
  return Said{place->path, place->line, place->column, Level::warning, "vet", place->rest};
}

Rule go_vet_rule(const std::string& id) {
  return plain_rule(id, "go vet", "https://pkg.go.dev/cmd/vet");
}

bool is_nothing(std::string_view) { return false; }

bool is_mypy_summary(std::string_view line) {
  return line.starts_with("Found ") || line.starts_with("Success: ");
}

bool is_package_line(std::string_view line) {
  return line.starts_with("# ") || line.starts_with("exit status ");
}

bool is_build_line(std::string_view line) {
  return line.starts_with("Build succeeded") || line.starts_with("MSBuild version") ||
         line.find("Warning(s)") != std::string_view::npos || line.starts_with("Found 0 errors");
}

}  // namespace

base::Result<ConvertedRun> convert_yamllint(ByteSource& source) {
  return convert_lines(source, {"yamllint", "", "https://yamllint.readthedocs.io"}, parse_yamllint,
                       is_nothing, yamllint_rule);
}

base::Result<ConvertedRun> convert_mypy(ByteSource& source) {
  return convert_lines(source, {"mypy", "", "https://mypy-lang.org"}, parse_mypy, is_mypy_summary,
                       mypy_rule);
}

base::Result<ConvertedRun> convert_msbuild(ByteSource& source) {
  auto run = convert_lines(source, {"MSBuild", "", ""}, parse_msbuild, is_build_line, msbuild_rule);
  if (!run || run->rules.empty()) return run;
  for (Finding& finding : run->findings) {
    std::string& path = finding.location.path;
    std::replace(path.begin(), path.end(), '\\', '/');
  }
  const bool is_tsc = std::all_of(run->rules.begin(), run->rules.end(),
                                  [](const Rule& rule) { return rule.id.starts_with("TS"); });
  if (is_tsc) run->tool = {"TypeScript", "", "https://www.typescriptlang.org"};
  run->column_unit = ColumnUnit::utf16_units;
  return run;
}

base::Result<ConvertedRun> convert_go_vet(ByteSource& source) {
  auto run = convert_lines(source, {"go vet", "", "https://pkg.go.dev/cmd/vet"}, parse_go_vet,
                           is_package_line, go_vet_rule);
  if (run) run->column_unit = ColumnUnit::utf8_bytes;
  return run;
}

}  // namespace ethos::sarif
