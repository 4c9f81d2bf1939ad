// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/cage_plan.h"

namespace ethos::support {

// The base plan with the hostile program granted for execution; argv is that program with `args`.
[[nodiscard]] sandbox::Plan hostile_plan(const ScratchDir& dir, std::vector<std::string> args);

[[nodiscard]] std::string hostile_program();

// Why no hostile program can be started here, or nothing.
[[nodiscard]] std::string why_no_escape();

// "name=errno" lines of the program's output; -1 for a name that is missing.
class Answers {
 public:
  explicit Answers(const std::string& output);
  [[nodiscard]] int of(const std::string& name) const;
  [[nodiscard]] const std::map<std::string, int>& all() const { return all_; }

 private:
  std::map<std::string, int> all_;
};

}  // namespace ethos::support

#define REQUIRE_CAGE()                                                  \
  if (const auto why = ethos::support::why_no_escape(); !why.empty()) { \
    WARN("skipped: no cage here: " << why);                             \
    return;                                                             \
  }                                                                     \
  static_cast<void>(0)
