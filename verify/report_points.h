// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/report_grant.h"
#include "verify/report_same.h"
#include "verify/zone.h"

namespace ethos::verify {

// What a report says each tool was given at two points: its member `comparison` (C-11).
class ReportPoints {
 public:
  // `zone`: of the report's days; null when it is not known.
  ReportPoints(const ReportClaims& claims, const Zone* zone);

  // A run that was in force.
  struct Run {
    std::string tool;
    std::string origin;
    std::string revision;
    std::string decision;  // in words; empty for none
    std::int64_t start_ms = 0;
    std::int64_t enforced = -1;  // its record
  };
  void see(const Run& run, const std::vector<ReportGrantBook::Id>& grants);
  void compare(const ReportGrantBook& book, const ReportSame& same) const;
  // Why it cannot be compared; empty when it can.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  struct Point {
    std::int64_t until_ms = 0;
    std::string revision;
    [[nodiscard]] bool counts(const Run& run) const {
      return revision.empty() ? run.start_ms < until_ms : run.revision.starts_with(revision);
    }
  };
  struct Held {
    std::vector<ReportGrantBook::Id> grants;
    std::int64_t enforced = -1;
    std::int64_t since = -1;
    std::int64_t since_ms = 0;
    std::string decision;
  };
  using Tool = std::pair<std::string, std::string>;  // and origin
  using Tools = std::map<Tool, Held>;
  struct Row {
    Tool tool;
    const char* state = "same";
    const Held* from = nullptr;
    const Held* to = nullptr;
    std::vector<std::string> changes;
    [[nodiscard]] bool is_widened() const;
  };

  std::optional<Point> read(const Value& point, const Zone* zone) const;
  [[nodiscard]] std::map<std::int64_t, Row> rows(const ReportGrantBook& book) const;
  void compare_row(const Row& row, const Value& claimed, const ReportGrantBook& book,
                   const ReportSame& same) const;

  const ReportClaims& claims_;
  std::string why_not_;
  Point from_point_;
  Point to_point_;
  Tools last_;
  Tools from_;
  Tools to_;
};

}  // namespace ethos::verify
