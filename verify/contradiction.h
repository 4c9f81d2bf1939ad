// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/record.h"
#include "verify/view.h"

namespace ethos::verify {

// The members of a denial (events.md); those that are absent do not exist.
struct DenialParts {
  View cause;
  View count;
  View error;
  View fix;
  View mark;
  View object;
  View operation;
  View outcome;
  View phase;
  View rule;
  View source;
  View syscall;
};

// Values of one record that cannot both be true (events.md E-10 to E-15), whatever the rest of the
// ledger says. The body has passed its field table. Null when there is none; else one sentence.
const char* contradiction(RecordType type, const View& body);
// The same for a denial that was taken apart already: they come in large numbers.
const char* denial_contradiction(const DenialParts& denial);
DenialParts denial_parts(const View& body);

}  // namespace ethos::verify
