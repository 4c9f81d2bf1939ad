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
// Fills the coverage of a model whose records are read.
void set_coverage(Model& model);

// How the period of the model is covered: "Whole: ...", or what is missing and why.
std::string coverage_text(const Model& model);
// What the figures of the period before are worth beside those of the period; names it.
std::string comparison_text(const Model& model);
// Head of a column of figures of the period before: "Period before", "Period before (in part)",
// "Period before (not covered)".
std::string_view previous_label(Coverage::State state);

}  // namespace ethos::reports
