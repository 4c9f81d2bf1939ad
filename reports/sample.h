// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "reports/model.h"

namespace ethos::reports {

// The words printed beside a sample, so that anybody can draw it again.
std::string_view population_method();
std::string_view sample_method();

// Model::population: SHA-256 over the ids of all runs of the period, each with a line feed, in the
// order of the ledger. Fixed before a seed is known, it shows that no run was left out afterwards.
void fix_population(Model& model);

// Model::sample: the `size` runs with the smallest HMAC-SHA-256(seed, run id), in that order. The
// auditor gives the seed; all runs when there are fewer.
void draw_sample(Model& model, const std::string& seed, std::int64_t size);

}  // namespace ethos::reports
