// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "verify/json.h"
#include "verify/problem.h"

namespace ethos::verify {

// Legal holds (record.md ): which are in force, and whether something was dropped or
// erased under one of the whole ledger. Of a hold on runs it is only told which of them are not
// there: a dropped record no longer says whose it was, and a hold may name a run that never was.
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
  // A ledger.prune; `is_there`: whether a record of the run was seen.
  void on_prune(const std::function<bool(const std::string& run)>& is_there);
  // Held by name when records were dropped, and not there: the first kMaxUnseen.
  [[nodiscard]] const std::vector<HeldRun>& unseen() const { return unseen_; }
  static constexpr std::size_t kMaxUnseen = 100;
  // The runs that are held one by one now, by the hash of their ids.
  [[nodiscard]] std::set<std::size_t> held_runs() const;

 private:
  std::map<std::string, bool> covers_all_;  // by name
  std::map<std::string, std::vector<std::string>> runs_;
  std::vector<HeldRun> unseen_;
};

}  // namespace ethos::verify
