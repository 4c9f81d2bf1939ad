// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sarif/json/fragment.h"

namespace ethos::sarif {

// What most readers look at in a result (3.27): its first location and its message.

// locations[0].physicalLocation.
[[nodiscard]] std::optional<JsonView> primary_location(const JsonView& result);
// Its artifactLocation.uri as written; empty without one.
[[nodiscard]] std::string primary_uri(const JsonView& result);
// The same with its escapes undone, where they can be.
[[nodiscard]] std::string primary_path(const JsonView& result);
// Its region.startLine; 0 without one.
[[nodiscard]] std::int64_t primary_line(const JsonView& result);
// message.text, else message.markdown, else message.id.
[[nodiscard]] std::string message_text(const JsonView& result);

}  // namespace ethos::sarif
