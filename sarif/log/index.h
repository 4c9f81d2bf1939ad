// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/fragment.h"
#include "sarif/json/reader.h"
#include "sarif/model.h"

namespace ethos::sarif {

// What one pass over a log remembers of a run, apart from its results: enough to know the level of
// each result and which run of another log it corresponds to.
struct RunIndex {
  std::string tool;           // driver name
  std::string version;        // version, else semanticVersion
  std::string automation_id;  // automationDetails.id
  std::vector<std::string> rule_ids;
  std::vector<Level> rule_levels;  // defaultConfiguration.level, by rule index; warning when absent
  std::map<std::string, Level, std::less<>> levels_by_id;
  bool has_sandbox = false;
  bool sandbox_denied = false;
  bool execution_failed = false;  // some invocation says executionSuccessful: false

  // Part of the automation id before its last "/": what code scanning calls the category.
  [[nodiscard]] std::string category() const;
  // 3.27.10: the result's own level, else its rule's, else warning; none for a kind but fail.
  [[nodiscard]] Level level_of(const JsonView& result) const;
  // ruleId, else rule.id, else the id at ruleIndex.
  [[nodiscard]] std::string rule_id_of(const JsonView& result) const;
};

// Reads a whole log and leaves its results out. One entry a run.
base::Result<std::vector<RunIndex>> index_log(JsonReader& reader);

// 3.27.23 and 3.35: suppressed when there is a suppression and none that is under review or
// rejected.
[[nodiscard]] bool is_suppressed(const JsonView& result);

// The word of 3.27.10, or nothing.
[[nodiscard]] std::optional<Level> level_from_text(std::string_view word);

}  // namespace ethos::sarif
