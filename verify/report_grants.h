// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "verify/record.h"
#include "verify/report_check.h"
#include "verify/view.h"

namespace ethos::verify {

// What a report says was given, counted again: its table `grants` (docs/report-model.md C-5, C-6)
// and its table `drift` (C-9), with what changed.
class ReportGrants {
 public:
  // Where a comparison goes; `may_be_withheld` for what a redaction can take out.
  using Same = std::function<void(std::int64_t seq, const std::string& run, const std::string& what,
                                  const std::string& expected, const std::string* found,
                                  bool may_be_withheld)>;

  ReportGrants(const ReportClaims& claims, Same same) : claims_(claims), same_(std::move(same)) {}
  // Of every record that belongs to a run.
  void on_record(const Envelope& e, const View& body);
  void finish();

 private:
  // A grant in the report's words.
  struct Grant {
    std::string cap;
    std::string object;
    std::string detail;
    std::uint64_t value = 0;
    std::string use;
    bool has_bytes =
        false;  // a path that is no text, or none at all: the report has words of its own

    [[nodiscard]] auto key() const { return std::tie(cap, object, detail, value, use); }
    friend bool operator<(const Grant& a, const Grant& b) { return a.key() < b.key(); }
  };
  using Id = std::size_t;  // in the order in which they were met
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
    std::int64_t before = -1;
    std::vector<std::string> changes;
    bool has_bytes = false;  // of paths that are no text: shown in a form of the report's own
  };

  static Grant read(const View& body);
  [[nodiscard]] std::string words(const Grant& grant) const;
  void enforced(const std::string& id, const Run& run, std::int64_t seq);
  [[nodiscard]] std::vector<std::string> changes(const std::vector<Id>& before,
                                                 const std::vector<Id>& after) const;
  void exported(Run& run, std::int64_t seq, const View& body);
  // `close`: does not exist where the run has no run.close.
  void settle(const Run& run, std::int64_t seq, const View& close);
  void compare_row(const std::string& tool, const Grant& grant, const Row& row,
                   const ReportClaims::Row& claimed, bool has_acts);
  void compare_drift();

  const ReportClaims& claims_;
  Same same_;
  std::map<std::string, Run, std::less<>> open_;
  std::map<Grant, Id> ids_;
  std::vector<Grant> grants_;
  std::map<std::pair<std::string, Id>, Row> rows_;  // by tool and grant
  std::map<std::string, std::pair<Row, Row>, std::less<>>
      runtime_;                                                // reading and starting, by tool
  std::map<std::pair<std::string, std::string>, Seen> tools_;  // by tool and origin
  std::map<std::int64_t, Drift> drift_;                        // by sandbox.enforced
};

}  // namespace ethos::verify
