// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ethos::sarif::validation {

// Whether time `a` is before `b`, zones and fractions of a second counted in. False when one of
// them is no time.
[[nodiscard]] bool is_before(std::string_view a, std::string_view b);

}  // namespace ethos::sarif::validation
