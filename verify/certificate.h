// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/public_key.h"
#include "verify/result.h"

namespace ethos::verify {

// What is needed of an X.509 certificate (RFC 5280) to follow a chain to a root.
struct Certificate {
  std::string der;
  std::string signed_part;   // tbsCertificate, exact bytes
  std::string issuer;        // DER of the names
  std::string subject;
  std::string serial;        // content of the INTEGER
  std::string key_info;      // SubjectPublicKeyInfo
  std::string algorithm;     // OID of the signature
  std::string signature;
  std::string subject_key_id;
  std::int64_t from_ms = 0;
  std::int64_t until_ms = 0;
  bool is_authority = false;          // basicConstraints CA
  std::int64_t path_length = -1;      // -1: no limit
  bool may_sign_certificates = true;  // keyUsage, when there is one
  bool is_time_stamper = false;       // the one extended key usage is timeStamping, and it is critical
  bool has_other_usage = false;       // an extended key usage that is not (only) this one
  bool has_unknown_critical = false;  // an extension that must be understood, and is not
};

Result<Certificate> parse_certificate(std::string_view der);

// The certificates of a PEM file; text between them is ignored. At most 1,000.
Result<std::vector<Certificate>> parse_pem(std::string_view text);

enum class ChainAnswer { trusted, unknown };

// Does a chain lead from `leaf` over `others` to one of `roots`, every certificate valid at that time?
ChainAnswer follow_chain(const Certificate& leaf, const std::vector<Certificate>& others, const std::vector<Certificate>& roots, std::int64_t at_ms);

}  // namespace ethos::verify
