// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/digest.h"
#include "verify/json.h"
#include "verify/result.h"

namespace ethos::verify {

// What a SARIF file says of one result, as far as the ledger can answer for it.
struct SarifResult {
  Digest digest;              // sarif-property.md SR-1
  bool is_denial = false;     // rule runtime.sandbox_denial
  std::int64_t record_seq = -1;
  std::string record_type;
  std::string level;
  // Of a denial: what makes a reader of the file pass over it; "" when nothing does.
  std::string neutral;
  bool is_suppressed = false;
  std::string fingerprint;  // ethosDenial/v1 (SD-5); "" when it has none
};

struct SarifRun {
  Value block;  // properties.sandbox; kind none when there is none
  std::vector<SarifResult> results;
  bool disables_denials = false;  // the rule runtime.sandbox_denial is switched off in the file
};

struct SarifFile {
  Digest digest;  // of the bytes
  std::vector<SarifRun> runs;
  bool has_outside_results = false;  // inlineExternalProperties, externalPropertyFileReferences
};

inline constexpr std::uint64_t kMaxSarif = std::uint64_t{1} << 30U;

// Reads a SARIF 2.1.0 log result by result.
Result<SarifFile> parse_sarif(std::string_view text);

// SR-1 and SR-2.
Digest result_digest(const Value& result, Sha256& hash);

}  // namespace ethos::verify
