// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/json.h"

namespace ethos::verify {

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

  void on_steady(std::int64_t ms);
  void on_step(std::int64_t seq, std::int64_t ms);
  [[nodiscard]] Value json() const;
  // `the host's clock was set 6 times, ...`; asked only when there is a step.
  [[nodiscard]] std::string words() const;
};

}  // namespace ethos::verify
