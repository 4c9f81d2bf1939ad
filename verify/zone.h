// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/result.h"

namespace ethos::verify {

// The offsets of one time zone from UTC, for telling when a day began there.
class Zone {
 public:
  // `UTC`, `Z`, `+HH:MM`, or a name of the IANA database, read from `directory` (RFC 8536 TZif files).
  static Result<Zone> find(std::string_view name, const std::string& directory = "/usr/share/zoneinfo");
  // The bytes of a TZif file, version 2 or later.
  static Result<Zone> parse_tzif(std::string_view bytes);

  // UTC offset at that instant, in seconds.
  [[nodiscard]] std::int64_t offset_at(std::int64_t utc_seconds) const;
  // The first instant, in milliseconds since 1970, whose local time is at or after this local midnight.
  // Where clocks are put forward over midnight, the day begins with the step.
  [[nodiscard]] std::int64_t first_instant(std::int64_t local_midnight_ms) const;

 private:
  // `Mm.w.d/time`, `Jn` or `n` of a POSIX TZ string.
  struct Date {
    enum class Form { month, julian, day } form = Form::month;
    int month = 1;
    int week = 1;
    int day = 0;
    std::int64_t seconds = 7200;
  };
  struct Rule {
    std::int64_t usual = 0;
    std::optional<std::int64_t> summer;
    Date begin;
    Date end;
  };
  struct Step {
    std::int64_t at = 0;      // seconds, UTC
    std::int64_t offset = 0;  // from then on
  };

  static std::optional<Rule> parse_rule(std::string_view text);
  static bool parse_date(std::string_view& text, Date& out);
  static std::int64_t instant_of(const Date& date, int year, std::int64_t offset);
  // Steps from the last of the table on, by the rule, of the years around `utc_seconds`.
  [[nodiscard]] std::vector<Step> steps_near(std::int64_t utc_seconds) const;

  std::int64_t first_offset_ = 0;  // before the first step
  std::vector<Step> steps_;
  std::optional<Rule> rule_;       // after the last step
};

}  // namespace ethos::verify
