// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "reports/model.h"

namespace ethos::reports {

bool is_known_kind(std::string_view kind);

// What the records of the period show of one kind of evidence. The kind must be known.
ControlState judge_kind(const Model& model, std::string_view kind);

// What a kind of evidence says of this period: the words of the map only where there is such
// evidence; of what is absent, did not happen or is contradicted, that it says nothing.
std::string says_text(const ControlState& row, const ControlKind& kind);

}  // namespace ethos::reports
