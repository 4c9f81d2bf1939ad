// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model.h"

// Values that the records only commit to: how many there are, of which kinds, and which are shown.
namespace ethos::reports {

// "10 command lines", "1 plan of a cage": of a kind in docs/formats/commitment.md.
std::string committed_text(const CommittedKind& kind);
std::string withheld_text(const Model& model);
// What the verdict on disclosure speaks of, in one sentence.
std::string disclosure_text(const Model& model);

}  // namespace ethos::reports
