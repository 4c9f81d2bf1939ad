// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/report_acts.h"
#include "verify/report_grant.h"
#include "verify/report_same.h"

namespace ethos::verify {

// A run of a report's period that is over, or whose ledger is.
struct ReportRunEnd {
  struct Held {
    const ReportGrant* grant = nullptr;
    std::int64_t seq = 0;         // its record
    std::int64_t first_use = -1;  // the first record that shows it used
  };
  std::string tool;
  std::int64_t opened = 0;
  bool is_refused = false;
  bool is_enforced = false;
  bool is_not_executed = false;
  bool brings_out = false;   // the tool ended by itself, so that what it staged came out
  std::uint64_t starts = 0;  // of programs, as far as they are told
  std::int64_t ended = -1;
  std::vector<Held> grants;
};

// What a report says was allowed against what was used and tried: its table `matrix`, a tool a row
// and a kind of thing a cell (docs/report-model.md, C-5 to C-7).
class ReportMatrix {
 public:
  // Reports of earlier programs count code in scratch space among the system calls.
  void set_scratch_column(ReportColumn column) { scratch_ = column; }
  void on_end(const ReportRunEnd& run);
  void on_denial(const std::string& run, const std::string& tool, ReportColumn column,
                 std::uint64_t acts, std::int64_t seq);
  void on_limit(const std::string& run, const std::string& tool, std::int64_t seq);
  // `labels`: what a redacted report calls a tool.
  void compare(const std::vector<Value>& claimed, const std::map<std::string, std::string>& labels,
               const ReportSame& same) const;

 private:
  struct Cell {
    std::uint64_t granted = 0;
    std::uint64_t used = 0;
    std::uint64_t unused = 0;
    std::uint64_t unrecorded = 0;
    std::uint64_t tried = 0;
    std::uint64_t acts = 0;
    std::int64_t first_granted = -1;
    std::int64_t first_used = -1;
    std::int64_t first_tried = -1;
    std::int64_t first_limit = -1;  // told where no denial is
  };
  struct Row {
    std::uint64_t runs = 0;
    std::uint64_t in_force = 0;
    std::uint64_t refused = 0;
    std::uint64_t not_executed = 0;
    std::array<Cell, kReportColumns> cells;
  };
  Cell& tried(const std::string& run, const std::string& tool, ReportColumn column,
              std::uint64_t acts);
  static std::string state_of(const Cell& cell, bool is_limits);
  static void compare_cells(const std::string& name, const Row& row, const Value& claimed,
                            const ReportSame& same);

  std::map<std::string, Row, std::less<>> rows_;
  std::set<std::pair<std::string, ReportColumn>> tries_;
  ReportColumn scratch_ = ReportColumn::execute;
};

// By what the limits of the runs were held: the table `limit_forms` (C-14).
class ReportLimitForms {
 public:
  void add(const ReportGrant& grant, std::uint64_t runs, std::int64_t first);
  void compare(const std::vector<Value>& claimed, const ReportSame& same) const;

 private:
  struct Form {
    std::uint64_t runs = 0;
    std::int64_t first = -1;
  };
  std::map<std::pair<std::string, std::string>, Form> forms_;
};

}  // namespace ethos::verify
