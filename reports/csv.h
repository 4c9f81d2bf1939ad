// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/model.h"
#include "reports/sink.h"
#include "reports/tables.h"

namespace ethos::reports {

enum class CsvText { neutralised, raw };

// One cell of text: invisible characters as escapes; with `neutralised`, a text that a spreadsheet
// would take for a formula (it begins with = + - @ or their full-width twins) gets a leading '.
// Quoted as RFC 4180 says where it has to be.
std::string csv_cell(std::string_view text, CsvText how);

// One table as a file: UTF-8 without BOM, comma, CRLF, a header line, no trailing summary.
void write_csv(const TableKind& kind, const Model& model, CsvText how, Sink& sink);
// `model` says only whether it is verified, and the zone.
void write_csv(const TableSource& source, const Model& model, CsvText how, Sink& sink);

}  // namespace ethos::reports
