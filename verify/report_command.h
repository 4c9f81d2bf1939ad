// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "verify/report_same.h"
#include "verify/source.h"
#include "verify/view.h"

namespace ethos::verify {

// The command lines of a report, opened again where the evidence discloses them.
class ReportCommands {
 public:
  ReportCommands(const ReportClaims& claims, ReportSame same)
      : claims_(claims), same_(std::move(same)) {}

  // Looks into what the records commit to.
  void look_into(EvidenceSource& source) { source_ = &source; }
  void on_open(const Envelope& e, const View& body);

  // Those in the report whose words are not disclosed here.
  [[nodiscard]] std::uint64_t closed() const { return closed_; }

 private:
  const ReportClaims& claims_;
  ReportSame same_;
  EvidenceSource* source_ = nullptr;
  Sha256 hash_;
  std::uint64_t closed_ = 0;
};

}  // namespace ethos::verify
