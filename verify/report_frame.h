// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/digest.h"
#include "verify/record.h"
#include "verify/report_calendar.h"
#include "verify/report_same.h"
#include "verify/view.h"
#include "verify/zone.h"

namespace ethos::verify {

// What a report says of the ledger as a whole and of how its period lies in it: `definition`,
// `source`, `coverage`, `commitments`, the clock, `bucket_unit` and the days of `buckets`.
class ReportFrame {
 public:
  ReportFrame(const ReportClaims& claims, ReportSame same);

  void on_record(const Envelope& e, const Digest& leaf);
  void finish(std::uint64_t runs);

  // Nothing where the zone or the days are none that are known.
  [[nodiscard]] const std::optional<ReportCalendar>& calendar() const { return calendar_; }
  [[nodiscard]] const Zone* zone() const { return zone_ ? &*zone_ : nullptr; }
  [[nodiscard]] bool is_before(std::int64_t wall_ms) const {
    return calendar_ && wall_ms >= calendar_->before_from_ms() && wall_ms < claims_.from_ms;
  }
  [[nodiscard]] ReportCoverage coverage(std::int64_t from_ms, std::int64_t until_ms) const {
    return {from_ms, until_ms, first_ms_, last_ms_};
  }

 private:
  void count_commitments(std::string_view body);
  void compare_source();
  void compare_coverage(const char* key, const std::string& period, std::int64_t from_ms,
                        std::int64_t until_ms);
  void compare_stretches();
  void compare_commitments();

  const ReportClaims& claims_;
  ReportSame same_;
  std::optional<Zone> zone_;
  std::optional<ReportCalendar> calendar_;
  std::int64_t first_ms_ = -1;  // wall clock of the first and of the last record
  std::int64_t last_ms_ = -1;
  std::int64_t newest_ms_ = -1;
  std::uint64_t anomalies_ = 0;
  std::string genesis_;
  std::string root_vkey_;
  std::map<std::string, std::uint64_t, std::less<>> commitments_;  // by kind
};

}  // namespace ethos::verify
