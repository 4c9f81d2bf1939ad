// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

// Which runs of several logs are made one.
enum class FoldBy {
  category,  // those of one tool (names, versions, guid, language) and one category
  tool,      // those of one tool
};

struct FoldSummary {
  std::size_t runs_in = 0;
  std::size_t runs_out = 0;
  std::size_t results = 0;   // of the output
  std::size_t repeated = 0;  // evidence that parts of one run each had: written once
  // Why two runs of one tool stay two: "runs 0 and 3 of ShellCheck stay apart: columnKind differs".
  std::vector<std::string> apart;
  // As MergeSummary::clashes: what is still of one tool and category.
  std::vector<std::string> clashes;
};

// Like merge_logs(), but runs that agree in everything that is said once for a run become one run:
//
// - results, rules, notifications, artifacts, logical locations, thread flow locations, web
// requests
//   and responses, addresses, graphs and invocations are put one behind the other, elements that
//   are equal become one, and every index follows;
// - bases, properties, provenance and aggregates are united;
// - properties["ethos/folded"] says for each run that went in how many results it had, and its
//   automationDetails where they are not those of the run that is left.
//
// Runs stay apart when one of them says that results are unknown (none, or null), when they
// disagree in anything else, also in a property (so each sandbox block stays with its own results),
// when folding would change the meaning of a result, and when their log has "sarif:/" links, which
// count elements. `fds` are regular files, which are read several times.
base::Result<FoldSummary> fold_logs(const std::vector<int>& fds, FoldBy by, JsonWriter& writer);

}  // namespace ethos::sarif
