// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sarif/json/reader.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

// Copies the value whose first event `reader` has just returned, token by token as written, in
// constant memory. False when the reader failed.
[[nodiscard]] bool copy_value(JsonReader& reader, JsonEvent first, JsonWriter& writer);

// Reads over the value whose first event `reader` has just returned.
[[nodiscard]] bool skip_value(JsonReader& reader, JsonEvent first);

}  // namespace ethos::sarif
