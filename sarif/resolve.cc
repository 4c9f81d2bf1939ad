// SPDX-License-Identifier: Apache-2.0
#include "sarif/resolve.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace ethos::sarif {
namespace {

// A region that is to be finished with the help of the file at `relative`.
struct Task {
  const std::string* relative;
  Region* region;
  Finding* finding;  // whose fingerprint this location decides, or nullptr
};

// Maps columns in one file, keeping the last two lines worked out: tasks come ordered by line.
class ColumnMapper {
 public:
  explicit ColumnMapper(ColumnUnit unit) : unit_(unit) {}

  void start_file(const SourceFile* file) {
    if (file == file_) return;
    file_ = file;
    lines_ = {};
  }

  void map(Region& region) {
    map_one(region.start_column, region.start_line);
    map_one(region.end_column, region.end_line.value_or(region.start_line));
    if (!region.start_column && !region.end_line) region.end_column.reset();
  }

 private:
  struct Line {
    std::int64_t number = 0;
    LineColumns columns;
  };

  void map_one(std::optional<std::int64_t>& column, std::int64_t line) {
    if (column) column = columns_of(line).to_code_points(*column);
  }

  const LineColumns& columns_of(std::int64_t number) {
    if (lines_[1].number == number) std::swap(lines_[0], lines_[1]);
    if (lines_[0].number == number) return lines_[0].columns;
    std::swap(lines_[0], lines_[1]);
    const auto text = file_->line(static_cast<std::size_t>(number));
    lines_[0] = {number, text ? LineColumns(*text, unit_) : LineColumns()};
    return lines_[0].columns;
  }

  ColumnUnit unit_;
  const SourceFile* file_ = nullptr;
  std::array<Line, 2> lines_;
};

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

// The place of a byte, columns in code points; nothing behind the end of the file.
struct ByPoint {
  std::int64_t line;
  std::int64_t column;
};

std::optional<ByPoint> point_at(const SourceFile& file, std::int64_t offset) {
  if (static_cast<std::uint64_t>(offset) > file.bytes().size()) return std::nullopt;
  const auto at = static_cast<std::size_t>(offset);
  const std::size_t number = file.line_at(at);
  const auto in_line = static_cast<std::int64_t>(at - file.line_start(number)) + 1;
  const auto column = to_code_points(*file.line(number), in_line, ColumnUnit::utf8_bytes);
  if (!column) return std::nullopt;
  return ByPoint{static_cast<std::int64_t>(number), *column};
}

// Lines and columns for a region that is given in bytes.
void place_bytes(Region& region, const SourceFile& file) {
  const auto start = point_at(file, *region.byte_offset);
  if (!start) return;
  region.start_line = start->line;
  region.start_column = start->column;
  if (!region.byte_length) return;
  // Bounded by point_at(): the sum of two offsets within a file cannot overflow.
  const std::int64_t size = static_cast<std::int64_t>(file.bytes().size());
  const auto end = *region.byte_length <= size
                       ? point_at(file, *region.byte_offset + *region.byte_length)
                       : std::nullopt;
  if (!end) {
    region.start_column.reset();
    return;
  }
  if (end->line != start->line) region.end_line = end->line;
  region.end_column = end->column;
}

void run_task(const Task& task, SourceFile* file, ColumnUnit unit, ColumnMapper& columns) {
  columns.start_file(file);
  if (file == nullptr) {
    drop_doubtful_columns(*task.region, unit);
    return;
  }
  if (task.region->byte_offset) {
    place_bytes(*task.region, *file);
  } else {
    columns.map(*task.region);
  }
  if (task.finding == nullptr) return;
  const auto line = static_cast<std::size_t>(task.region->start_line);
  if (auto hash = file->hash(line)) {
    task.finding->fingerprints.emplace_back("primaryLocationLineHash", std::move(*hash));
  }
  if (auto key = file->key(line)) {
    task.finding->fingerprints.emplace_back(kLineKeyName, std::move(*key));
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
    const int order = left.relative->compare(*right.relative);
    return order != 0 ? order < 0 : left.region->start_line < right.region->start_line;
  });
  ColumnMapper columns(run.column_unit);
  for (const Task& task : tasks) {
    run_task(task, sources.find(*task.relative), run.column_unit, columns);
  }
  for (Finding& finding : run.findings) drop_broken_fixes(finding);
}

}  // namespace ethos::sarif
