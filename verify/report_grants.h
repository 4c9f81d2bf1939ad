// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/record.h"
#include "verify/report_grant.h"
#include "verify/report_matrix.h"
#include "verify/report_points.h"
#include "verify/report_same.h"
#include "verify/view.h"

namespace ethos::verify {

// What a report says was given, counted again: its table `grants` (docs/report-model.md C-5, C-6)
// and its table `drift` (C-9), with what changed; and what is made of the same records: the matrix,
// the forms of the limits, and what was given at two points.
class ReportGrants {
 public:
  // `zone`: of the report's days; null when it is not known.
  ReportGrants(const ReportClaims& claims, const Zone* zone, ReportSame same)
      : claims_(claims), same_(std::move(same)), points_(claims, zone) {
    matrix_.set_scratch_column(scratch_column());
  }
  // Of every record that belongs to a run.
  void on_record(const Envelope& e, const View& body);
  // Whether the object of a denial is a directory above something that the run was given.
  [[nodiscard]] bool is_on_the_way(std::string_view run, const View& object) const;
  ReportMatrix& matrix() { return matrix_; }
  // What a redacted report calls a tool.
  void call(const std::string& label, const std::string& tool) { labels_.emplace(label, tool); }
  // Why what was given at two points is not compared; empty when it is.
  [[nodiscard]] const std::string& why_no_points() const { return points_.why_not(); }
  void finish();

 private:
  [[nodiscard]] ReportColumn scratch_column() const;
  using Id = ReportGrantBook::Id;
  struct Use {
    std::uint64_t acts = 0;
    std::int64_t first = -1;
  };
  struct Run {
    bool is_of_period = false;
    bool is_enforced = false;
    std::int64_t opened = 0;
    std::string tool;
    std::string origin;
    std::string revision;
    std::string decision;
    std::int64_t start_ms = 0;
    std::vector<std::string> below;                   // the paths of its grants
    std::vector<std::pair<Id, std::int64_t>> grants;  // and their records
    std::map<Id, Use> used;
    std::uint64_t output_bytes = 0;
  };
  struct Row {
    std::string object;  // of the base runtime
    std::uint64_t runs = 0;
    std::uint64_t used_runs = 0;
    std::uint64_t acts = 0;
    std::uint64_t discarded = 0;
    std::uint64_t peak = 0;
    std::int64_t first = -1;
    std::int64_t last = -1;
    std::int64_t first_use = -1;
  };
  struct Seen {
    std::set<std::vector<Id>> sets;
    std::vector<Id> grants;  // of its last run
    std::int64_t last = -1;  // that run's sandbox.enforced
  };
  struct Drift {
    std::string run;
    std::string tool;
    std::string decision;
    std::int64_t before = -1;
    std::vector<std::string> changes;
    bool has_bytes = false;  // of paths that are no text: shown in a form of the report's own
  };

  void enforced(const std::string& id, const Run& run, std::int64_t seq);
  void exported(Run& run, std::int64_t seq, const View& body);
  // `close`: does not exist where the run has no run.close.
  void settle(const Run& run, std::int64_t seq, const View& close);
  void compare_row(const std::string& tool, const ReportGrant& grant, const Row& row,
                   const ReportClaims::Row& claimed, bool has_acts);
  void compare_rows();
  void compare_drift();

  const ReportClaims& claims_;
  ReportSame same_;
  ReportPoints points_;
  ReportMatrix matrix_;
  std::map<std::string, std::string> labels_;
  std::map<std::string, Run, std::less<>> open_;
  ReportGrantBook book_;
  std::map<std::pair<std::string, Id>, Row> rows_;  // by tool and grant
  std::map<std::string, std::pair<Row, Row>, std::less<>>
      runtime_;                                                // reading and starting, by tool
  std::map<std::pair<std::string, std::string>, Seen> tools_;  // by tool and origin
  std::map<std::int64_t, Drift> drift_;                        // by sandbox.enforced
};

}  // namespace ethos::verify
