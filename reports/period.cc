// SPDX-License-Identifier: Apache-2.0
#include "reports/period.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;
using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kDay = 86400;
constexpr int kMaxDays = 50 * 366;

std::string padded(std::int64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

std::optional<int> digits(std::string_view text) {
  int value = 0;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<sys_days> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = digits(text.substr(0, 4));
  const auto month = digits(text.substr(5, 2));
  const auto day = digits(text.substr(8, 2));
  if (!year || !month || !day || *year < 1970 || *year > 9998) return std::nullopt;
  const year_month_day date{std::chrono::year(*year),
                            std::chrono::month(static_cast<unsigned>(*month)),
                            std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

std::string clock_text(std::int64_t second_of_day) {
  return padded(second_of_day / 3600, 2) + ":" + padded(second_of_day % 3600 / 60, 2) + ":" +
         padded(second_of_day % 60, 2);
}

struct Split {
  sys_days day;
  std::int64_t second = 0;
};
Split split_instant(std::int64_t instant) {
  const std::int64_t day = instant >= 0 ? instant / kDay : (instant - kDay + 1) / kDay;
  return {sys_days(days(day)), instant - day * kDay};
}

sys_days next_start(sys_days day, std::string_view unit) {
  if (unit == "day") return day + days(1);
  if (unit == "week") {
    const std::chrono::weekday on(day);
    return day + days(7) - (on - std::chrono::Monday);
  }
  const year_month_day date(day);
  return sys_days((date.year() / date.month() + std::chrono::months(1)) / 1);
}

}  // namespace

base::Result<Period> Period::parse(std::string_view text, const Zone& zone) {
  const auto first = parse_date(text.substr(0, std::min<std::size_t>(10, text.size())));
  if (text.size() != 22 || text.substr(10, 2) != ".." || !first) {
    return fail(Errc::malformed, "a period is YYYY-MM-DD..YYYY-MM-DD, both days included");
  }
  const auto last = parse_date(text.substr(12));
  if (!last) return fail(Errc::malformed, "a period is YYYY-MM-DD..YYYY-MM-DD, both days included");
  if (*last < *first) return fail(Errc::malformed, "the period ends before it begins");
  if ((*last - *first).count() >= kMaxDays)
    return fail(Errc::malformed, "the period is longer than 50 years");
  return Period{*first, *last, zone.start_of_day(*first), zone.start_of_day(*last + days(1))};
}

std::string Period::text() const { return date_text(first_day) + ".." + date_text(last_day); }

int Period::day_count() const { return static_cast<int>((last_day - first_day).count()) + 1; }

Period Period::before(const Zone& zone) const {
  const sys_days first = first_day - days(day_count());
  return Period{first, first_day - days(1), zone.start_of_day(first), from};
}

std::size_t Buckets::index_of(std::int64_t instant) const {
  const auto later =
      std::upper_bound(list.begin(), list.end(), instant,
                       [](std::int64_t at, const Bucket& bucket) { return at < bucket.from; });
  return later == list.begin() ? 0 : static_cast<std::size_t>(later - list.begin()) - 1;
}

Buckets split(const Period& period, const Zone& zone) {
  Buckets out;
  const int count = period.day_count();
  out.unit = count <= 14 ? "day" : count <= 120 * 7 ? "week" : "month";
  for (sys_days day = period.first_day; day <= period.last_day;) {
    const sys_days next = std::min(next_start(day, out.unit), period.last_day + days(1));
    out.list.push_back({date_text(day), zone.start_of_day(day), zone.start_of_day(next)});
    day = next;
  }
  return out;
}

std::string date_text(sys_days day) {
  const year_month_day date(day);
  return padded(static_cast<int>(date.year()), 4) + "-" +
         padded(static_cast<unsigned>(date.month()), 2) + "-" +
         padded(static_cast<unsigned>(date.day()), 2);
}

std::string utc_text(std::int64_t instant) {
  const Split parts = split_instant(instant);
  return date_text(parts.day) + "T" + clock_text(parts.second) + "Z";
}

std::string local_text(std::int64_t instant, const Zone& zone) {
  const ZoneInfo info = zone.at(instant);
  const Split parts = split_instant(instant + info.offset);
  return date_text(parts.day) + " " + clock_text(parts.second) + " " + info.name;
}

std::string offset_text(std::int32_t offset) {
  const std::int32_t size = offset < 0 ? -offset : offset;
  std::string out = offset < 0 ? "-" : "+";
  out += padded(size / 3600, 2) + ":" + padded(size % 3600 / 60, 2);
  if (size % 60 != 0) out += ":" + padded(size % 60, 2);
  return out;
}

}  // namespace ethos::reports
