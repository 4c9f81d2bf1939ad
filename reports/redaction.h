// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "reports/model.h"

namespace ethos::reports {

// A redaction policy (`ethos-redaction/1`, docs/report-model.md): which kinds of text a report
// withholds, and why. It is applied to the model, before anything is written, so that no format can
// show what another hides. Rows stay, and so does every figure; of equal values each gets the same
// number, so that a reader can still follow one through the tables.
//
// Errc::malformed: an unknown field, a missing reason, more than 256 rules; unsupported: another
// format. An unknown member is refused: it may be a rule that somebody relies on.
base::Result<Redaction> parse_redaction(std::string_view json);

// Withholds names and texts; fills the counts of `policy` and sets model.redaction. Once, after all
// records were collected and before rows are summed up and written.
void apply_redaction(const Redaction& policy, Model& model);

// Makes each of two models of the same records name the other: `redacted` by apply_redaction,
// `full` without. `salt` is a secret of the full report.
void join_pair(const std::string& salt, Model& full, Model& redacted);

// `*` stands for any characters, none included; everything else for itself.
bool matches_pattern(std::string_view pattern, std::string_view text);

// SHA-256 of report.json without its line `"counterpart":...`, so that two reports can name each
// other: `grep -v '^"counterpart"' report.json | sha256sum`.
std::string content_digest(const Model& model);

}  // namespace ethos::reports
