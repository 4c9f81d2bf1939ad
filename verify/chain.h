// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verify/batch.h"
#include "verify/clock_steps.h"
#include "verify/digest.h"
#include "verify/problem.h"

namespace ethos::verify {

// What links each record to the one before it: number, hash, origin, type, clock. Fed record by
// record in order; memory is constant.
class ChainChecker {
 public:
  // Sparse: only some records are there; each still names its place, and neighbours still link.
  explicit ChainChecker(bool is_sparse = false) : is_sparse_(is_sparse) {}
  // A record of which only the hash is there.
  void skip(const RecordBatch::Row& row, Findings& findings);

  // How much of a record can be used afterwards.
  enum class Use {
    nothing,   // not even its envelope could be read
    opaque,    // of another version, with another envelope: nothing is known of it
    foreign,   // of an unknown type or version; its links can be followed
    envelope,  // its body is not that of its type, or stands at the wrong level
    all,
  };
  Use check(const RecordBatch::Row& row, const CheckedRecord& record, Findings& findings);

  [[nodiscard]] std::uint64_t records() const { return records_; }
  [[nodiscard]] bool is_sealed() const { return is_sealed_; }
  [[nodiscard]] const std::string& origin() const { return origin_; }
  [[nodiscard]] const ClockSteps& clock_steps() const { return steps_; }
  [[nodiscard]] const std::optional<Digest>& genesis_leaf() const { return genesis_leaf_; }

 private:
  void check_place(const RecordBatch::Row& row, Findings& findings);
  bool check_form(std::int64_t seq, const CheckedRecord& record, Findings& findings);
  void check_links(std::int64_t seq, const CheckedRecord& record, Findings& findings);
  void check_genesis(std::int64_t seq, const CheckedRecord& record, Findings& findings);
  void check_clock(std::int64_t seq, const Envelope& e, bool is_usable, Findings& findings);

  bool is_sparse_;
  bool follows_ = true;  // the record before this one was seen, at least its hash
  std::uint64_t records_ = 0;
  std::int64_t expected_seq_ = 0;
  std::string origin_;
  std::optional<Digest> genesis_leaf_;
  Digest last_leaf_;
  HashText last_text_;  // the same
  bool is_sealed_ = false;
  bool last_was_bad_ = false;  // one changed record must not be reported twice
  struct Clock {
    std::string boot;
    std::uint64_t mono_ns = 0;
    std::int64_t wall_ms = 0;
    bool resume = false;
  };
  std::optional<Clock> clock_;
  std::uint64_t most_mono_ns_ = 0;  // of the boot of clock_
  ClockSteps steps_;
  std::optional<std::int64_t> first_wall_ms_;
};

}  // namespace ethos::verify
