// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/facts.h"
#include "sandbox/interruption.h"
#include "sandbox/normal.h"
#include "sandbox/workspace.h"

namespace ethos::sandbox {

inline constexpr std::uint64_t kMaxHideSteps = 4'000'000'000;  // some seconds of processor time

// F-5: what hide patterns and the git rule match inside the granted trees of the workspace. `trees`
// are relative paths of granted directories and files, `outside` absolute ones, where only other
// names of hidden files are looked for. Follows no link while it walks.
// Errc::too_large for more than 10,000 matches, 20 million entries or 500 levels, for patterns that
// take more than `max_steps` to compare (no clock of the run goes yet), and for what plan.md N-15
// refuses; the last two name a pattern. Errc::refused when `interruption` (null: nothing) ended the
// look, and where nobody can tell what is to be hidden (closed_directory.h, hide_links.h).
[[nodiscard]] base::Result<std::vector<HideFact>> find_hidden(
    const Workspace& workspace, const Normal& normal, const std::vector<std::string>& trees,
    const std::vector<std::string>& outside, std::uint64_t max_steps = kMaxHideSteps,
    Interruption* interruption = nullptr);

}  // namespace ethos::sandbox
