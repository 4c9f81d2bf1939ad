// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ethos::base {

// What to say of a command line that CLI11 refused. It complains of what is missing (a subcommand, a
// required option) before it looks at what it did not understand; but a mistyped option is why
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

}  // namespace ethos::base
