// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "verify/record.h"
#include "verify/report_acts.h"
#include "verify/report_same.h"
#include "verify/view.h"

namespace ethos::verify {

// The tables of a report of which each row is one record: `denials`, `limits`, `gaps`, `artifacts`.
class ReportRecords {
 public:
  // The run of a record, as it was up to there.
  struct Run {
    const std::string& tool;
    const std::map<std::string, std::uint64_t, std::less<>>& counts;
  };
  ReportRecords(const ReportClaims& claims, ReportSame same)
      : claims_(claims), same_(std::move(same)) {}

  void on_denial(const Envelope& e, const View& body, const Run& run, const ReportAct& act);
  void on_limit(const Envelope& e, const View& body, const Run& run);
  void on_gap(const Envelope& e, const View& body, const Run& run);
  void on_exported(const Envelope& e, const View& body, const Run& run);
  void on_sarif(const Envelope& e, const View& body, const Run& run);
  void finish();

  // Words of a later program that are not known here; empty when there are none.
  [[nodiscard]] const std::string& unknown_words() const { return unknown_words_; }

 private:
  using Table = std::map<std::int64_t, ReportClaims::Row>;
  // The row of that record, with what all such tables have and the members that stand in the record
  // under the same name; null when there is none, which was told.
  const ReportClaims::Fields* row(const Table& table, const char* name, const Envelope& e,
                                  const View& body, const Run& run,
                                  std::initializer_list<const char*> texts,
                                  std::initializer_list<const char*> numbers);
  void same(const Envelope& e, const std::string& what, const std::string& expected,
            const std::string* found, bool may_be_withheld = false);
  // What reports of earlier programs do not tell.
  void told(const Envelope& e, const std::string& what, const std::string& expected,
            const std::string* found);
  // Words of the report's own: `is_known` whether they are among those that there are.
  void words(const Envelope& e, const std::string& what, std::string_view expected,
             const std::string* found, bool (*is_known)(std::string_view));
  void object(const Envelope& e, const View& object, const std::string* found);
  const ReportClaims::Fields* artifact(const Envelope& e, const View& body, const Run& run,
                                       const char* kind, const std::string& action,
                                       const char* number);
  void left(const char* name, const Table& table);

  const ReportClaims& claims_;
  ReportSame same_;
  std::map<std::string, std::size_t, std::less<>> matched_;
  std::string unknown_words_;
};

}  // namespace ethos::verify
