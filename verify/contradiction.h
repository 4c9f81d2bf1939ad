// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/record.h"
#include "verify/view.h"

namespace ethos::verify {

// Values of one record that cannot both be true (events.md E-10 to E-15), whatever the rest of the
// ledger says. The body has passed its field table. Null when there is none; else one sentence.
const char* contradiction(RecordType type, const View& body);

}  // namespace ethos::verify
