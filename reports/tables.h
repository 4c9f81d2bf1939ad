// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "reports/table.h"

namespace ethos::reports {

// A table of whatever report: its rows go where the caller wants them.
struct TableSource {
  std::string name, title;
  std::function<void(Table&)> fill;
};

// One table of the report: a CSV file, a sheet of the workbook.
struct TableKind {
  std::string_view name;   // of the file: "runs"
  std::string_view title;  // of the sheet: "Runs", at most 31 letters
  void (*fill)(const Model& model, Table& table);
};

// All of them, in the order people read them. Each begins with a header line; none has a summary
// line at its end.
//   counts     figure by figure: name, period, previous period; then the records by type
//   allowed    a line for each tool and capability; grants has the grants one by one
//   stretches  days, weeks or months of the period, with their hours
//   drift      a change a line; `first_seen` for a tool that no earlier run of the ledger had
//   comparison a change a line of the tools at the two points; tools that are the same too
//   controls   a control a line, with the state of the kind of evidence that bears on it
std::span<const TableKind> all_tables();

}  // namespace ethos::reports
