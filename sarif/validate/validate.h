// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sarif/json/byte_source.h"
#include "sarif/json/reader.h"
#include "sarif/validate/rules.h"

namespace ethos::sarif::validation {

// One finding about a SARIF file. Lines and byte columns count from 1.
struct Finding {
  const Rule* rule = nullptr;
  Severity severity = Severity::error;
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string pointer;  // RFC 6901; empty for the whole file
  std::string message;  // one sentence; may quote the file's own text, which is hostile
  std::string fix;      // what to do about it
};

struct Options {
  Profile profile = Profile::spec;
  // Findings of one rule that are kept with their text; further ones are only counted. 0 keeps all,
  // and memory then grows with the findings.
  std::size_t findings_per_rule = 50;
  // Findings below this are counted, but not kept.
  Severity least_severity = Severity::note;
  // Directory of the sources; when it is named, regions, snippets and hashes are checked against
  // the files below it.
  std::string root;
  JsonLimits limits;
};

// What came of one file. When the file cannot be read as JSON, `fault` says why, the last finding
// is about it, and the others are those up to there.
struct Report {
  std::vector<Finding> findings;  // ordered by place, then by rule
  std::uint64_t errors = 0;       // all that were found, kept or not
  std::uint64_t warnings = 0;
  std::uint64_t notes = 0;
  std::uint64_t not_kept = 0;  // of those at or over least_severity
  std::uint64_t runs = 0;
  std::uint64_t results = 0;
  std::uint64_t bytes = 0;
  bool is_schema_valid = true;  // by the official schema of SARIF 2.1.0 errata 01 alone
  JsonFault fault;              // code none when the whole file was read
  std::string root_failure;     // why the root could not be opened; nothing was held against it

  [[nodiscard]] bool is_readable() const { return fault.code == JsonFaultCode::none; }
  [[nodiscard]] bool is_clean() const { return is_readable() && errors == 0; }
};

// Checks one SARIF log as it streams by. Memory: the largest single result or rule, the ids of each
// run's rules, the different places that results refer to, and 16 bytes for each GUID and each item
// of an array whose items must differ. The same bytes and options always give the same answer.
[[nodiscard]] Report validate(ByteSource& source, const Options& options);

}  // namespace ethos::sarif::validation
