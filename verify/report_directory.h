// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "verify/report_check.h"
#include "verify/vkey.h"

namespace ethos::verify {

// The directory that a report was written to: its manifest.json (`ethos-report-manifest/1`) and
// SHA256SUMS name every file with size and digest, and nothing else lies there.
//
// `report`: the bytes of report.json that were judged, `claims`: what they say, held against what
// the manifest says of the same. What stands in the other files is not looked at. `signer`: whose
// signature report.intoto.jsonl has to bear, over each of these files; null: it is not checked.
ReportDirectory read_report_directory(const std::string& directory, const std::string& report,
                                      const ReportClaims& claims, const Vkey* signer);

}  // namespace ethos::verify
