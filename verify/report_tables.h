// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "verify/record.h"
#include "verify/report_same.h"
#include "verify/view.h"

namespace ethos::verify {

// A run of a report's period, as the records tell it.
struct RecountedRun {
  std::string id;
  std::string tool;
  std::string decision;      // in words; empty for none
  std::string state;         // closed, refused, aborted, open
  std::int64_t opened = 0;   // its first record
  std::int64_t wall_ms = 0;  // of that
  std::int64_t ended = -1;
  std::int64_t ended_ms = 0;
  bool has_left_something = false;
  std::uint64_t denial_records = 0;
  std::uint64_t denied_acts = 0;
  std::uint64_t limit_records = 0;
};

// The tables of a report that are made of its rows: rules, exceptions, stretches of the period,
// straddling runs.
class ReportTables {
 public:
  explicit ReportTables(const ReportClaims& claims) : claims_(claims) {}
  // Of every run of the ledger: where it begins and ends by the clock.
  void on_open(std::int64_t wall_ms);
  void on_end(std::int64_t opened_ms, std::int64_t wall_ms);
  // Of runs of the period.
  void on_denial(const Envelope& e, const View& body);
  void on_limit(const Envelope& e, const View& body);
  void on_gap(const Envelope& e, const View& body);
  void finish(const std::vector<RecountedRun>& runs, const ReportSame& same);

 private:
  struct Rule {
    std::uint64_t records = 0;
    std::uint64_t acts = 0;
    std::set<std::string> runs;
    std::int64_t first = 0;
  };
  struct Exception {
    std::string run;
    std::string rule;
    std::int64_t at_ms = 0;
  };
  void add(const char* kind, std::int64_t seq, std::string run, std::string rule,
           std::int64_t at_ms);
  void compare_rules(const ReportSame& same) const;
  void compare_exceptions(const std::vector<RecountedRun>& runs, const ReportSame& same) const;
  // Which bytes ran as which tool, from the rows of the runs, which are held against the records.
  void compare_programs(const ReportSame& same) const;
  void compare_stretches(const std::vector<RecountedRun>& runs, const ReportSame& same) const;

  const ReportClaims& claims_;
  std::map<std::pair<std::string, std::string>, Rule> rules_;             // by phase and rule
  std::map<std::pair<std::int64_t, std::string>, Exception> exceptions_;  // by record and kind
  std::set<std::tuple<std::string, std::string, std::string>>
      grouped_;  // run, phase, rule: told once
  std::int64_t open_at_start_ = 0;
};

}  // namespace ethos::verify
