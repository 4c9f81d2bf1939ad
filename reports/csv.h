// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/model.h"
#include "reports/sink.h"

namespace ethos::reports {

enum class CsvText { neutralised, raw };

// One cell of text: invisible characters as escapes; with `neutralised`, a text that a spreadsheet
// would take for a formula (it begins with = + - @ or their full-width twins) gets a leading '.
// Quoted as RFC 4180 says where it has to be.
std::string csv_cell(std::string_view text, CsvText how);

// One file each; UTF-8 without BOM, comma, CRLF, a header line, no trailing summary.
void write_runs_csv(const Model& model, CsvText how, Sink& sink);
void write_denials_csv(const Model& model, CsvText how, Sink& sink);
void write_limits_csv(const Model& model, CsvText how, Sink& sink);
void write_grants_csv(const Model& model, CsvText how, Sink& sink);
// A change a line; `first_seen` for a tool that no earlier run of the ledger had.
void write_drift_csv(const Model& model, CsvText how, Sink& sink);
void write_exceptions_csv(const Model& model, CsvText how, Sink& sink);
// A control a line, with the state of the kind of evidence that bears on it.
void write_controls_csv(const Model& model, CsvText how, Sink& sink);
// Figure by figure: name, period, previous period; then the records by type.
void write_counts_csv(const Model& model, CsvText how, Sink& sink);

}  // namespace ethos::reports
