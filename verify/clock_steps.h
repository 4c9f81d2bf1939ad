// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/json.h"

namespace ethos::verify {

// Of a run: the record that came before its beginning and has the latest date, where that is later.
struct DatedBack {
  std::int64_t seq = -1;
  std::int64_t newest_ms = 0;
  [[nodiscard]] bool is_told() const { return seq >= 0; }
};

// The latest date of the records so far.
class NewestDate {
 public:
  void see(std::int64_t seq, std::int64_t ms);
  // Untold within a minute: the time of a record is read a moment before it is committed.
  [[nodiscard]] DatedBack before(std::int64_t ms) const;
  [[nodiscard]] std::int64_t ms() const { return ms_; }
  static constexpr std::int64_t kSlackMs = 60'000;

 private:
  std::int64_t seq_ = -1;
  std::int64_t ms_ = INT64_MIN;
};

// The runs that are dated before records that came earlier.
struct DatedBackRuns {
  struct Run {
    std::string id;
    std::int64_t seq = 0;
    std::int64_t ms = 0;  // how far
  };
  static constexpr std::size_t kKept = 100;
  std::uint64_t count = 0;
  std::int64_t most_ms = 0;
  std::vector<Run> kept;  // the first

  void add(const std::string& id, std::int64_t seq, std::int64_t ms);
  [[nodiscard]] Value json() const;
  // Asked only when there is one.
  [[nodiscard]] std::string words() const;
};

// What the records say of the host's clock: how often and how far it was set, and how much time
// went by on the clock that nobody can set. Where every step is told, the two together are the span
// of the ledger.
struct ClockSteps {
  struct Step {
    std::int64_t seq = 0;  // of the ledger.resume record
    std::int64_t ms = 0;   // negative: back
  };
  static constexpr std::size_t kKept = 100;

  std::uint64_t count = 0;
  std::int64_t forward_ms = 0;
  std::int64_t back_ms = 0;
  std::int64_t first_seq = -1;
  std::vector<Step> kept;      // the first
  std::uint64_t boots = 0;     // stretches of records of one start of the host
  std::int64_t steady_ms = 0;  // sum over them of what the steady clock counted
  std::int64_t span_ms = 0;    // between the first and the last record, as the host's clock said

  // Records whose steady clock stands far before that of an earlier one of the same start.
  std::uint64_t steady_back = 0;
  std::int64_t steady_back_seq = -1;  // the first
  std::int64_t steady_back_ms = 0;    // the farthest
  DatedBackRuns dated_back;

  void on_steady(std::int64_t ms);
  void on_steady_back(std::int64_t seq, std::int64_t ms);
  void on_step(std::int64_t seq, std::int64_t ms);
  [[nodiscard]] Value json() const;
  // `the host's clock was set 6 times, ...`; asked only when there is a step.
  [[nodiscard]] std::string words() const;
  [[nodiscard]] std::string steady_back_words() const;
};

}  // namespace ethos::verify
