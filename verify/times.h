// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "verify/zone.h"

namespace ethos::verify {

// `2026-10-01T12:30:00Z` (RFC 3339), seconds rounded down; `beyond 9999` and `before 0000` outside these years.
std::string utc_text(std::int64_t ms);
// `2026-10-01T14:30:00+02:00`, as that zone's clocks showed it.
std::string zoned_text(std::int64_t ms, const Zone& zone);
// `12 ms`, `3.4 s`, `2 h 05 min`.
std::string duration_text(std::int64_t ms);

}  // namespace ethos::verify
