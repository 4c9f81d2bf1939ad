// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/record/vkey.h"
#include "reports/model.h"

namespace ethos::reports {

inline constexpr std::string_view kPayloadType = "application/vnd.in-toto+json";

// The bytes that a DSSE signature covers: "DSSEv1" SP LEN(type) SP type SP LEN(body) SP body,
// lengths in decimal bytes (DSSE v1 protocol, PAE).
std::string pre_authentication(std::string_view type, std::string_view body);

using Subject = std::pair<std::string, std::string>;  // name of a file, 64 hex digits

// An in-toto Statement v1 with a Simple Verification Result v0.2: the verdicts that passed, each as
// a property `ETHOS_…`, over the files of the report. What is not named says nothing. Errc::refused
// for a model that is not verified: a result is never made by forgetting.
base::Result<std::string> verification_statement(const Model& model,
                                                 const std::vector<Subject>& files);

// One DSSE envelope on one line, signed with Ed25519; `keyid` is the signer's public key, a hint.
std::string sign_envelope(std::string_view statement, const record::SigningKey& key);

// The statement inside an envelope line that `signer` signed. Errc::malformed, or Errc::mismatch
// when no signature of that key is right.
base::Result<std::string> open_envelope(std::string_view line, const record::PublicKey& signer);

// The secret key of a file as docs/formats/keys.md K-12 wants it. Errc::refused for a key of a
// ledger (they sign checkpoints or revocations and nothing else).
base::Result<record::SigningKey> read_signer(const std::string& path, const std::string& origin);

}  // namespace ethos::reports
