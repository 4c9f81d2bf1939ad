// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/json_out.h"
#include "reports/model.h"
#include "reports/options.h"
#include "reports/output_set.h"
#include "reports/outputs.h"

namespace ethos::reports {

// `manifest.json` (ethos-report-manifest/1): each file with size and digest, and what the report
// was made from. `SHA256SUMS`: the same digests in the form sha256sum reads.
void write_manifest(const Model& model, const Options& options, const OutputPlan& plan,
                    const std::vector<WrittenFile>& files, Sink& sink);
// The member `files` of it.
void write_files(const std::vector<WrittenFile>& files, JsonOut& out);
void write_sums(const std::vector<WrittenFile>& files, Sink& sink);

}  // namespace ethos::reports
