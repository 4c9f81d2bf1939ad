// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/diagnostic_line.h"

#include <algorithm>
#include <array>

#include "sarif/convert/input.h"
#include "sarif/convert/text_line.h"
#include "sarif/rules/naming.h"

namespace ethos::sarif {
namespace {

constexpr auto kKinds = std::to_array<std::string_view>(
    {"error", "warning", "note", "remark", "fatal error", "internal compiler error",
     "sorry, unimplemented", "permerror", "style", "info"});

constexpr std::size_t kMaxNames = 64;

// The kind at the start of `rest` ("warning: text"); empty when there is none.
std::string_view kind_at(std::string_view rest) {
  for (const std::string_view kind : kKinds) {
    if (rest.starts_with(kind) && rest.substr(kind.size()).starts_with(": ")) return kind;
  }
  return {};
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '+' || c == '=' || c == '*';
}

bool is_shellcheck_code(std::string_view word) {
  return word.starts_with("SC") && word.size() == 6 &&
         std::all_of(word.begin() + 2, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A flag ("-Wunused", "-fpermissive"), a check ("bugprone-x") or a ShellCheck code. A check has a
// dash inside, which keeps "[abi:cxx11]" and "[with T = int]" out.
bool is_rule_name(std::string_view word) {
  if (word.empty() || !std::all_of(word.begin(), word.end(), is_name_char)) return false;
  if (word.starts_with("-W") || word.starts_with("-f") || word.starts_with("-p")) {
    return word.size() > 2;
  }
  if (is_shellcheck_code(word) || word == "-warnings-as-errors") return true;
  const std::size_t dash = word.find('-');
  return dash != std::string_view::npos && dash > 0 && dash + 1 < word.size();
}

// Puts the parts of "a,b,c" into `line`; false when one of them is none of ours.
bool take_names(DiagnosticLine& line, std::string_view list) {
  std::vector<std::string> names;
  std::vector<std::string> cwes;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view word = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const std::string cwe = word.starts_with("CWE-") ? cwe_number(word) : std::string();
    if (names.size() + cwes.size() > kMaxNames) return false;
    if (!cwe.empty()) {
      cwes.push_back(cwe);
    } else if (is_rule_name(word)) {
      names.emplace_back(word);
    } else {
      return false;
    }
  }
  if (names.size() + cwes.size() == 0) return false;
  // A line that names more than this is no diagnostic but an attack on the insertions below.
  if (line.names.size() + names.size() + line.cwes.size() + cwes.size() > kMaxNames) return false;
  // Brackets are met from the right; those further left come first.
  line.names.insert(line.names.begin(), names.begin(), names.end());
  line.cwes.insert(line.cwes.begin(), cwes.begin(), cwes.end());
  return true;
}

void take_brackets(DiagnosticLine& line) {
  while (line.text.ends_with(']')) {
    const std::size_t open = line.text.rfind(" [");
    if (open == std::string_view::npos) return;
    const std::string_view inside = line.text.substr(open + 2, line.text.size() - open - 3);
    if (!take_names(line, inside)) return;
    line.text = line.text.substr(0, open);
  }
}

}  // namespace

std::optional<DiagnosticLine> parse_diagnostic_line(std::string_view line) {
  const auto place =
      split_place(line, [](std::string_view rest) { return !kind_at(rest).empty(); });
  if (!place) return std::nullopt;
  DiagnosticLine found;
  found.path = place->path;
  found.line = place->line;
  found.column = place->column;
  found.kind = kind_at(place->rest);
  found.text = place->rest.substr(found.kind.size() + 2);
  take_brackets(found);
  return found;
}

std::optional<ProgramLine> parse_program_line(std::string_view line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || colon == 0 || line.front() == ' ') return std::nullopt;
  const std::string_view program = line.substr(0, colon);
  const std::string_view rest = line.substr(colon + 2);
  const std::string_view kind = kind_at(rest);
  if (kind.empty() || program.find(' ') != std::string_view::npos) return std::nullopt;
  return ProgramLine{program, kind, rest.substr(kind.size() + 2)};
}

std::optional<Location> parse_include_line(std::string_view line) {
  constexpr std::string_view kFirst = "In file included from ";
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::string_view rest = line.substr(indent);
  if (rest.starts_with(kFirst)) {
    rest.remove_prefix(kFirst.size());
  } else if (indent >= 4 && rest.starts_with("from ")) {
    rest.remove_prefix(5);
  } else {
    return std::nullopt;
  }
  if (!rest.ends_with(':') && !rest.ends_with(',')) return std::nullopt;
  // PATH:LINE or PATH:LINE:COLUMN, from the right, since the path may hold colons.
  rest.remove_suffix(1);
  std::vector<std::string_view> numbers;
  for (int i = 0; i < 2; ++i) {
    const std::size_t colon = rest.rfind(':');
    if (colon == std::string_view::npos || !parse_position(rest.substr(colon + 1))) break;
    numbers.push_back(rest.substr(colon + 1));
    rest = rest.substr(0, colon);
  }
  if (numbers.empty() || rest.empty()) return std::nullopt;
  Location location;
  location.path = rest;
  location.region = make_region(parse_position(numbers.back()), {}, {}, {});
  location.message = "included from here";
  return location;
}

bool is_context_line(std::string_view line) {
  const std::size_t text = line.find_first_not_of(" \t0123456789");
  if (text == std::string_view::npos) return true;
  const std::string_view rest = line.substr(text);
  // "   17 |     code", "      |   ^~~", and the carets of older versions.
  if (text > 0 && (rest.starts_with("|") || rest.starts_with("^") || rest.starts_with("~"))) {
    return true;
  }
  const auto holds = [line](std::string_view part) {
    return line.find(part) != std::string_view::npos;
  };
  return holds(": In ") || holds(": At ") || line.ends_with(" generated.") ||
         line == "compilation terminated." || line.starts_with("Suppressed ") ||
         line.starts_with("Use -header-filter");
}

Level level_of_kind(std::string_view kind) {
  if (kind == "warning") return Level::warning;
  if (kind == "note" || kind == "remark" || kind == "style" || kind == "info") return Level::note;
  return Level::error;
}

}  // namespace ethos::sarif
