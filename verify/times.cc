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

std::string zoned_text(std::int64_t ms, const Zone& zone) {
  const std::int64_t seconds = ms >= 0 ? ms / 1000 : -((999 - ms) / 1000);
  const std::int64_t offset = zone.offset_at(seconds);
  std::string out = utc_text(ms + offset * 1000);
  if (offset == 0 || !out.ends_with('Z')) return out;
  const std::int64_t size = offset < 0 ? -offset : offset;
  std::array<char, 16> shown{};
  std::snprintf(shown.data(), shown.size(), "%c%02d:%02d", offset < 0 ? '-' : '+', static_cast<int>(size / 3600), static_cast<int>(size / 60 % 60));
  out.pop_back();
  return out + shown.data();
}

std::string duration_text(std::int64_t ms) {
  std::array<char, 64> out{};
  if (ms < 1000) {
    std::snprintf(out.data(), out.size(), "%d ms", static_cast<int>(ms < 0 ? 0 : ms));
  } else if (ms < 60'000) {
    std::snprintf(out.data(), out.size(), "%d.%d s", static_cast<int>(ms / 1000), static_cast<int>(ms / 100 % 10));
  } else if (ms < 3'600'000) {
    std::snprintf(out.data(), out.size(), "%d min %02d s", static_cast<int>(ms / 60'000), static_cast<int>(ms / 1000 % 60));
  } else if (ms >= 172'800'000) {
    std::snprintf(out.data(), out.size(), "%lld days %d h", static_cast<long long>(ms / 86'400'000), static_cast<int>(ms / 3'600'000 % 24));
  } else {
    std::snprintf(out.data(), out.size(), "%lld h %02d min", static_cast<long long>(ms / 3'600'000), static_cast<int>(ms / 60'000 % 60));
  }
  return out.data();
}

}  // namespace ethos::verify
