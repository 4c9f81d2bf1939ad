// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/convert/text_line.h"
#include "sarif/rules/known.h"
#include "sarif/rules/rule_book.h"

namespace ethos::sarif {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "E302" or "ABC123": what flake8 allows a plugin to use.
bool is_code(std::string_view word) {
  const std::size_t letters = static_cast<std::size_t>(
      std::find_if_not(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; }) -
      word.begin());
  return letters >= 1 && letters <= 8 && word.size() > letters && word.size() <= letters + 6 &&
         std::all_of(word.begin() + static_cast<std::ptrdiff_t>(letters), word.end(), is_digit);
}

// flake8 has no severities. What stops a program from running is an error, what pyflakes and the
// bug and security plugins find a warning, the rest is style.
Level level_of(std::string_view code) {
  for (const std::string_view prefix : {"E9", "F63", "F7", "F82"}) {
    if (code.starts_with(prefix)) return Level::error;
  }
  for (const std::string_view prefix : {"F", "B", "S", "C9"}) {
    if (code.starts_with(prefix)) return Level::warning;
  }
  return Level::note;
}

struct Parsed {
  std::string_view path;
  std::string_view line;
  std::string_view column;
  std::string_view code;
  std::string_view text;
};

// "path:row:col: CODE text"; the path may hold colons, so the first place that fits is taken.
std::optional<Parsed> parse(std::string_view line) {
  const auto accepts = [](std::string_view rest) {
    return is_code(rest.substr(0, std::min(rest.find(' '), rest.size())));
  };
  const auto place = split_place(line, accepts);
  if (!place || place->column.empty()) return std::nullopt;
  const std::size_t space = std::min(place->rest.find(' '), place->rest.size());
  return Parsed{place->path, place->line, place->column, place->rest.substr(0, space),
                place->rest.substr(std::min(space + 1, place->rest.size()))};
}

}  // namespace

base::Result<ConvertedRun> convert_flake8(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"flake8", "", "https://flake8.pycqa.org"};
  // pycodestyle counts characters and pyflakes, by way of ast, bytes: the line tells them apart
  // only where it is not ASCII. The larger group decides.
  run.column_unit = ColumnUnit::code_points;
  RuleBook rules(run);
  bool has_other_text = false;
  auto done = read_lines(source, [&](std::string_view line) -> base::Result<void> {
    const auto parsed = parse(line);
    if (!parsed) {
      has_other_text = has_other_text || line.find_first_not_of(" \t") != std::string_view::npos;
      return {};
    }
    Finding finding;
    finding.level = level_of(parsed->code);
    finding.rule = rules.index_of(std::string(parsed->code), [&](const std::string& key) {
      Rule rule = flake8_rule(key);
      rule.default_level = finding.level;
      return rule;
    });
    finding.message = clean_message(parsed->text);
    finding.location.path = parsed->path;
    finding.location.region =
        make_region(parse_position(parsed->line), parse_position(parsed->column), {}, {});
    return add_finding(run, std::move(finding));
  });
  if (!done) return base::Unexpected(std::move(done).error());
  if (has_other_text && run.findings.empty()) {
    return base::fail(base::Errc::malformed, "no line is flake8 output");
  }
  return run;
}

}  // namespace ethos::sarif
