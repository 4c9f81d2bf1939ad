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
#include "sarif/log/match.h"

namespace ethos::sarif {

// Opens the same log anew: comparing reads each more than once.
using Reopen = std::function<base::Result<std::unique_ptr<ByteSource>>()>;

// A result in one line: for lists.
struct ResultLine {
  std::string uri;
  std::int64_t line = 0;
  Level level = Level::warning;
  std::string rule;
  std::string message;
};

struct Comparison {
  Matching matching;
  std::vector<RunIndex> previous_runs;
  std::vector<RunIndex> current_runs;
  std::size_t fresh = 0;
  std::size_t unchanged = 0;
  std::size_t updated = 0;
  std::size_t absent = 0;
  // Runs of the previous log whose tool is in no run of the current one: their results are neither
  // absent nor there, since nobody looked.
  std::vector<std::string> tools_not_run;
};

// Results of the previous log that were marked absent already are left out. Memory: about a hundred
// bytes a result of both logs.
base::Result<Comparison> compare_logs(const Reopen& previous, const Reopen& current);

// Lists what is new, and what is absent, up to `limit` each.
struct DifferenceLists {
  std::vector<ResultLine> fresh;
  std::vector<ResultLine> absent;
};
base::Result<DifferenceLists> list_differences(const Reopen& previous, const Reopen& current,
                                               const Comparison& comparison, std::size_t limit);

// Copies the current log with baselineState (3.27.24) on every result, and each result that is gone
// behind those of the run of its tool, as "absent". An absent result keeps what identifies and
// places it; its indices into arrays of the previous log are left out.
enum class AbsentResults { keep, leave_out };
base::Result<void> write_baseline(const Reopen& previous, const Reopen& current,
                                  const Comparison& comparison, JsonWriter& writer,
                                  AbsentResults absent = AbsentResults::keep);

}  // namespace ethos::sarif
