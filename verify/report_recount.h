// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "verify/batch.h"
#include "verify/report_command.h"
#include "verify/report_frame.h"
#include "verify/report_grants.h"
#include "verify/report_records.h"
#include "verify/report_rows.h"
#include "verify/report_same.h"
#include "verify/report_tables.h"
#include "verify/report_tally.h"
#include "verify/report_verdicts.h"

namespace ethos::verify {

// Counts the records of a report's period again, in one pass. Of runs outside of it little is kept.
class ReportRecount {
 public:
  // `lists_all`: as ReportVerdicts has it.
  ReportRecount(const ReportClaims& claims, bool lists_all);
  ReportRecount(const ReportRecount&) = delete;
  ReportRecount& operator=(const ReportRecount&) = delete;

  void look_into(EvidenceSource& source) { commands_.look_into(source); }
  void on_record(const CheckedRecord& record);
  // A record that was pruned.
  void on_dropped();
  void finish(std::vector<ReportDifference>& out);

  [[nodiscard]] std::uint64_t compared() const { return compared_; }
  [[nodiscard]] std::uint64_t withheld() const { return withheld_; }
  // Command lines in the report whose words are not disclosed here.
  [[nodiscard]] std::uint64_t closed_commands() const { return commands_.closed(); }
  // A figure or word of a later program; empty when there is none.
  [[nodiscard]] const std::string& unknown_figure() const { return unknown_figure_; }
  [[nodiscard]] const std::string& unknown_words() const { return records_.unknown_words(); }
  [[nodiscard]] const std::string& why_no_points() const { return grants_.why_no_points(); }

 private:
  struct Run {
    std::int64_t opened = 0;
    std::int64_t wall_ms = 0;
    std::string tool;
    std::string observe;
    std::string decision;
    std::string state = "open";
    std::int64_t ended = -1;
    std::int64_t ended_ms = 0;
    bool has_left_something = false;
    ReportTally::Marks marks;
    std::map<std::string, std::uint64_t, std::less<>> n;
  };
  using Runs = std::map<std::string, Run, std::less<>>;

  [[nodiscard]] ReportSame to_same();
  void same(std::int64_t seq, const std::string& run, const std::string& what,
            const std::string& expected, const std::string* found);
  // What a redaction can withhold; it is said to be, and does not count.
  void same_tool(std::int64_t seq, const std::string& run, const std::string& what,
                 const std::string& expected, const std::string* found);
  void check_leaf(std::int64_t seq, const Digest& leaf);
  void open(const Envelope& e, const View& body);
  // Runs that began before the period, wherever they end.
  void straddle(const Envelope& e);
  void elsewhere(const Envelope& e, const View& body);
  void count(Run& run, const Envelope& e, const View& body);
  void denial(Run& run, const Envelope& e, const View& body);
  void compare_run(std::int64_t seq, const std::string& id, const Run& run);
  void compare_figures(const char* what, const ReportClaims::Fields& claimed,
                       const ReportTally& own);
  void compare_previous();
  void compare_ends();
  void compare_population(const std::vector<std::pair<std::string, std::int64_t>>& ids);

  const ReportClaims& claims_;
  std::map<std::int64_t, std::string>::const_iterator next_leaf_;
  Runs runs_;
  OtherRuns others_;
  std::map<std::string, std::int64_t, std::less<>> earlier_;  // without an end yet
  ReportTally now_;
  ReportTally before_;
  ReportFrame frame_;
  ReportVerdicts verdicts_;
  ReportRecords records_;
  ReportCommands commands_;
  ReportTables tables_;
  ReportRows rows_;
  ReportGrants grants_;
  std::vector<ReportDifference> differences_;
  std::uint64_t compared_ = 0;
  std::uint64_t withheld_ = 0;
  std::string unknown_figure_;
};

}  // namespace ethos::verify
