// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "reports/zone.h"

namespace ethos::reports {

// The days a report is about: both named dates are inside, in the zone's own calendar.
struct Period {
  std::chrono::sys_days first_day;
  std::chrono::sys_days last_day;
  std::int64_t from = 0;   // first instant inside, seconds
  std::int64_t until = 0;  // first instant after

  // "2026-10-01..2026-12-31". Errc::malformed for another form, a date that does not exist, an end
  // before the start, years outside 1970..9998, or more than 50 years.
  static base::Result<Period> parse(std::string_view text, const Zone& zone);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] int day_count() const;
  // Milliseconds of the wall clock, as records carry them.
  [[nodiscard]] bool contains_ms(std::int64_t wall_ms) const {
    return wall_ms >= from * 1000 && wall_ms < until * 1000;
  }
  // As many days just before this one; for comparison.
  [[nodiscard]] Period before(const Zone& zone) const;
};

// Stretches of a period for charts: days up to two weeks, else weeks that begin on Monday, else
// months when there would be more than 120 weeks. The first and last may be cut by the period.
struct Bucket {
  std::string label;  // the first day in it, YYYY-MM-DD
  std::int64_t from = 0;
  std::int64_t until = 0;
};
struct Buckets {
  std::string unit;  // "day", "week", "month"
  std::vector<Bucket> list;
  // Index of the bucket an instant in the period falls into.
  [[nodiscard]] std::size_t index_of(std::int64_t instant) const;
};
Buckets split(const Period& period, const Zone& zone);

std::string date_text(std::chrono::sys_days day);
// "2026-03-29T01:00:03Z"
std::string utc_text(std::int64_t instant);
// "2026-03-29 03:00:03 CEST"
std::string local_text(std::int64_t instant, const Zone& zone);
// "+02:00"
std::string offset_text(std::int32_t offset);

}  // namespace ethos::reports
