// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ethos::base {

// "0.1.0+src.0123456789abcdef": the version, and 16 digits over the sources of this build
// (scripts/source-digest). At most 64 bytes, as records keep it. An array: read without a
// relocation when a run starts.
extern const char kBuildVersion[];

}  // namespace ethos::base
