// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/grant_bounds.h"
#include "verify/judge.h"
#include "verify/run.h"

namespace ethos::verify {

// Of the runs held against a declaration: whether their command was the declared one.
struct CommandNotes {
  std::uint64_t same = 0;
  std::uint64_t other = 0;
  std::uint64_t unknown = 0;  // not disclosed, or the tool is not declared
  std::string run;            // the first of another command, with both
  std::string tool;
  std::vector<std::string> found;
  std::vector<std::string> declared;
};

struct AssertionNode {
  enum class Kind { implies, any, all, negation, comparison, membership, rule };
  Kind kind = Kind::rule;
  std::vector<std::unique_ptr<AssertionNode>> children;
  std::string name;  // rule or field
  std::string sign;
  std::vector<std::string> values;
  std::vector<std::string> paths = {};  // the values of a rule about paths, in their normal form
  std::int64_t number = 0;
  std::shared_ptr<GrantFile> file = nullptr;  // of `grants subset of FILE`, once it was read
  std::shared_ptr<CommandNotes> commands = nullptr;  // where that is a declaration
};

// `file`: followed by `subset of FILE`.
enum class RuleArguments { unknown, none, some, file };
RuleArguments find_rule(std::string_view name);
bool is_field(std::string_view name);
bool is_number_field(std::string_view name);

// `unsure`: the records cannot tell, as they say themselves (a gap, no end, nobody looked).
enum class Truth { no, unsure, yes };

// What of a run does not fit, and the record that shows it; -1: none of its own.
struct Why {
  std::string text;
  std::int64_t seq = -1;

  Why& operator=(std::string words) {
    text = std::move(words);
    seq = -1;
    return *this;
  }
};

// Does the run fit? When not, or when nobody can say, `why` says what of it.
Truth evaluate(const AssertionNode& node, const RunEvidence& run, const RunJudgement& judgement, Why& why);

}  // namespace ethos::verify
