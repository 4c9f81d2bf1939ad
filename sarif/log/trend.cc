// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/trend.h"

#include <algorithm>

#include "sarif/log/reading.h"

namespace ethos::sarif {

base::Result<TrendPoint> trend_point(const Reopen& log, const Reopen* before) {
  auto source = log();
  if (!source) return base::Unexpected(std::move(source).error());
  JsonReader first(**source);
  const auto runs = index_log(first);
  if (!runs) return base::Unexpected(base::Error(runs.error()));
  TrendPoint point;
  for (const RunIndex& run : *runs) point.time = std::max(point.time, run.time);
  source = log();
  if (!source) return base::Unexpected(std::move(source).error());
  JsonReader second(**source);
  auto done =
      for_each_result(second, [&](std::size_t run, const JsonView& result) -> base::Result<void> {
        if (run >= runs->size()) return base::fail(base::Errc::mismatch, "the file has changed");
        if (text_of(result, "baselineState") == "absent") return {};
        if (is_suppressed(result)) {
          ++point.suppressed;
          return {};
        }
        const RunIndex& about = (*runs)[run];
        ++point.results;
        ++point.by_level.at(static_cast<std::size_t>(about.level_of(result)));
        ++point.by_rule[about.tool + ": " + about.rule_id_of(result)];
        return {};
      });
  if (!done) return base::Unexpected(std::move(done).error());
  if (before == nullptr) return point;
  const auto comparison = compare_logs(*before, log);
  if (!comparison) return base::Unexpected(base::Error(comparison.error()));
  point.fresh = comparison->fresh;
  point.gone = comparison->absent;
  return point;
}

}  // namespace ethos::sarif
