// SPDX-License-Identifier: Apache-2.0
#include "ledger/commands/check_range.h"

#include <string>

namespace ethos::ledger {

using base::Errc;
using base::fail;

base::Result<void> check_range(std::uint64_t from, const std::optional<std::uint64_t>& to,
                               std::uint64_t size) {
  const auto beyond = [&](const char* option, std::uint64_t number) {
    return fail(Errc::usage, std::string(option) + " " + std::to_string(number) +
                                 ": the ledger has " + std::to_string(size) + " records");
  };
  if (from > size) return beyond("--from", from);
  if (to && *to > size) return beyond("--to", *to);
  if (to && *to < from)
    return fail(Errc::usage, "--to " + std::to_string(*to) + ": less than --from");
  return {};
}

}  // namespace ethos::ledger
