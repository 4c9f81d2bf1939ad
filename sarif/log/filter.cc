// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/filter.h"

#include <algorithm>

#include "sarif/evidence/denials.h"
#include "sarif/log/result_view.h"
#include "sarif/log/rewrite.h"

namespace ethos::sarif {
namespace {

bool matches_any(const std::vector<std::string>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [text](const std::string& pattern) { return matches_pattern(pattern, text); });
}

bool passes_lists(const std::vector<std::string>& with, const std::vector<std::string>& without,
                  std::string_view text) {
  return (with.empty() || matches_any(with, text)) && !matches_any(without, text);
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  // Greedy with one point to come back to: linear in practice, quadratic at worst, never more.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool passes(const FilterCriteria& criteria, const RunIndex& run, const JsonView& result) {
  const std::string rule = run.rule_id_of(result);
  // What the sandbox refused is part of the evidence in the run's properties: a file without it
  // would say something else than the ledger. Who means it names the rule.
  if (run.has_sandbox && rule == kDenialRuleId) {
    return std::find(criteria.without_rules.begin(), criteria.without_rules.end(), rule) ==
           criteria.without_rules.end();
  }
  if (!criteria.levels.empty() && !criteria.levels.contains(run.level_of(result))) return false;
  if (!passes_lists(criteria.rules, criteria.without_rules, rule)) return false;
  if (!passes_lists(criteria.paths, criteria.without_paths, primary_path(result))) return false;
  if (!criteria.baseline_states.empty() &&
      !criteria.baseline_states.contains(text_of(result, "baselineState"))) {
    return false;
  }
  if (criteria.suppressed == SuppressedResults::keep) return true;
  return is_suppressed(result) == (criteria.suppressed == SuppressedResults::only);
}

base::Result<FilterSummary> filter_log(JsonReader& reader, JsonWriter& writer,
                                       const FilterCriteria& criteria,
                                       const std::vector<RunIndex>& runs) {
  FilterSummary summary;
  Additions additions;
  additions.write_result = [&](std::size_t run, const JsonView& result,
                               JsonWriter& out) -> base::Result<void> {
    if (run >= runs.size()) return base::fail(base::Errc::mismatch, "the file has changed");
    const bool stays = passes(criteria, runs[run], result);
    ++(stays ? summary.kept : summary.dropped);
    if (stays) result.write(out);
    return {};
  };
  auto done = rewrite_log(reader, writer, additions);
  if (!done) return base::Unexpected(std::move(done).error());
  return summary;
}

}  // namespace ethos::sarif
