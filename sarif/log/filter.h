// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/writer.h"
#include "sarif/log/index.h"

namespace ethos::sarif {

enum class SuppressedResults { keep, drop, only };

// Which results stay. An empty list does not restrict; a result must pass every one. Denials of a
// run with sandbox evidence stay whatever the criteria, unless without_rules names their rule in
// full.
struct FilterCriteria {
  std::set<Level> levels;
  std::vector<std::string> rules;          // patterns with "*"
  std::vector<std::string> without_rules;  // dropped by
  std::vector<std::string> paths;          // patterns with "*" over the decoded URI of the location
  std::vector<std::string> without_paths;
  std::set<std::string> baseline_states;  // "new", "unchanged", "updated", "absent"
  SuppressedResults suppressed = SuppressedResults::keep;
};

[[nodiscard]] bool passes(const FilterCriteria& criteria, const RunIndex& run,
                          const JsonView& result);

// `text` matches `pattern`, in which each "*" stands for any bytes, also "/" and none.
[[nodiscard]] bool matches_pattern(std::string_view pattern, std::string_view text);

struct FilterSummary {
  std::size_t kept = 0;
  std::size_t dropped = 0;
};

// Copies a log without the results that do not pass; everything else stays, also rules without
// results, and what stays keeps its tokens. `runs` is index_log() of the same log.
base::Result<FilterSummary> filter_log(JsonReader& reader, JsonWriter& writer,
                                       const FilterCriteria& criteria,
                                       const std::vector<RunIndex>& runs);

}  // namespace ethos::sarif
