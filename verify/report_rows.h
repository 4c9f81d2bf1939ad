// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "verify/record.h"
#include "verify/report_same.h"
#include "verify/view.h"

namespace ethos::verify {

// The fields of a report's rows of `runs` that are told by one record of the run each, the tables that
// count runs by a name, and the table of records by type. A run's fields are held against the row as
// its records pass, so that nothing is kept of them but what they add up to.
class ReportRows {
 public:
  ReportRows(const ReportClaims& claims, ReportSame same) : claims_(claims), same_(std::move(same)) {}

  enum class Where { ledger, period, before, after };
  // Of every record that is there; `dropped`: of one that was pruned.
  void on_type(std::string_view type, Where where) { ++types_[std::string(type)][static_cast<std::size_t>(where)]; }
  void on_dropped() { ++types_["(dropped by ledger.prune)"][0]; }

  // Of records that belong to no run: keys, and what happened to the ledger.
  void on_ledger(const Envelope& e, const View& body);
  // Of the runs of the period, up to their end.
  void on_record(const Envelope& e, const View& body);
  void finish();

 private:
  struct Run {
    std::int64_t opened = 0;
    std::int64_t last = 0;
    bool is_over = false;
    bool has_enforced = false;
    bool has_close = false;
    bool has_network = false;
    bool has_git = false;
    bool is_truncated = false;
    std::uint64_t output_bytes = 0;
    std::string observe;
  };
  struct Name {
    std::uint64_t runs = 0;
    std::int64_t first = 0;
  };

  void on_open(const Envelope& e, const View& body);
  void on_enforced(const std::string& id, Run& run, const View& body);
  void on_close(const std::string& id, Run& run, const Envelope& e, const View& body);
  void count(const char* table, const std::string& name, std::int64_t opened);
  void field(const std::string& id, const Run& run, const char* key, const std::string& expected, bool may_be_withheld = false);
  // Of a field that is left out where there is nothing to say.
  void field_if(const std::string& id, const Run& run, const char* key, bool is_there, const std::string& expected, bool may_be_withheld = false);
  // A key that reports of earlier programs do not have: compared where it is told.
  void field_told(const std::string& id, const Run& run, const char* key, bool is_there, const std::string& expected, bool may_be_withheld);
  // The last record that a checkpoint of that key may end at.
  void key_until(std::size_t place, std::uint64_t last);
  void compare_names();
  void compare_types();

  const ReportClaims& claims_;
  ReportSame same_;
  std::size_t next_key_ = 0;
  std::size_t next_event_ = 0;
  std::map<std::string, Run, std::less<>> runs_;
  std::map<std::string, std::map<std::string, Name>, std::less<>> names_;  // by table
  std::map<std::string, std::array<std::uint64_t, 4>, std::less<>> types_;
};

}  // namespace ethos::verify
