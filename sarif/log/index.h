// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/fragment.h"
#include "sarif/json/reader.h"
#include "sarif/model.h"

namespace ethos::sarif {

// What is remembered of a reportingDescriptor of a rule, 3.49.
struct RuleEntry {
  std::string id;
  Level level = Level::warning;  // defaultConfiguration.level
  double severity = 0;           // properties.security-severity, GitHub's 0 to 10; 0 when unknown
};

// The rules of one tool component, 3.19.23.
class RuleTable {
 public:
  void add(RuleEntry rule);
  // By index when it is one of the table, else by id; a hierarchical id ("CA1000/1", 3.5.4) belongs
  // to the rule before its slash when it has none of its own. nullptr when there is none.
  [[nodiscard]] const RuleEntry* find(std::optional<std::int64_t> index, std::string_view id) const;
  [[nodiscard]] std::size_t size() const { return rules_.size(); }
  [[nodiscard]] const RuleEntry& at(std::size_t index) const { return rules_.at(index); }
  // Of a rule that find() gave.
  [[nodiscard]] std::size_t index_of(const RuleEntry& rule) const {
    return static_cast<std::size_t>(&rule - rules_.data());
  }

 private:
  std::vector<RuleEntry> rules_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
};

// A configurationOverride (3.51) that sets a level.
struct LevelOverride {
  std::int64_t component = -1;  // index into the extensions, -1 for the driver
  std::optional<std::int64_t> index;
  std::string id;
  Level level = Level::warning;
};

// What one pass over a log remembers of a run, apart from its results: enough to know the level of
// each result and which run of another log it corresponds to.
struct RunIndex {
  std::string tool;           // driver name
  std::string version;        // version, else semanticVersion
  std::string automation_id;  // automationDetails.id
  std::string time;           // the latest endTimeUtc or startTimeUtc of an invocation
  RuleTable driver_rules;
  std::vector<RuleTable> extension_rules;
  std::vector<std::vector<LevelOverride>> overrides;  // by invocation
  bool has_sandbox = false;
  bool sandbox_denied = false;
  bool execution_failed = false;  // some invocation says executionSuccessful: false

  // Part of the automation id before its last "/": what code scanning calls the category.
  [[nodiscard]] std::string category() const;
  // 3.27.10: the result's own level, else none for a kind but fail, else what its invocation
  // overrides, else its rule's default, else warning.
  [[nodiscard]] Level level_of(const JsonView& result) const;
  // ruleId, else rule.id, else the id at ruleIndex.
  [[nodiscard]] std::string rule_id_of(const JsonView& result) const;
  // The descriptor of the result's rule, of the driver or of an extension; nullptr when undeclared.
  [[nodiscard]] const RuleEntry* rule_of(const JsonView& result) const;
  // Its index among the driver's rules; nothing for a rule of an extension.
  [[nodiscard]] std::optional<std::size_t> driver_rule_of(const JsonView& result) const;
};

// Reads a whole log and leaves its results out. One entry a run.
base::Result<std::vector<RunIndex>> index_log(JsonReader& reader);

// 3.27.23 and 3.35: suppressed when there is a suppression and none that is under review or
// rejected.
[[nodiscard]] bool is_suppressed(const JsonView& result);

// The word of 3.27.10, or nothing.
[[nodiscard]] std::optional<Level> level_from_text(std::string_view word);

}  // namespace ethos::sarif
