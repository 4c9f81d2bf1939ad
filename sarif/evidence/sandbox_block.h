// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sarif/evidence/evidence.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

// Writes the member "sandbox" of runs[].properties: docs/formats/sarif-property.md, rules SP-*.
// Every value is a function of the evidence alone, so that a verifier can recompute it.
void write_sandbox_block(JsonWriter& writer, const Evidence& evidence);

}  // namespace ethos::sarif
