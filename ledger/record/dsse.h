// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "ledger/record/vkey.h"

namespace ethos::record {

// DSSE v1 (docs/formats/export.md X-1): a payload with its type, signed as one.
inline constexpr std::string_view kInTotoType = "application/vnd.in-toto+json";

// What a signature covers: "DSSEv1" SP LEN(type) SP type SP LEN(body) SP body, lengths in bytes.
std::string pre_authentication(std::string_view type, std::string_view body);

// One envelope on one line, without line feed. `keyid` is the signer's public key as a vkey: a hint
// that nobody signed.
std::string sign_envelope(std::string_view type, std::string_view body, const SigningKey& key);

// The body of an envelope that `signer` signed. Errc::malformed, or Errc::mismatch when none of its
// signatures is of that key.
base::Result<std::string> open_envelope(std::string_view envelope, std::string_view type,
                                        const PublicKey& signer);

}  // namespace ethos::record
