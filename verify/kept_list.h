// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

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

  [[nodiscard]] bool any() const { return kept || is_sealed; }
  // The members `kept` and `sealed` of an object that may have others.
  static Result<StateMarks> read(const Value& object);
  void write(Value& object) const;
  // How many of the two the object has.
  [[nodiscard]] std::size_t members() const { return (kept ? 1U : 0U) + (is_sealed ? 1U : 0U); }
};

}  // namespace ethos::verify
