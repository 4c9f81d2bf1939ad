// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/facts.h"
#include "sandbox/workspace.h"

namespace ethos::sandbox {

// Of all looks for hidden places in one run together.
inline constexpr std::size_t kMaxHideEntries = 20'000'000;

// F-5, hard links: a file that is hidden, or lies in a hidden directory, and has other names. Those
// that lie in granted trees are added to `found`, by path. `trees` are granted directories and
// files, relative or absolute. `entries` counts on. Follows no link. Costs one look at each hidden
// file, and a walk of the trees only when one of them has a second name. Errc::too_large for more
// than 20 million entries, 500 levels or as many places as a run may hide.
[[nodiscard]] base::Result<void> hide_other_names(const Workspace& workspace,
                                                  const std::vector<std::string>& trees,
                                                  std::map<std::string, HideFact>& found,
                                                  std::size_t& entries);

}  // namespace ethos::sandbox
