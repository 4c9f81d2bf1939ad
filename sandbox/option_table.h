// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sandbox/run_options.h"

// The options of running a tool and of showing its plan, as one table: the command-line parser is
// built from it, and the plain reader below uses it as it is.
namespace ethos::sandbox {

enum class OptionUse { both, run, plan };

// Exactly one of the three accessors is set.
struct OptionRow {
  const char* name;  // with its dashes
  OptionUse use;
  const char* about;
  const char* kind = "F";  // placeholder of the value in the help text
  std::optional<std::string>& (*text)(RunOptions&) = nullptr;
  std::vector<std::string>& (*list)(RunOptions&) = nullptr;  // may be given several times
  bool& (*flag)(RunOptions&) = nullptr;
};

[[nodiscard]] std::span<const OptionRow> option_table();
[[nodiscard]] bool applies_to(const OptionRow& row, Command command);

// Reads what stands before "--" when there is nothing special about it: known options, each value
// a word of its own or behind "=", no option for one value given twice, values of plain characters,
// at most one tool. Nothing for all else: the parser then says what is wrong, or finds that it is
// right. Building that parser takes as long as building half a cage (0.15 ms), and most command
// lines do not need it. `start` carries the command and the words behind "--".
[[nodiscard]] std::optional<RunOptions> read_plain_options(const std::vector<std::string>& args,
                                                           RunOptions start);

// The same by the full parser, which also knows --help and --version.
[[nodiscard]] std::variant<RunOptions, Answer> parse_with_help(std::vector<std::string> args,
                                                               RunOptions start);

}  // namespace ethos::sandbox
