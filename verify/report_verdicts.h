// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "verify/record.h"
#include "verify/report_same.h"

namespace ethos::verify {

// What a report prints of the verifier's answer at its time, as far as the records or the answer
// itself tell again: the verdicts, the exit status, and which runs had no end of their own.
class ReportVerdicts {
 public:
  static constexpr std::size_t kMostProblems = 100;  // that a verifier lists

  // `lists_all`: no problem was left out of the report for their number.
  ReportVerdicts(const ReportClaims& claims, bool lists_all, ReportSame same)
      : claims_(claims), lists_all_(lists_all), same_(std::move(same)) {}

  void on_record(const Envelope& e);
  void on_dropped() { has_dropped_ = true; }
  void finish();

 private:
  void compare_results();
  void compare_problems();
  void compare_problem(const Value& claimed, const char* where);

  const ReportClaims& claims_;
  bool lists_all_;
  ReportSame same_;
  bool has_dropped_ = false;
  std::uint64_t runs_ = 0;
  std::map<std::string, std::int64_t, std::less<>> open_;  // the last record of each
  std::map<std::int64_t, std::string> aborted_;            // by the record that says so
};

}  // namespace ethos::verify
