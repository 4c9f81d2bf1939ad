// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ethos::verify {

// `2026-10-01T12:30:00Z` (RFC 3339), seconds rounded down; `beyond 9999` and `before 0000` outside these years.
std::string utc_text(std::int64_t ms);

}  // namespace ethos::verify
