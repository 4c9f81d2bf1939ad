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

// What a tool was given in a run that reached sandbox.enforced.
struct Standing {
  NameId tool = NameId::none, origin = NameId::none;
  NameId revision = NameId::none, decision = NameId::none;
  std::int64_t start_ms = 0;
  std::vector<GrantId> grants;
  Ref enforced;
};
using ToolKey = std::pair<NameId, NameId>;  // name, origin of the declaration
// A set of grants as it stood at a point.
struct HeldGrants {
  std::vector<GrantId> grants;  // sorted
  Ref ref;                      // the last run that had it
  Ref since;                    // the first one, since it last changed
  std::int64_t since_ms = 0;
  NameId decision = NameId::none;  // of that first one
};
using GrantSnapshot = std::map<ToolKey, HeldGrants>;

// Watches what each tool is given, run by run in ledger order, before and in the period. A set of
// grants that a tool (by name and origin of its declaration) has for the first time is a drift,
// compared with the set it had in its run before. Sets it had earlier come back unremarked: several
// repositories share one ledger. On the way it keeps what stood at the two points of the model's
// comparison.
class DriftWatch {
 public:
  // A run of the tool reached sandbox.enforced. Returns what is new; nothing for a known set, and a
  // drift without `before` for a tool never seen.
  std::optional<Drift> see(Standing standing, const Model& model);

  [[nodiscard]] const GrantSnapshot& from() const { return from_; }
  [[nodiscard]] const GrantSnapshot& to() const { return to_; }

 private:
  struct Seen {
    std::set<std::vector<GrantId>> sets;
    HeldGrants last;
  };
  std::map<ToolKey, Seen> tools_;
  GrantSnapshot from_, to_;
};

// A grant in words, without what kind it is: "workspace:out (may delete)", "pids 64 by cgroup".
std::string grant_text(const Grant& grant, const Model& model);
std::string grant_text(const std::optional<GrantId>& id, const Model& model);  // "" when absent

// The differences between two sets of grants, each with its direction. Pure.
std::vector<GrantChange> compare_grants(const std::vector<GrantId>& before,
                                        const std::vector<GrantId>& after, const Model& model);

}  // namespace ethos::reports
