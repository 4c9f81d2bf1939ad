// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/base/result.h"
#include "sarif/model.h"
#include "sarif/rules/rule_book.h"

namespace ethos::sarif {

// One test that failed, as a test runner tells it.
struct TestFailure {
  std::string name;
  std::string message;
  std::string text;  // stack trace and the like
  std::string file;
  std::string line;
  std::string column;
  bool is_error = false;  // the test broke, rather than its assertion
};

// Adds failed tests to a run: rules test-failure and test-error. A failure whose place is in no way
// known becomes a notification, since a result needs a file.
class TestFailures {
 public:
  explicit TestFailures(ConvertedRun& run) : run_(run), rules_(run) {}
  base::Result<void> add(const TestFailure& failure);

 private:
  ConvertedRun& run_;
  RuleBook rules_;
};

// Sets file, line and column from the first "(path:line:column)" or line "path:line:column" in
// `text`; a place inside the runner ("node:internal/...") is passed over.
void take_place_from(TestFailure& failure, std::string_view text);

}  // namespace ethos::sarif
