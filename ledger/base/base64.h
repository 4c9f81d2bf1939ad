// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"

namespace ethos::base {

// RFC 4648 section 4, with padding, no line breaks.
std::string encode_base64(ByteSpan bytes);
// Strict: length a multiple of four, padding where it belongs, spare bits zero, no white space;
// so each byte string has one text. Errc::malformed otherwise.
Result<Bytes> decode_base64(std::string_view text);

}  // namespace ethos::base
