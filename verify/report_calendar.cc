// SPDX-License-Identifier: Apache-2.0
#include "verify/report_calendar.h"

#include <algorithm>
#include <chrono>

#include "verify/times.h"

namespace ethos::verify {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;
constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kMostDays = 50 * 366;
constexpr std::int64_t kMostSingleDays = 14;
constexpr std::int64_t kMostWeekDays = 120 * 7;

std::optional<std::int64_t> day_of(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  int parts[3] = {0, 0, 0};
  int part = 0;
  for (const char c : text) {
    if (c == '-') {
      ++part;
    } else if (c < '0' || c > '9' || part > 2) {
      return std::nullopt;
    } else {
      parts[part] = parts[part] * 10 + (c - '0');
    }
  }
  const year_month_day date{std::chrono::year{parts[0]},
                            std::chrono::month{static_cast<unsigned>(parts[1])},
                            std::chrono::day{static_cast<unsigned>(parts[2])}};
  if (part != 2 || !date.ok()) return std::nullopt;
  return sys_days{date}.time_since_epoch().count();
}

std::string day_text(std::int64_t day) { return utc_text(day * kDayMs).substr(0, 10); }

// The first day of the next stretch.
std::int64_t next_of(std::int64_t day, const std::string& unit) {
  if (unit == "day") return day + 1;
  // 1970-01-01 was a Thursday; weeks begin with Monday.
  if (unit == "week") return day + 7 - ((day + 3) % 7 + 7) % 7;
  const year_month_day date{sys_days{std::chrono::days{day}}};
  return sys_days{(date.year() / date.month() + std::chrono::months{1}) / 1}
      .time_since_epoch()
      .count();
}

}  // namespace

std::optional<ReportCalendar> ReportCalendar::find(std::string_view period, const Zone& zone) {
  if (period.size() != 22 || period.substr(10, 2) != "..") return std::nullopt;
  const auto first = day_of(period.substr(0, 10));
  const auto last = day_of(period.substr(12));
  if (!first || !last || *last < *first || *last - *first >= kMostDays) return std::nullopt;
  ReportCalendar out;
  out.first_ = *first;
  out.last_ = *last;
  const std::int64_t before = *first - out.days();
  out.period_before_ = day_text(before) + ".." + day_text(*first - 1);
  out.before_from_ms_ = zone.first_instant(before * kDayMs);
  out.cut(zone);
  return out;
}

void ReportCalendar::cut(const Zone& zone) {
  unit_ = days() <= kMostSingleDays ? "day" : days() <= kMostWeekDays ? "week" : "month";
  for (std::int64_t day = first_; day <= last_;) {
    const std::int64_t next = std::min(next_of(day, unit_), last_ + 1);
    stretches_.push_back(
        {day_text(day), zone.first_instant(day * kDayMs), zone.first_instant(next * kDayMs)});
    day = next;
  }
}

ReportCoverage::ReportCoverage(std::int64_t from, std::int64_t until, std::int64_t first,
                               std::int64_t last)
    : begins_earlier(from < first),
      ends_later(until > last),
      from_ms(std::clamp(first, from, until)),
      until_ms(std::clamp(last, from_ms, until)) {
  if (until > first && from <= last) state = begins_earlier || ends_later ? "part" : "whole";
}

}  // namespace ethos::verify
