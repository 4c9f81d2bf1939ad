// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"
#include "sarif/json/writer.h"

namespace ethos::sarif {

struct MergeSummary {
  std::size_t runs = 0;
  std::size_t results = 0;
  // "runs 0 and 3: ShellCheck in category lint": GitHub refuses two runs of one tool and category.
  std::vector<std::string> clashes;
};

// Opens input number `index`, in order; each is closed before the next is opened.
using OpenInput = std::function<base::Result<std::unique_ptr<ByteSource>>(std::size_t index)>;

// Writes one log that holds every run of `count` logs, in the order given. Runs stay whole: no
// result, rule, artifact or property of theirs is dropped or folded, so every index stays right;
// "sarif:/runs/N/" references are moved to the runs' new numbers. inlineExternalProperties are put
// one behind the other. Top-level properties are united; a name that two logs use for different
// values is kept as NAME and NAME@2 (the number of the input, from 1). Other top-level members must
// agree: Errc::mismatch. Constant memory but for those members. The same inputs in the same order
// give the same bytes.
base::Result<MergeSummary> merge_logs(std::size_t count, const OpenInput& open, JsonWriter& writer);

}  // namespace ethos::sarif
