// SPDX-License-Identifier: Apache-2.0
#include "verify/times.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace ethos::verify {

std::string utc_text(std::int64_t ms) {
  constexpr std::int64_t kDay = 86'400'000;
  std::int64_t days = ms / kDay;
  std::int64_t rest = ms % kDay;
  if (rest < 0) {
    rest += kDay;
    --days;
  }
  if (days > 2'932'896) return "beyond 9999";
  if (days < -719'528) return "before 0000";
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days(days)}};
  std::array<char, 40> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(rest / 3'600'000),
                static_cast<int>(rest / 60'000 % 60), static_cast<int>(rest / 1000 % 60));
  return out.data();
}

}  // namespace ethos::verify
