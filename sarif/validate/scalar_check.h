// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sarif/json/reader.h"
#include "sarif/validate/reporter.h"
#include "sarif/validate/schema.h"

namespace ethos::sarif::validation {

// Which rule of the schema a scalar breaks under `property`, if any. `token` is the value as
// written, `text` a string's characters.
[[nodiscard]] std::optional<Check> check_scalar(const Property& property, JsonEvent event,
                                                std::string_view token, std::string_view text);

// "an integer of at least 1", "an array", "one of none, note, warning, error".
[[nodiscard]] std::string describe_expected(const Property& property, bool is_element);
// "a string", "null".
[[nodiscard]] std::string_view describe_event(JsonEvent event);

// What to say about a scalar that breaks `check` under `property`.
[[nodiscard]] Explanation explain_scalar(Check check, const Property& property, bool is_element,
                                         JsonEvent event, std::string_view token,
                                         std::string_view text);

// The name in `type` that the author of `unknown` most likely meant; empty when none is near.
[[nodiscard]] std::string_view similar_name(std::string_view unknown, const ObjectType& type);

}  // namespace ethos::sarif::validation
