// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sarif/model.h"

namespace ethos::sarif {

// What is known about the rules of common tools. Every rule comes back complete: GitHub refuses a
// descriptor without short and full description and help. A rule that is in no table gets texts
// made from its id; they never depend on one finding's message, so that a rule reads the same in
// every log.

[[nodiscard]] Rule shellcheck_rule(const std::string& id);                       // "SC2086"
[[nodiscard]] Rule flake8_rule(const std::string& id);                           // "E302"
[[nodiscard]] Rule pylint_rule(const std::string& id, std::string_view symbol);  // "W0611"
// `more_info` is the page that bandit names; its last part names what a blacklist item is about.
[[nodiscard]] Rule bandit_rule(const std::string& id, std::string_view test_name,
                               std::string_view more_info, std::string_view cwe);
[[nodiscard]] Rule cppcheck_rule(const std::string& id, std::string_view cwe);

enum class Compiler { gcc, clang, clang_tidy };
// `id` is "-Wunused-variable", a clang-tidy check, or one of the words "error", "warning", "note".
[[nodiscard]] Rule compiler_rule(const std::string& id, Compiler compiler, std::string_view cwe);

// For a tool whose rules are not known one by one: the id as it is, a name made from its words.
[[nodiscard]] Rule plain_rule(const std::string& id, std::string_view tool,
                              std::string help_uri = {});

// Fills what is still empty from what is there.
void complete_rule(Rule& rule, std::string_view tool);

}  // namespace ethos::sarif
