// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/options.h"

namespace ethos::reports {

struct Remade {
  bool is_same = false;
  // A PDF needs the program that made it: without that, it cannot be said to be the same.
  bool is_undecided = false;
  std::vector<std::string> lines;  // one a file: "report.html: same"
  Refusal refusal;                 // text empty when the comparison could be made
};

// Reads DIR/manifest.json, makes the same report again from the ledger and pin of `options`, and
// compares each file in DIR, its digest in the manifest, and what was made, byte for byte. Nothing
// in DIR is trusted or changed.
Remade remake(const std::string& directory, Options options);

}  // namespace ethos::reports
