// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reports/csv.h"
#include "reports/model.h"
#include "reports/sink.h"

namespace ethos::reports {

struct Output {
  std::string name;  // of the file
  std::function<void(Sink&)> write;
};

// The files of the formats asked for (`html`, `csv`, `md`, `json`), in a fixed order. They refer to
// the model, which has to outlive them.
std::vector<Output> outputs_of(const Model& model, const std::vector<std::string>& formats,
                               CsvText how);

}  // namespace ethos::reports
