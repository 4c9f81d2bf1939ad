// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/facts.h"
#include "sandbox/interruption.h"
#include "sandbox/workspace.h"

namespace ethos::sandbox {

// Of all looks for hidden places in one run together.
inline constexpr std::size_t kMaxHideEntries = 20'000'000;

inline constexpr std::size_t kMaxHiddenPlaces = 10'000;
// Of all their paths as they are written down: facts, plan and table of mounts name each, and a
// verifier reads no document of more than 8 MiB.
inline constexpr std::uint64_t kMaxHiddenPathBytes = std::uint64_t{3} << 20;

// In JSON it takes at most twice this: a path that is no text becomes base64.
[[nodiscard]] std::uint64_t written_size(std::string_view path);
// Errc::too_large when there are too many of them, or their paths take too much.
[[nodiscard]] base::Result<void> check_hidden_places(std::size_t count, std::uint64_t path_bytes);

// F-5, hard links: a file that is hidden, or lies in a hidden directory, and has other names. Those
// that lie in granted trees are added to `found`, by path. `trees` are granted directories and
// files, relative or absolute. `path_bytes` and `entries` count on. Follows no link. Costs one look
// at each hidden file, and a walk of the trees only when one of them has a second name.
// Errc::refused when nobody can tell them: a hidden directory that the caller could enter and
// cannot list, and a file of its device in a granted tree with a name that is not known.
// Errc::too_large for more than 20 million entries, 500 levels or as many places as a run may hide.
[[nodiscard]] base::Result<void> hide_other_names(const Workspace& workspace,
                                                  const std::vector<std::string>& trees,
                                                  std::map<std::string, HideFact>& found,
                                                  std::uint64_t& path_bytes, std::size_t& entries,
                                                  Interruption* interruption);

// Errc::refused when a look at so many entries is to end; asked every 64th time.
[[nodiscard]] base::Result<void> check_time(Interruption* interruption, std::size_t entries);

}  // namespace ethos::sandbox
