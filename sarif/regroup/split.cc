// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/split.h"

#include <utility>

#include "sarif/regroup/log_map.h"
#include "sarif/regroup/split_file.h"
#include "sarif/regroup/split_plan.h"

namespace ethos::sarif {
namespace {

constexpr int kAttempts = 12;

class Splitter {
 public:
  Splitter(int fd, const SplitLimits& limits, JsonLayout layout, const LogMap& map,
           const std::vector<RunPlan>& plans)
      : fd_(fd), limits_(limits), layout_(layout), map_(map), plans_(plans) {}

  base::Result<SplitSummary> run(const MakeFile& make_file) {
    SplitSummary summary;
    summary.has_links = map_.has_links;
    SplitProgress progress;
    for (std::size_t r = 0; r < plans_.size(); ++r) {
      summary.results += map_.runs[r].results.size();
      progress.runs.emplace_back();
      progress.queue.push_back(r);
      if (!plans_[r].is_pruned) continue;
      for (const auto& table : map_.runs[r].tables) {
        progress.runs.back().placed.emplace_back(table.size(), false);
      }
    }
    do {
      auto made = next_file(progress, summary, make_file);
      if (!made) return base::Unexpected(std::move(made).error());
    } while (!progress.queue.empty());
    summary.pieces = progress.pieces;
    return summary;
  }

 private:
  // Sizes are estimated while a file is written; one that has become too large is written again
  // with less in it.
  base::Result<void> next_file(SplitProgress& progress, SplitSummary& summary,
                               const MakeFile& make_file) {
    double share = 1;
    for (int attempt = 1;; ++attempt, share *= 0.8) {
      SplitProgress trial = progress;
      SplitFile file;
      bool is_again = false;
      auto made = make_file(summary.files.size() + 1, [&](ByteSink& sink) -> base::Result<void> {
        SplitFileWriter writer(fd_, map_, plans_, limits_, layout_, share, sink);
        auto written = writer.write(trial);
        if (!written) return written;
        file = writer.finish();
        is_again = file.is_over && writer.may_shrink() && attempt < kAttempts;
        if (is_again) return base::fail(base::Errc::too_large, "");
        return {};
      });
      if (is_again) continue;
      if (!made) return made;
      progress = std::move(trial);
      summary.files.push_back(std::move(file));
      return {};
    }
  }

  int fd_;
  const SplitLimits& limits_;
  JsonLayout layout_;
  const LogMap& map_;
  const std::vector<RunPlan>& plans_;
};

}  // namespace

SplitLimits SplitLimits::github() {
  SplitLimits limits;
  limits.gzip_bytes = 10'000'000;
  limits.runs = 20;
  limits.results = 5'000;
  limits.rules = 25'000;
  limits.locations = 1'000;
  limits.steps = 10'000;
  limits.needs_categories = true;
  return limits;
}

SplitLimits SplitLimits::gitlab() {
  SplitLimits limits;
  limits.bytes = std::uint64_t{10} << 20U;
  limits.runs = 20;
  limits.results = 5'000;
  limits.rules = 25'000;
  return limits;
}

base::Result<SplitSummary> split_log(int fd, const SplitLimits& limits, JsonLayout layout,
                                     const MakeFile& make_file) {
  RangeSource source(fd, 0, std::numeric_limits<std::int64_t>::max());
  JsonReader reader(source);
  const auto runs = index_log(reader);
  if (!runs) return base::Unexpected(base::Error(runs.error()));
  const auto map = map_log(fd, *runs);
  if (!map) return base::Unexpected(base::Error(map.error()));
  const auto plans = plan_split(fd, *map, *runs, limits, layout);
  if (!plans) return base::Unexpected(base::Error(plans.error()));
  return Splitter(fd, limits, layout, *map, *plans).run(make_file);
}

}  // namespace ethos::sarif
