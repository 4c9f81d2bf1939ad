// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "verify/json.h"
#include "verify/problem.h"

namespace ethos::verify {

// Legal holds (record.md ): which are in force, and whether something was dropped or
// erased under one of the whole ledger. Of a hold on runs it is only told which of them are not
// there: a dropped record no longer says whose it was, and a hold may name a run that never was.
// What was when is asked after the last record, so that many holds and many orders cost their sum.
class HoldBook {
 public:
  struct HeldRun {
    std::string hold;
    std::string run;
  };
  // `may_be_older`: records before the first one seen are not there.
  void on_hold(std::int64_t seq, const Value& body, Findings& findings);
  void on_release(std::int64_t seq, const Value& body, bool may_be_older, Findings& findings);
  // A ledger.prune or data.erase.
  void on_destruction(std::int64_t seq, const char* what, Findings& findings) const;
  // A ledger.prune.
  void on_prune(std::int64_t seq) { prunes_.push_back(seq); }
  // Held by name when records were dropped, and not there: the first kMaxUnseen.
  [[nodiscard]] std::vector<HeldRun> unseen(
      const std::function<bool(const std::string& run)>& is_there) const;
  static constexpr std::size_t kMaxUnseen = 100;
  // Whether the run of that id's hash was held, one by one, at a record.
  [[nodiscard]] bool was_held(std::size_t run, std::int64_t seq) const;

 private:
  struct Hold {
    std::string name;
    std::int64_t from = 0;
    std::int64_t until = INT64_MAX;  // the release
    std::vector<std::string> runs;
  };
  std::map<std::string, bool> covers_all_;  // in force, by name
  std::uint64_t in_force_of_all_ = 0;
  std::map<std::string, std::size_t> open_;  // of runs: where in holds_
  std::vector<Hold> holds_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> of_run_;  // where in holds_
  std::vector<std::int64_t> prunes_;                                  // ascending
};

}  // namespace ethos::verify
