// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/record/json.h"

namespace ethos::record {

// A value as ordinary JSON (RFC 8259) on one line, members in the order they were set: for formats
// of others, whose keys are not those of ethos-json/1. Strings must be valid UTF-8.
std::string json_text(const Json& value);

}  // namespace ethos::record
