// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model.h"

namespace ethos::reports {

// A figure of the summary by its name in the model, with its words for people.
struct TallyRow {
  std::string_view key, label;
  std::string now, previous;  // plain digits
};

// All figures of Tally, in the order people read them.
std::vector<TallyRow> tally_rows(const Tally& now, const Tally& previous);
inline std::vector<TallyRow> tally_rows(const Model& model) {
  return tally_rows(model.now, model.previous);
}

}  // namespace ethos::reports
