// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "verify/judge.h"
#include "verify/run.h"

namespace ethos::verify {

struct AssertionNode {
  enum class Kind { implies, any, all, negation, comparison, membership, rule };
  Kind kind = Kind::rule;
  std::vector<std::unique_ptr<AssertionNode>> children;
  std::string name;  // rule or field
  std::string sign;
  std::vector<std::string> values;
  std::int64_t number = 0;
};

enum class RuleArguments { unknown, none, some };
RuleArguments find_rule(std::string_view name);
bool is_field(std::string_view name);
bool is_number_field(std::string_view name);

// Does the run fit? When not, `why` says what of it does not.
bool evaluate(const AssertionNode& node, const RunEvidence& run, const RunJudgement& judgement, std::string& why);

}  // namespace ethos::verify
