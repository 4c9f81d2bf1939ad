// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "verify/json.h"
#include "verify/result.h"

namespace ethos::verify {

// JSON with comments as declarations and ceilings are written (declaration.md D-1): at most 262,144
// bytes, 16 levels, 1,024 members an object; `//` and `/* */` comments; no trailing comma, no
// duplicate key, integers of at most 15 digits. null becomes a Value of kind none.
Result<Value> parse_jsonc(std::string_view text);

}  // namespace ethos::verify
