// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/table.h"

namespace ethos::reports {

// The first page of a report as lines of (section, name, value, words): what was asked, over which
// records, what the verifier answered, what is not proved, how to redo it.
void fill_facts(const Model& model, Table& table);

}  // namespace ethos::reports
