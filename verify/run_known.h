// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "verify/audit.h"
#include "verify/json.h"

namespace ethos::verify {

// The run that was asked about.
struct AskedRun {
  std::string id;
  std::string state;
  std::int64_t first_seq = 0;
  std::int64_t last_seq = 0;
  std::int64_t started_ms = 0;
  std::string sarif_late;        // what is to be said of the record that names its SARIF file
  bool is_behind_order = false;  // it begins after records were dropped
};

// When was a run there? What the states that the reader holds, and the witnesses, say of the records
// [first_seq, last_seq]. Counts only together with the verdicts.
Value run_known(const AskedRun& run, const std::vector<KnownState>& known,
                const std::vector<TimeAnchor>& witnessed, const std::vector<TimeAnchor>& stamped);
// The same in sentences, one a line.
std::vector<std::string> run_known_words(const Value& known, const Zone& zone);

}  // namespace ethos::verify
