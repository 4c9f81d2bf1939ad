// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/part_tables.h"

#include <algorithm>

namespace ethos::sarif {

void PartTables::prune() {
  for (const Table table :
       {Table::rules, Table::artifacts, Table::logical_locations, Table::thread_flow_locations,
        Table::web_requests, Table::web_responses, Table::addresses}) {
    // What a number alone refers to is not said, so rules with such numbers stay where they are.
    if (table == Table::rules && run_.has_numbered_relations) continue;
    const auto t = static_cast<std::size_t>(table);
    pruned_[t] = !run_.tables[t].empty();
    moved_[t].assign(run_.tables[t].size(), -1);
  }
}

bool PartTables::prunes_any() const {
  return std::any_of(pruned_.begin(), pruned_.end(), [](bool one) { return one; });
}

std::int64_t PartTables::map(Table table, std::int64_t index) {
  const auto t = static_cast<std::size_t>(table);
  if (!pruned_[t] || static_cast<std::uint64_t>(index) >= moved_[t].size()) return index;
  const auto at = static_cast<std::size_t>(index);
  if (moved_[t][at] < 0) {
    moved_[t][at] = static_cast<std::int32_t>(elements_[t].size());
    elements_[t].push_back(static_cast<std::uint32_t>(at));
    bytes_ += run_.tables[t][at].size();
  }
  return moved_[t][at];
}

PartTables::Mark PartTables::mark() const {
  Mark out;
  for (std::size_t t = 0; t < kTableCount; ++t) out.counts[t] = elements_[t].size();
  out.bytes = bytes_;
  return out;
}

void PartTables::take_back(const Mark& mark) {
  for (std::size_t t = 0; t < kTableCount; ++t) {
    while (elements_[t].size() > mark.counts[t]) {
      moved_[t][elements_[t].back()] = -1;
      elements_[t].pop_back();
    }
  }
  bytes_ = mark.bytes;
}

}  // namespace ethos::sarif
