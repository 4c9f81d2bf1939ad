// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "reports/model.h"

// What is known of files that came out of runs: who made them, and what a digest that is found, or
// is not, says.
namespace ethos::reports {

// Of the results in a SARIF file those of the tool: all but one for each denial and limit record of
// the run, which ethos-run adds (docs/formats/sarif-property.md, SD-1).
std::int64_t own_results(const Model& model, const Artifact& sarif);
// "12 results: 11 of the tool, 1 added for a denial or limit record of the run".
std::string results_text(const Model& model, const Artifact& sarif);
// "written after the run had ended, by ethos-sarif 0.1.0".
std::string writer_text(const Model& model, const Artifact& row);

// What looking for a digest answers, and what stands in no row.
std::string found_text();
std::string not_listed_text(const Model& model);

}  // namespace ethos::reports
