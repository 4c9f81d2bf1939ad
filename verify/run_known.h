// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "verify/audit.h"
#include "verify/json.h"

namespace ethos::verify {

// When was a run there? What the states that the reader holds, and the witnesses, say of the records
// [first_seq, last_seq]. Counts only together with the verdicts.
Value run_known(const std::string& run, std::int64_t first_seq, std::int64_t last_seq, const std::vector<KnownState>& known,
                const std::vector<TimeAnchor>& witnessed, const std::vector<TimeAnchor>& stamped);
// The same in sentences, one a line.
std::vector<std::string> run_known_words(const Value& known);

}  // namespace ethos::verify
