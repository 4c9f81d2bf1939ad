// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/summary.h"

#include "sarif/evidence/denials.h"
#include "sarif/log/reading.h"

namespace ethos::sarif {

base::Result<std::vector<RunSummary>> summarize_log(const Reopen& open) {
  auto source = open();
  if (!source) return base::Unexpected(std::move(source).error());
  JsonReader first(**source);
  auto runs = index_log(first);
  if (!runs) return base::Unexpected(std::move(runs).error());
  std::vector<RunSummary> out(runs->size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i].about = std::move((*runs)[i]);
  source = open();
  if (!source) return base::Unexpected(std::move(source).error());
  JsonReader second(**source);
  auto done =
      for_each_result(second, [&](std::size_t run, const JsonView& result) -> base::Result<void> {
        if (run >= out.size()) return base::fail(base::Errc::mismatch, "the file has changed");
        RunSummary& summary = out[run];
        const std::string rule = summary.about.rule_id_of(result);
        ++summary.results;
        ++summary.by_level.at(static_cast<std::size_t>(summary.about.level_of(result)));
        if (is_suppressed(result)) ++summary.suppressed;
        if (rule == kDenialRuleId) ++summary.denials;
        ++summary.by_rule[rule];
        const std::string state = text_of(result, "baselineState");
        if (!state.empty()) ++summary.by_baseline_state[state];
        return {};
      });
  if (!done) return base::Unexpected(std::move(done).error());
  return out;
}

}  // namespace ethos::sarif
