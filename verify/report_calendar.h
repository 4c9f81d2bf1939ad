// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/zone.h"

namespace ethos::verify {

// The days of a report's period in its zone: the period before (docs/report-model.md, C-4), and the
// stretches that it is cut into.
class ReportCalendar {
 public:
  struct Stretch {
    std::string label;  // its first day
    std::int64_t from_ms = 0;
    std::int64_t until_ms = 0;  // excluded
  };
  // Nothing for what is no period; the zone is one that is known.
  static std::optional<ReportCalendar> find(std::string_view period, const Zone& zone);

  [[nodiscard]] std::int64_t days() const { return last_ - first_ + 1; }
  [[nodiscard]] const std::string& period_before() const { return period_before_; }
  [[nodiscard]] std::int64_t before_from_ms() const { return before_from_ms_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] const std::vector<Stretch>& stretches() const { return stretches_; }

 private:
  void cut(const Zone& zone);

  std::int64_t first_ = 0;  // days since 1970
  std::int64_t last_ = 0;
  std::string period_before_;
  std::int64_t before_from_ms_ = 0;
  std::string unit_;
  std::vector<Stretch> stretches_;
};

// How much of a stretch of time the records can tell of (C-13).
struct ReportCoverage {
  ReportCoverage(std::int64_t from, std::int64_t until, std::int64_t first, std::int64_t last);

  const char* state = "none";  // whole, part, none
  bool begins_earlier = false;
  bool ends_later = false;
  std::int64_t from_ms = 0;  // of what is covered
  std::int64_t until_ms = 0;
};

}  // namespace ethos::verify
