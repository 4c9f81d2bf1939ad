// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "reports/csv.h"
#include "reports/model.h"
#include "reports/options.h"
#include "reports/output_set.h"
#include "reports/pdf.h"
#include "reports/sink.h"

namespace ethos::reports {

// What is to be written, decided before anything is read.
struct OutputPlan {
  std::vector<std::string> formats;
  CsvText csv = CsvText::neutralised;
  std::optional<PdfEngine> pdf;  // with format `pdf`
  [[nodiscard]] bool has(std::string_view format) const;
};
// Errc::not_found: format `pdf`, and no program for it.
base::Result<OutputPlan> plan_outputs(const Options& options);

// The files of the formats asked for, in a fixed order. They refer to the model, which has to
// outlive them. Fails only for a PDF, which is made here.
base::Result<std::vector<Output>> outputs_of(const Model& model, const OutputPlan& plan);

}  // namespace ethos::reports
