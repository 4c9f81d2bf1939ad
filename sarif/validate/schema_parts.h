// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sarif/validate/schema.h"

namespace ethos::sarif::validation {

// The tables behind object_type(), by what the objects are about.
[[nodiscard]] std::span<const ObjectType> log_types();
[[nodiscard]] std::span<const ObjectType> tool_types();
[[nodiscard]] std::span<const ObjectType> result_types();

}  // namespace ethos::sarif::validation
