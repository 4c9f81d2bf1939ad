// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "reports/model.h"

namespace ethos::reports {

bool is_known_kind(std::string_view kind);

// What the records of the period show of one kind of evidence. The kind must be known.
ControlState judge_kind(const Model& model, std::string_view kind);

}  // namespace ethos::reports
