// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verify/certificate.h"
#include "verify/result.h"

namespace ethos::verify {

// A time stamp token (RFC 3161, in CMS SignedData, RFC 5652) taken apart but not yet believed.
struct TimeToken {
  std::string imprint_oid;
  std::string imprint;
  std::string policy;        // dotted decimal
  std::int64_t at_ms = 0;    // genTime, its fraction cut to milliseconds

  std::string info;          // the TSTInfo, as it is signed
  std::string signed_attributes;  // DER, as a SET
  std::string signer_issuer;      // either these two,
  std::string signer_serial;
  std::string signer_key_id;      // or this one
  std::string digest_oid;
  std::string signature_oid;
  std::string signature;
  std::string message_digest;     // attribute
  std::string content_type;
  std::string certificate_hash;   // of ESSCertID or ESSCertIDv2
  std::string certificate_hash_oid;
  std::vector<Certificate> certificates;
};

inline constexpr std::size_t kMaxTimeToken = 65'536;

Result<TimeToken> parse_time_token(std::string_view der);

struct TokenAnswer {
  enum class Kind { good, unknown, wrong } kind = Kind::unknown;
  std::string why;
};

// anchors.md A-14 but for what the record says: signature, signer's certificate, chain at genTime.
TokenAnswer judge_token(const TimeToken& token, const std::vector<Certificate>& roots);

}  // namespace ethos::verify
