// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/writer.h"
#include "sarif/log/baseline.h"
#include "sarif/policy/suppress_policy.h"

namespace ethos::sarif {

// How an entry of the policy fared.
enum class EntryState {
  active,
  unused,    // matches no result
  exceeded,  // matches more results than "at_most": it suppresses none
  expired,   // its last day is over: what it matches is open
  early,     // its first day has not come
};
[[nodiscard]] const char* entry_state_text(EntryState state);

struct SuppressReport {
  struct Entry {
    EntryState state = EntryState::unused;
    std::size_t matched = 0;     // results that it matches, in force or not
    std::size_t suppressed = 0;  // of them, those that are suppressed by it
  };
  std::vector<Entry> entries;  // as those of the policy
  std::size_t results = 0;
  std::size_t suppressed = 0;  // by the policy
  std::size_t withdrawn = 0;   // were suppressed by a policy before and are no longer
};

// Copies a log with the suppressions (3.27.23, 3.35) that a policy gives as of `today`:
//
//   {"kind": "external", "status": "accepted", "justification": "<reason>",
//    "properties": {"ethos/suppression": {"id": ..., "approver": ..., "expires": ..., "policy":
//    ...}}}
//
// The first entry in force that matches a result counts. Suppressions that an earlier call has
// written are taken away first, so that an entry that expired or was deleted opens its results
// again; those of others stay. In a run where some result has a list all others get an
// empty one, since 3.27.23 wants all or none. Reads the log three times.
base::Result<SuppressReport> suppress_log(const Reopen& open, const SuppressPolicy& policy,
                                          Day today, JsonWriter& writer);

}  // namespace ethos::sarif
