// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reports/model.h"

namespace ethos::reports {

// Watches what each tool is given, run by run in ledger order, before and in the period. A set of
// grants that a tool (by name and origin of its declaration) has for the first time is a drift,
// compared with the set it had in its run before. Sets it had earlier come back unremarked: several
// repositories share one ledger.
class DriftWatch {
 public:
  // A run of the tool reached sandbox.enforced. Returns what is new; nothing for a known set, and a
  // drift without `before` for a tool never seen.
  std::optional<Drift> see(NameId tool, NameId origin, std::vector<GrantId> grants,
                           const Ref& enforced, const Model& model);

 private:
  struct Seen {
    std::set<std::vector<GrantId>> sets;
    std::vector<GrantId> last;
    Ref last_ref;
  };
  std::map<std::pair<NameId, NameId>, Seen> tools_;
};

// The differences between two sets of grants, each with its direction. Pure.
std::vector<GrantChange> compare_grants(const std::vector<GrantId>& before,
                                        const std::vector<GrantId>& after, const Model& model);

}  // namespace ethos::reports
