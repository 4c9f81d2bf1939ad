// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/model.h"

namespace ethos::reports {

// Fills Model::exceptions from runs, denials, limits and gaps: the gravest kind first, among one
// kind by rank_of, then by record.
void list_exceptions(Model& model);

// Among the exceptions of one kind, the gravest first. Of denials: what may have gone through, then
// what reached outside, for the repository's own data, for what was hidden; of limits: what ended
// the run.
int rank_of(const Exception& row);
// That order in words, and what it is not.
std::string_view order_text();
// What is no exception, though somebody may look for it here.
std::string_view no_exceptions_text();
// "7 lines join 8 records".
std::string exceptions_counted(const Model& model);

}  // namespace ethos::reports
