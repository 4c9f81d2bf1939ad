// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "verify/json.h"
#include "verify/report_check.h"

namespace ethos::verify {

// Where each comparison of a report with the records goes. `found`: null when the report has no
// such thing; `may_be_withheld` for what a redaction can take out.
using ReportSame = std::function<void(std::int64_t seq, const std::string& run,
                                      const std::string& what, const std::string& expected,
                                      const std::string* found, bool may_be_withheld)>;

const std::string* report_field(const ReportClaims::Fields& fields, std::string_view key);
// A scalar of a report as fields keep it; `null`, `list` and `object` of what is none.
std::string report_text(const Value& value);

// One object of a report, held against the records member by member.
class ClaimedObject {
 public:
  ClaimedObject(const Value& value, std::string name, const ReportSame& same, std::int64_t seq = -1)
      : value_(value), name_(std::move(name)), same_(same), seq_(seq) {}

  // A member that every version of the model has.
  void must(std::string_view key, const std::string& expected, bool may_be_withheld = false) const;
  void must(std::string_view key, std::uint64_t expected) const {
    must(key, std::to_string(expected));
  }
  // One that reports of earlier programs do not have: compared where it is told.
  void told(std::string_view key, const std::string& expected, bool may_be_withheld = false) const;
  void told(std::string_view key, std::uint64_t expected) const {
    told(key, std::to_string(expected));
  }
  // A record, `{"seq":n,"leaf":...}`; below 0: there must be none.
  void record(std::string_view key, std::int64_t seq) const;

  [[nodiscard]] const Value& value() const { return value_; }

 private:
  const Value& value_;
  std::string name_;
  const ReportSame& same_;
  std::int64_t seq_;
};

}  // namespace ethos::verify
