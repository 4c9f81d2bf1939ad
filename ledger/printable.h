// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::ledger {

// Text from a record, safe for a terminal: control characters (C0, DEL, C1), characters that turn
// the writing direction or are invisible, and bytes that are no UTF-8 come out as \x.. or \u{....}.
std::string printable(std::string_view text);

}  // namespace ethos::ledger
