// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ethos::base {

// What to say of a command line that CLI11 refused. It complains of what is missing (a subcommand,
// a required option) before it looks at what it did not understand; but a mistyped option is why
// something is missing, so that comes first. A template, so that the parser's header stays out.
template <class App, class Error>
std::string command_line_words(const App& app, const Error& error) {
  const auto unknown = app.remaining(true);
  if (unknown.empty()) return error.what();
  std::string out = unknown.size() == 1 ? "The following argument was not expected:"
                                        : "The following arguments were not expected:";
  for (const auto& word : unknown) out += " " + word;
  return out;
}

// What is wrong where a word of the command line is empty, as an unset variable of a shell gives
// it: it would be taken for an option that was not given, or for the current directory. Nothing: no
// word is. After `--` stand the words of somebody else, which may be empty.
inline std::string empty_word(const std::vector<std::string>& args) {
  constexpr const char* kAdvice = ": the value is empty; leave the option out, or give it one";
  for (std::size_t i = 0; i < args.size() && args[i] != "--"; ++i) {
    const std::string& word = args[i];
    if (word.empty()) {
      const bool is_value = i > 0 && args[i - 1].size() > 1 && args[i - 1].starts_with('-');
      return is_value ? args[i - 1] + kAdvice : "an argument is empty";
    }
    // The parser would take the next word for its value.
    if (word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1)
      return word.substr(0, word.size() - 1) + kAdvice;
  }
  return "";
}

}  // namespace ethos::base
