// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/fragment.h"
#include "sarif/json/writer.h"
#include "sarif/regroup/gzip_meter.h"
#include "sarif/regroup/part_tables.h"
#include "sarif/regroup/split.h"
#include "sarif/regroup/split_plan.h"

namespace ethos::sarif {

// How far a run has been written.
struct RunProgress {
  std::size_t next = 0;  // of the items
  std::size_t parts = 0;
  std::vector<std::vector<bool>> placed;  // by table: elements that some part has; pruned runs only
};

struct SplitProgress {
  std::vector<RunProgress> runs;
  std::deque<std::size_t> queue;  // runs that have something left
  std::size_t pieces = 0;         // beyond the first of their results
};

// Writes one file of the parts: as much of the runs in the queue as it may hold.
class SplitFileWriter {
 public:
  // `share` of the limits is used: less than 1 after a file that has become too large.
  SplitFileWriter(int fd, const LogMap& map, const std::vector<RunPlan>& plans,
                  const SplitLimits& limits, JsonLayout layout, double share, ByteSink& sink)
      : fd_(fd),
        map_(map),
        plans_(plans),
        limits_(limits),
        layout_(layout),
        share_(share),
        meter_(&sink),
        writer_(meter_, layout) {}

  base::Result<void> write(SplitProgress& progress);
  // What was written; sizes and all.
  [[nodiscard]] SplitFile finish();
  // Whether it has more than one thing that could have been left for the next file.
  [[nodiscard]] bool may_shrink() const { return may_shrink_; }

 private:
  base::Result<void> write_run(std::size_t r, SplitProgress& progress);
  base::Result<void> write_results(const RunPlan& plan, SplitProgress& progress, SplitPart& part,
                                   PartTables& tables);
  base::Result<void> repeat_evidence(const RunPlan& plan, SplitPart& part, PartTables& tables);
  // Writes a result when there is room for it, or anyway when `may_refuse` is false. Gives whether
  // it did.
  base::Result<bool> fit_item(const RunPlan& plan, SplitItem item, PartTables& tables,
                              bool may_refuse);
  base::Result<void> write_item(const RunPlan& plan, SplitItem item, PartTables& tables,
                                JsonWriter& writer);
  // Adds the elements of tables that no part has yet; false when some are left.
  bool add_rest(const RunPlan& plan, const RunProgress& progress, PartTables& tables,
                const SplitPart& part);
  void note_placed(const PartTables& tables, RunProgress& progress);
  [[nodiscard]] bool has_room(std::uint64_t bytes, std::uint64_t gzip);
  [[nodiscard]] bool has_room_for_run(const RunPlan& plan);

  int fd_;
  const LogMap& map_;
  const std::vector<RunPlan>& plans_;
  const SplitLimits& limits_;
  JsonLayout layout_;
  double share_;
  GzipMeter meter_;
  JsonWriter writer_;
  JsonFragment fragment_;
  SplitFile file_;
  bool is_full_ = false;
  bool may_shrink_ = false;
};

}  // namespace ethos::sarif
