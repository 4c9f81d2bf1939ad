// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "verify/json.h"
#include "verify/result.h"

namespace ethos::verify {

// The entries of a list of grants that somebody approved, in the form of the records as far as they
// are compared (docs/assertions.md). A path may be a text. An error names entry and key.
Result<std::vector<Value>> approved_grants(const std::vector<Value>& entries);

}  // namespace ethos::verify
