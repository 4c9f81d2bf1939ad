// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "ledger/base/unique_fd.h"

namespace ethos::sandbox {

// openat2 below `dir` that leaves it by no "..", no link and no mount point. -1 with errno set.
[[nodiscard]] base::UniqueFd open_beneath_dir(int dir, const std::string& path, int flags,
                                              mode_t mode = 0);

// Names in a directory but "." and "..", sorted. `ok` is false when it could not be read.
[[nodiscard]] std::vector<std::string> list_names(int dir, bool& ok);

}  // namespace ethos::sandbox
