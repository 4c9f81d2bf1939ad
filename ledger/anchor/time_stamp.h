// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"
#include "ledger/record/digest.h"

namespace ethos::ledger {

// RFC 3161 time stamps over a digest (docs/formats/anchors.md, section 4), by OpenSSL.

using StampNonce = std::array<std::byte, 8>;

// DER of a TimeStampReq for that SHA-256, which asks for the authority's certificate.
base::Result<std::string> stamp_request(const record::Digest& imprint, const StampNonce& nonce);
// The SHA-256 that a request is for. Errc::malformed.
base::Result<record::Digest> request_imprint(std::string_view request);

struct TimeStamp {
  std::string token;  // DER of the TimeStampToken
  record::Digest imprint;
  std::int64_t at_ms = 0;  // genTime
  std::string policy;      // dotted decimal
};

// PEM certificates: what a chain must end in, and what may stand in between.
struct StampTrust {
  std::string roots;
  std::string intermediates = {};
};

// The token of a TimeStampResp after it was checked: status granted, imprint, the nonce of
// `request` when there is one, signature, and the chain at genTime.
//   Errc::malformed  not a response or token
//   Errc::refused    the authority refused the request
//   Errc::mismatch   another imprint or nonce, a bad signature, a chain that does not end in a root
base::Result<TimeStamp> check_stamp_response(std::string_view response,
                                             const record::Digest& imprint,
                                             const std::optional<std::string>& request,
                                             const StampTrust& trust);
// The same for a token alone.
base::Result<TimeStamp> check_stamp_token(std::string_view token, const record::Digest& imprint,
                                          const StampTrust& trust);

}  // namespace ethos::ledger
