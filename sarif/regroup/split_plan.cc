// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/split_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "sarif/regroup/gzip_meter.h"
#include "sarif/regroup/result_piece.h"
#include "sarif/regroup/run_writer.h"

namespace ethos::sarif {
namespace {

// Evidence is repeated in every file, as long as it is not most of what there is.
constexpr std::size_t kMostRepeated = 1000;

RunPlan plan_of(const RunMap& run, const RunIndex& index, const SplitLimits& limits) {
  RunPlan plan;
  plan.run = &run;
  plan.index = &index;
  const std::size_t count = run.results.size();
  std::size_t most_pieces = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pieces = pieces_of(run.results[i], limits.locations, limits.steps);
    if (pieces > 1) {
      plan.pieces.resize(count, 1);
      plan.pieces[i] = static_cast<std::uint32_t>(pieces);
    }
    most_pieces = std::max(most_pieces, pieces);
    if (run.results[i].is_evidence) ++plan.evidence;
  }
  const auto most_evidence = std::min<std::uint64_t>(kMostRepeated, limits.results / 2);
  if (plan.evidence > most_evidence) plan.evidence = 0;
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) {
    const ResultPlace& a = run.results[left];
    const ResultPlace& b = run.results[right];
    if (plan.evidence > 0 && a.is_evidence != b.is_evidence) return a.is_evidence;
    return a.severity > b.severity;
  });
  for (std::uint32_t piece = 0; piece < most_pieces; ++piece) {
    for (const std::uint32_t result : order) {
      if (piece < plan.pieces_of_result(result)) plan.items.push_back({result, piece});
    }
  }
  return plan;
}

// Runs that a service would take for one and the same get categories of their own.
void part_categories(std::vector<RunPlan>& plans) {
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  for (RunPlan& plan : plans) {
    const std::size_t number = ++seen[{plan.index->tool, plan.index->category()}];
    if (number > 1) plan.base_id = with_part(plan.index->automation_id, "run", number);
  }
}

struct Size {
  std::uint64_t bytes = 0;
  std::uint64_t gzip = 0;
};

base::Result<Size> measure_head(int fd, const RunPlan& plan, bool is_pruned, JsonLayout layout) {
  GzipMeter meter(nullptr);
  JsonWriter writer(meter, layout);
  PartTables tables(*plan.run);
  if (is_pruned) tables.prune();
  if (!plan.run->is_object) {
    auto done = copy_range(fd, plan.run->whole, writer);
    if (!done) return base::Unexpected(std::move(done).error());
  } else {
    RunWriter run(fd, *plan.run, tables, writer);
    writer.begin_object();
    auto done = run.head({});
    if (done) done = run.tail();
    if (!done) return base::Unexpected(std::move(done).error());
    writer.end_object();
  }
  return Size{meter.bytes(), meter.gzip_bytes_exactly()};
}

// How large a run is without its results, and whether its tables go into every part whole.
base::Result<void> measure(int fd, RunPlan& plan, const SplitLimits& limits, JsonLayout layout) {
  auto size = measure_head(fd, plan, false, layout);
  if (!size) return base::Unexpected(std::move(size).error());
  plan.ratio = std::min(1.0, 1.2 * static_cast<double>(size->gzip) /
                                 static_cast<double>(std::max<std::uint64_t>(size->bytes, 1)));
  const bool is_large = size->gzip > limits.gzip_bytes / 2 || size->bytes > limits.bytes / 2 ||
                        plan.run->table(Table::rules).size() > limits.rules;
  if (is_large && plan.run->is_object) {
    plan.is_pruned = true;
    size = measure_head(fd, plan, true, layout);
    if (!size) return base::Unexpected(std::move(size).error());
    if (size->gzip >= gzip_target(limits) || size->bytes >= limits.bytes) {
      return base::fail(base::Errc::too_large,
                        std::to_string(size->bytes) + " bytes, " + std::to_string(size->gzip) +
                            " in gzip, without its results, rules and artifacts: it cannot be "
                            "split");
    }
  }
  plan.head_bytes = size->bytes;
  plan.head_gzip = size->gzip;
  return {};
}

}  // namespace

std::uint64_t gzip_target(const SplitLimits& limits) {
  return limits.gzip_bytes == SplitLimits::kNone ? limits.gzip_bytes
                                                 : limits.gzip_bytes - limits.gzip_bytes / 128;
}

std::string with_part(const std::string& id, const std::string& word, std::size_t number) {
  const std::size_t slash = id.rfind('/');
  const std::size_t at = slash == std::string::npos ? 0 : slash + 1;
  return id.substr(0, at) + word + "-" + std::to_string(number) + "/" + id.substr(at);
}

base::Result<std::vector<RunPlan>> plan_split(int fd, const LogMap& map,
                                              const std::vector<RunIndex>& runs,
                                              const SplitLimits& limits, JsonLayout layout) {
  std::vector<RunPlan> plans;
  for (std::size_t r = 0; r < map.runs.size(); ++r) {
    plans.push_back(plan_of(map.runs[r], runs[r], limits));
    auto done = measure(fd, plans.back(), limits, layout);
    if (!done) {
      return base::Unexpected(std::move(done).error().with_context("run " + std::to_string(r)));
    }
  }
  if (limits.needs_categories) part_categories(plans);
  return plans;
}

}  // namespace ethos::sarif
