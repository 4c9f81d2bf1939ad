// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

// Writes a SARIF 1.0.0 log as one of 2.1.0. Rules, files and logical locations, which were objects
// by key, become arrays, and what named a key gets its index. What 2.1.0 has no place for goes into
// properties["sarif1"] of the object that had it, so nothing is lost. The whole log is held in
// memory, at most kMaxNativeBytes. Errc::malformed when it is no SARIF log, Errc::unsupported when
// it is not of version 1.0.0.
base::Result<void> upgrade_sarif1(ByteSource& source, JsonWriter& writer);

}  // namespace ethos::sarif
