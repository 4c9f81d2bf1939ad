// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ethos::sarif::validation {

// The value of a JSON number as a double, as every reader written in JavaScript or C# sees it.
// Infinite when it is too large for one.
[[nodiscard]] double double_from_token(std::string_view token);

// Whether the value is whole: 1, 1.0 and 1e3 are; infinity is not.
[[nodiscard]] bool is_whole(double value);

// The exact value of a whole number that fits into 64 bits, in any spelling.
[[nodiscard]] std::optional<std::int64_t> integer_from_token(std::string_view token);

}  // namespace ethos::sarif::validation
