// SPDX-License-Identifier: Apache-2.0
#include "ledger/printable.h"

#include "ledger/base/printable.h"

namespace ethos::ledger {

std::string printable(std::string_view text) { return base::printable(text); }

}  // namespace ethos::ledger
