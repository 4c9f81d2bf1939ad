// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"

namespace ethos::sandbox {

// The ELF image of the cage's pid 1, embedded at build time.
[[nodiscard]] std::span<const std::byte> init_image();

// The image in a memfd sealed against every change, close-on-exec: what execveat starts.
[[nodiscard]] base::Result<base::UniqueFd> sealed_init();

}  // namespace ethos::sandbox
