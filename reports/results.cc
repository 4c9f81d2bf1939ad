// SPDX-License-Identifier: Apache-2.0
#include "reports/results.h"

#include <algorithm>

namespace ethos::reports {

std::int64_t own_results(const Model& model, const Artifact& sarif) {
  const Run& run = model.runs[sarif.run];
  const std::int64_t added =
      std::int64_t{run.denial_records} + run.setup_denials + run.limit_records;
  return std::max<std::int64_t>(0, sarif.results - added);
}

std::string results_text(const Model& model, const Artifact& sarif) {
  const std::int64_t own = own_results(model, sarif);
  return std::to_string(sarif.results) + (sarif.results == 1 ? " result: " : " results: ") +
         std::to_string(own) + " of the tool, " + std::to_string(sarif.results - own) +
         " added by ethos-run" +
         (sarif.results == own ? std::string(" (the run has no denial and no limit record)")
                               : std::string(" (one for each denial and limit record of the run)"));
}

std::string writer_text(const Model& model, const Artifact& row) {
  if (!row.is_sarif) return "brought out of a staged write grant by ethos-run at the end";
  const std::string& version = model.text(row.converter);
  return "written after the run had ended, from what the tool put out, by ethos-sarif" +
         (version.empty() ? std::string() : " " + version) + ", which ethos-run started" +
         (row.breaks_schema ? "; the tool wrote SARIF that breaks the schema, and it was kept so"
                            : "");
}

std::string found_text() {
  return "Found: a file with exactly these bytes was recorded for that run. One that was exported "
         "lay in the run's own layer when it ended, and ethos-run brought it out; that the tool, "
         "and not something that it copied, is the author of its content is not shown. A SARIF "
         "file was written after the run, outside of the tool's cage, from what the tool had put "
         "out. Not found: no row has these bytes. They may be of another period or of nothing that "
         "this ledger recorded, may have been changed since, or be of a kind that is not listed.";
}

std::string not_listed_text(const Model& model) {
  std::int64_t captured = 0;
  for (const TieOutRow& row : model.tie_out) {
    if (row.type == "output.captured") captured = row.period;
  }
  return "Not listed: what tools wrote on standard output and error (" + std::to_string(captured) +
         (captured == 1 ? " record" : " records") +
         " output.captured, which hold the number of bytes and a salted commitment, so that a "
         "saved copy cannot be found by its digest), single files that were granted for writing "
         "(written in place, without a record), and what a tool only read.";
}

}  // namespace ethos::reports
