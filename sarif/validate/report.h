// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "sarif/json/writer.h"
#include "sarif/validate/validate.h"

namespace ethos::sarif::validation {

// One file that was asked for, and what came of it.
struct FileReport {
  std::string path;     // as it was named; "-" for standard input
  std::string failure;  // why it could not be opened; empty when it could
  Report report;

  [[nodiscard]] bool is_readable() const { return failure.empty() && report.is_readable(); }
};

// For people. One finding is two lines:
//   a.sarif:57:9: error: The rule index is 39, but there are 1 rules. [ETH1202 at
//   /runs/0/results/0]
//       Correct the index, or leave it out.
// and one line a file sums up. Everything the file says is made safe for a terminal.
void write_text(ByteSink& sink, std::span<const FileReport> files, Profile profile);

// {"format": "ethos-sarif-validation", "version": 1, ...}: docs/sarif-rules.md.
void write_json(ByteSink& sink, std::span<const FileReport> files, Profile profile);

// SARIF 2.1.0: one run, a result for each finding.
void write_sarif(ByteSink& sink, std::span<const FileReport> files, Profile profile);

// The rules with their levels, as text or JSON.
void write_rules_text(ByteSink& sink);
void write_rules_json(ByteSink& sink);

}  // namespace ethos::sarif::validation
