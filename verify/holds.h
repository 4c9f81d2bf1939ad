// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "verify/json.h"
#include "verify/problem.h"

namespace ethos::verify {

// Legal holds (record.md ): which are in force, and whether something was dropped or erased under one
// of the whole ledger. Of a hold on runs it cannot be told: a dropped record no longer says whose it was.
class HoldBook {
 public:
  // `may_be_older`: records before the first one seen are not there.
  void on_hold(std::int64_t seq, const Value& body, Findings& findings);
  void on_release(std::int64_t seq, const Value& body, bool may_be_older, Findings& findings);
  // A ledger.prune or data.erase.
  void on_destruction(std::int64_t seq, const char* what, Findings& findings) const;
  // The runs that are held one by one now, by the hash of their ids.
  [[nodiscard]] std::set<std::size_t> held_runs() const;

 private:
  std::map<std::string, bool> covers_all_;  // by name
  std::map<std::string, std::vector<std::size_t>> runs_;
};

}  // namespace ethos::verify
