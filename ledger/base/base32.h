// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"

namespace ethos::base {

// RFC 4648 section 6 in lower case, without padding: 16 bytes are 26 characters.
std::string encode_base32(ByteSpan bytes);
// Strict: lower case, a possible length, spare bits zero; Errc::malformed otherwise.
Result<Bytes> decode_base32(std::string_view text);

}  // namespace ethos::base
