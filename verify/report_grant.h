// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "verify/view.h"

namespace ethos::verify {

// A grant in a report's words.
struct ReportGrant {
  std::string cap;
  std::string object;
  std::string detail;
  std::uint64_t value = 0;
  std::string use;
  // A path that is no text, or none at all: the report has words of its own for it.
  bool has_bytes = false;

  [[nodiscard]] auto key() const { return std::tie(cap, object, detail, value, use); }
  friend bool operator<(const ReportGrant& a, const ReportGrant& b) { return a.key() < b.key(); }
};

ReportGrant read_report_grant(const View& body);
// What a comparison of grants says of one.
std::string report_grant_words(const ReportGrant& grant);
// A path of a record; `has_bytes` is set where it is no text.
std::string report_path_words(const View& path, bool& has_bytes);
// Of the record of a grant or of a denial: the same, and bytes as they are.
std::string report_path_bytes(const View& path);

// `policy 7: allow, authenticated`; empty where no decision is bound to the run.
std::string report_decision_words(const View& decision);

// Each different grant once, numbered in the order in which they were met.
class ReportGrantBook {
 public:
  using Id = std::size_t;
  Id id(ReportGrant grant);
  const ReportGrant& operator[](Id id) const { return grants_[id]; }
  // From one set to another: a line each, in order (docs/report-model.md, C-9).
  [[nodiscard]] std::vector<std::string> changes(const std::vector<Id>& before,
                                                 const std::vector<Id>& after) const;
  [[nodiscard]] bool has_bytes(const std::vector<Id>& set) const;

 private:
  std::map<ReportGrant, Id> ids_;
  std::vector<ReportGrant> grants_;
};

}  // namespace ethos::verify
