// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sandbox/option_table.h"
#include "sandbox/run_options.h"

namespace CLI {
class App;
}

namespace ethos::sandbox {

// `ethos-run learn`: `args` behind that word and before "--"; `start` carries the words behind it.
[[nodiscard]] std::variant<RunOptions, Answer> parse_learn(std::vector<std::string> args,
                                                           RunOptions start);

// The pieces that all command lines of ethos-run share.
void add_text(CLI::App& app, const char* name, std::optional<std::string>& into, const char* about,
              const char* kind = "F");
void add_row(CLI::App& app, const OptionRow& row, RunOptions& o);
// Nothing: it was understood. Else the help, the version or what is wrong.
[[nodiscard]] std::optional<Answer> parse_words(CLI::App& app, std::vector<std::string> args);

}  // namespace ethos::sandbox
