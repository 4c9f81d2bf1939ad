// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sarif/model.h"

namespace ethos::sarif {

// One line of a compiler's text output, e.g.
//   bugs.c:22:10: warning: use after 'free' of 'p' [CWE-416] [-Wanalyzer-use-after-free]
struct DiagnosticLine {
  std::string_view path;
  std::string_view line;
  std::string_view column;         // empty when there is none
  std::string_view kind;           // "error", "warning", "note", "remark", "fatal error", ...
  std::string_view text;           // without the brackets at its end
  std::vector<std::string> names;  // what the brackets name: flags, checks, ShellCheck codes
  std::vector<std::string> cwes;   // numbers
};

// A line of this form; nothing for any other.
[[nodiscard]] std::optional<DiagnosticLine> parse_diagnostic_line(std::string_view line);

// "cc1: fatal error: no such file": a program that speaks without a place.
struct ProgramLine {
  std::string_view program;
  std::string_view kind;
  std::string_view text;
};
[[nodiscard]] std::optional<ProgramLine> parse_program_line(std::string_view line);

// "In file included from a.h:3," and "                 from b.c:7:": where the next diagnostic's
// file was included.
[[nodiscard]] std::optional<Location> parse_include_line(std::string_view line);

// Lines that compilers print around diagnostics: source excerpts, carets, "In function 'f':",
// "2 warnings generated.", "compilation terminated.".
[[nodiscard]] bool is_context_line(std::string_view line);

[[nodiscard]] Level level_of_kind(std::string_view kind);

}  // namespace ethos::sarif
