// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sarif/json/byte_source.h"
#include "sarif/json/reader.h"
#include "sarif/validate/rules.h"

namespace ethos::sarif {

// One finding about a SARIF file. Lines and byte columns count from 1.
struct Finding {
  const ValidationRule* rule = nullptr;
  Severity severity = Severity::error;
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string pointer;  // RFC 6901; empty for the whole file
  std::string message;  // one sentence, may quote the file's own text (not yet made safe)
  std::string fix;      // what to do about this one
};

struct ValidateOptions {
  Profile profile = Profile::spec;
  // Findings of one rule that are kept with their text; further ones are only counted. 0 keeps all,
  // and memory then grows with the findings.
  std::size_t findings_per_rule = 50;
  JsonLimits limits;
};

// What came of one file. A file that cannot be read as JSON has a fault, and its findings are
// those up to the fault.
struct Validation {
  std::vector<Finding> findings;  // ordered by place, then by rule
  std::uint64_t errors = 0;       // all that were found, kept or not
  std::uint64_t warnings = 0;
  std::uint64_t notes = 0;
  std::uint64_t not_kept = 0;
  std::uint64_t runs = 0;
  std::uint64_t results = 0;
  std::uint64_t bytes = 0;
  bool had_bom = false;
  bool is_schema_valid = true;  // by the official schema of SARIF 2.1.0 errata 01 alone
  JsonFault fault;              // code none when the whole file was read

  [[nodiscard]] bool is_readable() const { return fault.code == JsonFaultCode::none; }
  [[nodiscard]] bool is_clean() const { return is_readable() && errors == 0; }
};

// Checks one SARIF log as it streams by. Memory: the largest single result or rule, the ids of each
// run's rules, and 16 bytes for each item of an array whose items must differ; it does not grow
// with the number of results. The same bytes and options always give the same answer.
[[nodiscard]] Validation validate(ByteSource& source, const ValidateOptions& options);

}  // namespace ethos::sarif
