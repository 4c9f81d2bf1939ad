// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verify/digest.h"
#include "verify/json.h"
#include "verify/result.h"

namespace ethos::verify {

// Which records, of those of some size, may never be dropped: those without run keys (pin.md I-5).
struct KeptList {
  std::uint64_t records = 0;
  Digest list;  // 32 zero bytes of none

  void add(std::int64_t seq, Sha256& hash);
  [[nodiscard]] Value json() const;
  friend bool operator==(const KeptList&, const KeptList&) = default;
};

// What a reader remembers of a state besides its size and root.
struct StateMarks {
  std::optional<KeptList> kept;
  bool is_sealed = false;
  // Ascending: where the runs begin that had no end. Every other one had ended (pin.md I-7).
  std::optional<std::vector<std::int64_t>> open;

  static constexpr std::size_t kMaxOpen = 300;

  [[nodiscard]] bool any() const { return kept || is_sealed || open; }
  // The members `kept`, `open` and `sealed` of an object that may have others.
  static Result<StateMarks> read(const Value& object);
  void write(Value& object) const;
  // How many of the three the object has.
  [[nodiscard]] std::size_t members() const {
    return (kept ? 1U : 0U) + (is_sealed ? 1U : 0U) + (open ? 1U : 0U);
  }
};

}  // namespace ethos::verify
