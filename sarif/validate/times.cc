// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/times.h"

#include <chrono>
#include <cstdint>
#include <tuple>

#include "sarif/validate/formats.h"

namespace ethos::sarif::validation {
namespace {

struct Instant {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  friend bool operator<(const Instant& a, const Instant& b) {
    return std::tie(a.seconds, a.nanoseconds) < std::tie(b.seconds, b.nanoseconds);
  }
};

std::int64_t digits(std::string_view text, std::size_t at, std::size_t count) {
  std::int64_t value = 0;
  for (std::size_t i = at; i < at + count; ++i) value = value * 10 + (text[i] - '0');
  return value;
}

// `text` is a date-time by is_date_time(): every place is where it has to be.
Instant instant_of(std::string_view text) {
  const std::chrono::year_month_day date(
      std::chrono::year(static_cast<int>(digits(text, 0, 4))),
      std::chrono::month(static_cast<unsigned>(digits(text, 5, 2))),
      std::chrono::day(static_cast<unsigned>(digits(text, 8, 2))));
  Instant instant;
  instant.seconds = std::chrono::sys_days(date).time_since_epoch().count() * std::int64_t{86400} +
                    digits(text, 11, 2) * 3600 + digits(text, 14, 2) * 60 + digits(text, 17, 2);
  std::size_t at = 19;
  if (text[at] == '.') {
    std::int64_t unit = 100'000'000;
    for (++at; text[at] >= '0' && text[at] <= '9'; ++at, unit /= 10) {
      instant.nanoseconds += unit * (text[at] - '0');
    }
  }
  if (text[at] == '+' || text[at] == '-') {
    const std::size_t left = text.size() - at;
    const std::int64_t minutes = left >= 5 ? digits(text, text.size() - 2, 2) : 0;
    const std::int64_t offset = digits(text, at + 1, 2) * 3600 + minutes * 60;
    instant.seconds += text[at] == '+' ? -offset : offset;
  }
  return instant;
}

}  // namespace

bool is_before(std::string_view a, std::string_view b) {
  return is_date_time(a) && is_date_time(b) && instant_of(a) < instant_of(b);
}

}  // namespace ethos::sarif::validation
