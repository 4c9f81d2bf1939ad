// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "ledger/base/result.h"

namespace ethos::ledger {

// Errc::usage for --from or --to beyond a ledger of `size` records, or in the wrong order: a
// mistyped number must not pass for an empty answer. `from` == `size` is what a reader goes on with.
base::Result<void> check_range(std::uint64_t from, const std::optional<std::uint64_t>& to,
                               std::uint64_t size);

}  // namespace ethos::ledger
