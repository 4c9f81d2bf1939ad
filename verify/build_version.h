// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ethos::verify {

// "0.1.0+src.0123456789abcdef": the version, and 16 digits over the sources of this program
// (scripts/source-digest verify), so that a verdict says by which program it was given.
extern const std::string_view kBuildVersion;

}  // namespace ethos::verify
