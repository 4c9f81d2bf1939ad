// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"

namespace ethos::base {

// Lower-case hex, two digits a byte.
std::string encode_hex(ByteSpan bytes);
// Strict: lower case only, even length; Errc::malformed otherwise.
Result<Bytes> decode_hex(std::string_view text);

}  // namespace ethos::base
