// SPDX-License-Identifier: Apache-2.0
// Whatever a zone file says, its days come one after the other.
#include "reports/period.h"
#include "reports/zone.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::reports;
  const auto zone = Zone::parse("x", ethos::fuzz::text_of(data, size));
  if (!zone) return 0;
  const std::chrono::sys_days first(std::chrono::year(2026) / 3 / 1);
  std::int64_t last = zone->start_of_day(first);
  for (int day = 1; day < 60; ++day) {
    const std::int64_t start = zone->start_of_day(first + std::chrono::days(day));
    ethos::fuzz::require(start >= last);
    static_cast<void>(local_text(start, *zone));
    last = start;
  }
  return 0;
}
