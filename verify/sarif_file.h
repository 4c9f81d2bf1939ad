// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/digest.h"
#include "verify/json.h"
#include "verify/result.h"

namespace ethos::verify {

// A result of rule runtime.sandbox_denial.
struct SarifDenial {
  std::int64_t record_seq = -1;
  std::string record_type;
  std::string level;
  // What makes a reader of the file pass over it; "" when nothing does.
  std::string neutral;
  bool is_suppressed = false;
  std::string fingerprint;  // ethosDenial/v1 (SD-5); "" when it has none
  std::string full_fingerprint;  // the same among `fingerprints`
};

// What a SARIF file says of one result, as far as the ledger can answer for it. There may be
// millions.
struct SarifResult {
  Digest digest;                        // sarif-property.md SR-1
  std::unique_ptr<SarifDenial> denial;  // null for a result of the tool's
};

struct SarifRun {
  Value block;  // properties.sandbox; kind none when there is none
  std::vector<SarifResult> results;
  std::uint64_t passed_over = 0;  // results of the tool's: suppressed, no failure or absent
  std::uint64_t marked_down = 0;  // results of the tool's with a `message.markdown`, which no digest covers
  std::uint64_t rules_off = 0;    // entries that switch a rule off which is not that of denials
  bool disables_denials = false;  // the rule runtime.sandbox_denial is switched off in the file
};

struct SarifFile {
  Digest digest;  // of the bytes
  std::vector<SarifRun> runs;
  bool has_outside_results = false;  // inlineExternalProperties, externalPropertyFileReferences
};

// verdict.md V-7. A short text can say a great many empty things.
inline constexpr std::uint64_t kMaxSarif = std::uint64_t{1} << 30U;
inline constexpr std::size_t kMaxSarifRuns = 65'536;
inline constexpr std::size_t kMaxSarifResults = 2'000'000;
inline constexpr std::size_t kMaxSarifValues = 1'000'000;  // kept at once of runs and one result

// Reads a SARIF 2.1.0 log result by result.
Result<SarifFile> parse_sarif(std::string_view text);

// SR-1 and SR-2.
Digest result_digest(const Value& result, Sha256& hash);

}  // namespace ethos::verify
