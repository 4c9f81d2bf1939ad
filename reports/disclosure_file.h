// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"

namespace ethos::reports {

struct Disclosed {
  std::string_view kind, salt, bytes;
};
// `index` is the place in the list of what was asked for; the views are valid during the call.
using DisclosureSink = std::function<void(std::size_t index, const Disclosed& value)>;

// Looks up values beside the records by the 32 bytes of their commitments, in a ledger
// (docs/formats/store.md, table `disclosure`) or in a bundle (member `disclosure/<hex>`). What is
// not there is passed over; nothing here is checked. Errors as in ledger_file.h and bundle_file.h.
base::Result<void> read_ledger_disclosures(const std::string& path,
                                           const std::vector<std::string>& commitments,
                                           const DisclosureSink& sink);
base::Result<void> read_bundle_disclosures(const std::string& path,
                                           const std::vector<std::string>& commitments,
                                           const DisclosureSink& sink);

}  // namespace ethos::reports
