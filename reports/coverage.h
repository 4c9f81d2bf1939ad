// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reports/model.h"

// How much of a stretch of time the ledger's records can speak about. No clock is read: the last
// record is the newest moment a report knows of.
namespace ethos::reports {

std::string_view name_of(Coverage::State state);  // "whole", "part", "none"

Coverage coverage_of(const Period& period, const Source& source);
Coverage coverage_of(const Bucket& bucket, const Source& source);
// Fills the coverage of a model whose records are read.
void set_coverage(Model& model);

// How the period of the model is covered: "Whole: ...", or what is missing and why.
std::string coverage_text(const Model& model);
// "1 min 13 s of 48 h covered (0.042 %)"; empty unless a part of the period is.
std::string covered_share(const Model& model);
// "0.042 %", "12 %"; never 0 of something, never 100 of less than all.
std::string percent_text(std::int64_t part, std::int64_t whole);
// Whether records tell which runs were open at the beginning of the period, and at its end.
bool knows_start(const Model& model);
bool knows_end(const Model& model);
struct StraddlingWords {
  std::string start, end;
};
StraddlingWords straddling_words(const Model& model);
// What the figures of the period before are worth beside those of the period; names it.
std::string comparison_text(const Model& model);
// Head of a column of figures of the period before: "Period before", "Period before (in part)",
// "Period before (not covered)".
std::string_view previous_label(Coverage::State state);

}  // namespace ethos::reports
