// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ethos::verify {

// What a record that a run adds after its end is held against.
struct EndedRun {
  std::string id;
  std::string tool;
  std::string boot;
  std::string writer;
  std::int64_t first_seq = 0;
  std::int64_t end_seq = 0;
  std::int64_t wall_ms = 0;  // of run.open
  std::uint64_t close_mono_ns = 0;
};

// Of the runs that ended last. A run adds what it adds in its own process, at once: no more than a
// few others end in between, so those from before need no room.
class EndedRuns {
 public:
  static constexpr std::size_t kKept = 512;

  void add(EndedRun run) {
    if (runs_.size() < kKept) {
      runs_.push_back(std::move(run));
    } else {
      runs_[next_] = std::move(run);
      next_ = (next_ + 1) % kKept;
    }
  }
  // The newest first: it is nearly always the last one. Null: it ended before all that are kept.
  [[nodiscard]] const EndedRun* find(std::string_view id) const {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const EndedRun& run = runs_[(next_ + 2 * runs_.size() - 1 - i) % runs_.size()];
      if (run.id == id) return &run;
    }
    return nullptr;
  }

 private:
  std::vector<EndedRun> runs_;
  std::size_t next_ = 0;  // the oldest, once there are as many as are kept
};

// A sarif.written record and when it came.
struct SarifMoment {
  std::int64_t seq = 0;
  std::uint64_t reported = 0;      // denial and limit records of the run
  const EndedRun* run = nullptr;   // null: of one that ended long before
  std::string late;                // why it may be none that the run wrote at its end; empty: it came at once
};

}  // namespace ethos::verify
