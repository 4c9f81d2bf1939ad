// SPDX-License-Identifier: Apache-2.0
#include "sandbox/hide_again.h"

#include <fcntl.h>

#include <set>

#include "ledger/base/unique_fd.h"
#include "sandbox/hide_walk.h"

namespace ethos::sandbox {

base::Result<std::vector<std::string>> find_new_matches(const Workspace& workspace,
                                                        const Normal& normal, const Facts& facts,
                                                        Interruption& interruption) {
  std::vector<std::string> out;
  if (normal.hide.empty()) return out;
  std::set<std::string> trees;
  std::set<std::string> outside;
  for (const PathFact& fact : facts.paths) {
    if (fact.state != PathState::present) continue;
    // One that the host has removed meanwhile holds nothing new.
    if (base::UniqueFd(open_granted(workspace, fact.asked, O_PATH)).is_open())
      (fact.asked.starts_with('/') ? outside : trees).insert(fact.asked);
  }
  std::set<std::string> known;
  for (const HideFact& hide : facts.hides) known.insert(hide.path);
  auto now = find_hidden(workspace, normal, {trees.begin(), trees.end()},
                         {outside.begin(), outside.end()}, kMaxHideSteps, &interruption);
  if (!now) return base::Unexpected(std::move(now).error());
  for (HideFact& hide : *now)
    if (!known.contains(hide.path)) out.push_back(std::move(hide.path));
  return out;
}

}  // namespace ethos::sandbox
