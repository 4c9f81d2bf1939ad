// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sarif/model.h"
#include "sarif/places.h"
#include "sarif/source_files.h"

namespace ethos::sarif {

// Finishes what a converter produced: every path becomes a URI, columns are counted in code points
// with the help of the source lines, and each finding gets GitHub's primaryLocationLineHash where
// its file is there. Each source file is read once, whatever the order of the findings.
//
// Without the source a column stays as the tool said it, but for units where that is misleading:
// a column behind a possible tab of eight is left out.
void resolve_places(ConvertedRun& run, const PathMapper& paths, SourceFiles& sources);

}  // namespace ethos::sarif
