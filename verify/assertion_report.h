// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "verify/assertion.h"
#include "verify/json.h"
#include "verify/problem.h"

namespace ethos::verify {

// One element of `assertions` (verdict.md V-7), and what has to be said of it in `findings`.
// `is_pruned`: runs that it speaks of are not there any more, so that nothing passes.
Value assertion_json(const Assertion& assertion, bool is_pruned, Findings& findings);

// The same in words, without the statement itself: how many runs, and what does not fit, a line
// each.
std::string assertion_count(const Value& assertion);
std::vector<std::string> assertion_words(const Value& assertion);

}  // namespace ethos::verify
