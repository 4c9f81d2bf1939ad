// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "verify/digest.h"
#include "verify/holds.h"
#include "verify/json.h"
#include "verify/problem.h"
#include "verify/zone.h"

namespace ethos::verify {

// What `ledger.prune` records say was dropped (record.md R-32).
struct Pruned {
  struct Order {
    std::int64_t seq = 0;
    std::uint64_t below = 0;
    std::uint64_t records = 0;
    std::uint64_t runs = 0;
    std::uint64_t total = 0;
    std::string list;
    std::int64_t from_ms = 0;
    std::int64_t until_ms = 0;
    std::string reason;
    std::string authority;
  };
  std::vector<Order> orders;
  std::uint64_t records = 0;  // without bytes
  std::vector<HoldBook::HeldRun> held_unseen;
  // Runs that go on behind an order that dropped something after their record before: whether that was
  // of theirs, nothing tells.
  std::vector<std::string> straddled;
  static constexpr std::size_t kMaxStraddled = 100;
  // Between which times dropped records lie, by the kept ones around them; apart and in order. The
  // times that an order states are its writer's word.
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;

  // Can a record of a period, [from, to), be among what was dropped?
  [[nodiscard]] bool touches(std::int64_t from_ms, std::int64_t to_ms) const;
  [[nodiscard]] Value json() const;     // verdict.md V-9; none when nothing was dropped
  [[nodiscard]] std::string words(const Zone& zone) const;

 private:
  [[nodiscard]] std::string held_words() const;
  [[nodiscard]] std::string straddled_words() const;
};

// Holds the records without bytes against the orders to drop them. Fed in order.
class PruneBook {
 public:
  PruneBook() { list_.begin(); }
  void on_dropped(std::int64_t seq);
  // A record that is there, and one that is left out of the bundle.
  // `is_of_commit`: its time is about that of its commit, as it is not of what a run kept to its end.
  void on_kept(std::int64_t wall_ms, bool is_of_commit);
  void on_unseen() { ++unseen_; }
  [[nodiscard]] bool has_unseen() const { return unseen_ > 0; }
  void on_order(std::int64_t seq, const Value& body);
  // How much was seen: everything, records from some number on, or an earlier state, of which later orders are unknown.
  enum class Seen { all, tail, earlier_state };
  // After the last record.
  void finish(Seen seen, Findings& findings);

  [[nodiscard]] const Pruned& pruned() const { return pruned_; }
  // The first record without bytes; -1 when there is none.
  [[nodiscard]] std::int64_t first() const { return first_; }
  // The last one so far; -1 likewise.
  [[nodiscard]] std::int64_t last() const { return last_; }
  // The last one that the newest order covers, -1 when there is none.
  [[nodiscard]] std::int64_t last_ordered() const;

 private:
  static constexpr std::size_t kMaxOrders = 100'000;
  static constexpr std::int64_t kSlackMs = 60'000;
  // Between the times of the kept records before and after it, dropped ones lie.
  struct Gap {
    std::int64_t first_seq = 0;
    std::int64_t last_seq = 0;
    std::int64_t from_ms = 0;
    std::int64_t until_ms = 0;

    [[nodiscard]] bool touches(std::int64_t from, std::int64_t until) const {
      return from <= until_ms + kSlackMs && until >= from_ms - kSlackMs;
    }
  };
  void check_tail(Findings& findings) const;
  void check_times(bool is_whole, Findings& findings) const;
  void tell_spans();
  std::vector<Gap> gaps_;
  bool in_gap_ = false;
  std::size_t untold_ = 0;    // the first gap of which the end is not known yet
  std::int64_t wall_ms_ = 0;  // of the last kept record of a commit
  bool has_wall_ = false;
  std::uint64_t unseen_ = 0;
  Pruned pruned_;
  Sha256 list_;  // over the numbers, as R-32 says
  std::int64_t first_ = -1;
  std::int64_t last_ = -1;
};

}  // namespace ethos::verify
