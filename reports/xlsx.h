// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model.h"
#include "reports/sink.h"
#include "reports/tables.h"

namespace ethos::reports {

// The report as a workbook (ECMA-376, SpreadsheetML): a first sheet with what was asked and
// answered, then a sheet for each table of tables.h, with a frozen head line and a filter. Texts
// are strings of their own in their cells, so that none can become a formula; there is no formula
// at all, no macro and no link. Figures a spreadsheet cannot hold exactly (more than 15 digits) are
// texts.
//
// The bytes depend on the model only; the document's time is that of the last record. A sheet
// holds at most kMaxSheetRows rows; the first sheet says how many of how many.
void write_xlsx(const Model& model, Sink& sink);

// The same for other tables; the first one is the first sheet, which then lists the others. `model`
// gives title, period, source and whether it is verified.
void write_workbook(const Model& model, const TableSource& first,
                    const std::vector<TableSource>& tables, Sink& sink);

inline constexpr std::size_t kMaxSheetRows = 1048575;  // and the head line

// A text as the content of an XML element: invisible characters as escapes, at most 32,000 bytes,
// and `_x000d_`, which readers would decode, made harmless.
std::string xlsx_text(std::string_view text);

}  // namespace ethos::reports
