// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"
#include "sarif/json/fragment.h"

namespace ethos::sarif {

// What a sarif.written record holds of a file.
struct LogDigest {
  std::string file;                  // "sha256:..." of the file's bytes
  std::vector<std::string> results;  // one a result, in file order over all runs
};

// The ethos-json/1 bytes that a result's digest covers: docs/formats/sarif-property.md, rules SR-*.
//   {"level":"error","message":"...","rule_id":"SC2086","start_line":3,"uri":"a.sh"}
[[nodiscard]] std::string result_projection(const JsonView& result);

base::Result<LogDigest> digest_log(ByteSource& source);

}  // namespace ethos::sarif
