// SPDX-License-Identifier: Apache-2.0
#include "sarif/resolve.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ethos::sarif {
namespace {

// A region that is to be finished with the help of the file at `relative`.
struct Task {
  const std::string* relative;
  Region* region;
  Finding* finding;  // whose fingerprint this location decides, or nullptr
};

void map_columns(Region& region, const SourceFile& file, ColumnUnit unit) {
  const auto first = file.line(static_cast<std::size_t>(region.start_line));
  const auto last =
      file.line(static_cast<std::size_t>(region.end_line.value_or(region.start_line)));
  if (region.start_column) {
    region.start_column = first ? to_code_points(*first, *region.start_column, unit) : std::nullopt;
  }
  if (region.end_column) {
    region.end_column = last ? to_code_points(*last, *region.end_column, unit) : std::nullopt;
  }
  if (!region.start_column && !region.end_line) region.end_column.reset();
}

// Columns that mean the same however many tabs stand in the line.
void drop_doubtful_columns(Region& region, ColumnUnit unit) {
  if (unit != ColumnUnit::code_points_tab8) return;
  constexpr std::int64_t kBeforeFirstStop = 8;
  const auto is_doubtful = [](const std::optional<std::int64_t>& column) {
    return column && *column > kBeforeFirstStop;
  };
  if (!is_doubtful(region.start_column) && !is_doubtful(region.end_column)) return;
  region.start_column.reset();
  region.end_column.reset();
}

void run_task(const Task& task, SourceFile* file, ColumnUnit unit) {
  if (file == nullptr) {
    drop_doubtful_columns(*task.region, unit);
    return;
  }
  map_columns(*task.region, *file, unit);
  if (task.finding == nullptr) return;
  if (auto hash = file->hash(static_cast<std::size_t>(task.region->start_line))) {
    task.finding->fingerprints.emplace_back("primaryLocationLineHash", std::move(*hash));
  }
}

void place(Location& location, const PathMapper& paths) {
  Place where = paths.map(location.path);
  location.uri = std::move(where.uri);
  location.relative = std::move(where.relative);
}

// A replacement whose region has lost its columns would replace the wrong text.
void drop_broken_fixes(Finding& finding) {
  const auto is_broken = [](const Fix& fix) {
    return std::any_of(fix.replacements.begin(), fix.replacements.end(), [](const auto& one) {
      return !one.region.start_column || !one.region.end_column;
    });
  };
  finding.fixes.erase(std::remove_if(finding.fixes.begin(), finding.fixes.end(), is_broken),
                      finding.fixes.end());
}

}  // namespace

void resolve_places(ConvertedRun& run, const PathMapper& paths, SourceFiles& sources) {
  std::vector<Task> tasks;
  const auto add = [&](Location& location, Finding* finding) {
    place(location, paths);
    tasks.push_back({&location.relative, &location.region, finding});
  };
  for (Finding& finding : run.findings) {
    add(finding.location, &finding);
    for (Location& one : finding.related) add(one, nullptr);
    for (Location& one : finding.path) add(one, nullptr);
    for (Fix& fix : finding.fixes) {
      for (Replacement& one : fix.replacements) {
        tasks.push_back({&finding.location.relative, &one.region, nullptr});
      }
    }
  }
  for (Notification& one : run.notifications) {
    if (one.location) place(*one.location, paths);
  }
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& left, const Task& right) {
    return *left.relative < *right.relative;
  });
  for (const Task& task : tasks) run_task(task, sources.find(*task.relative), run.column_unit);
  for (Finding& finding : run.findings) drop_broken_fixes(finding);
}

}  // namespace ethos::sarif
