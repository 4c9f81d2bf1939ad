// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "ledger/base/result.h"

namespace ethos::sandbox {

// base::read_file of a regular file only, so that no pipe makes the caller wait; Errc::refused for
// anything else.
base::Result<std::string> read_regular_file(const std::string& path, std::size_t max_bytes);

}  // namespace ethos::sandbox
