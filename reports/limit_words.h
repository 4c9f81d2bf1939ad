// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/model.h"

// What a record of a limit says, and what of it nobody saw.
namespace ethos::reports {

// 268435456 of `memory_bytes` -> "256.0 MiB", 15000 of `wall_ms` -> "15 s", 64 of `pids` -> "64".
std::string limit_figure(std::string_view limit, std::uint64_t value);

struct LimitRecord {
  std::string_view limit, action, enforced_by, source;
  std::uint64_t value = 0, observed = 0;
};
LimitRecord record_of(const Model& model, const LimitEvent& event);

// "limit 64, seen 56 (...)": the figure by which it was known may lie below the limit, and the
// kernel's counters count refusals.
std::string limit_text(const LimitRecord& record);
// The record says that the run was seen at or near its limit; that something was refused, or held
// back, nobody saw.
bool is_presumed(const LimitRecord& record);
// Who did what: "ended by the supervisor", "at or near the limit; that the kernel refused more is
// presumed, not seen".
std::string limit_outcome(const LimitRecord& record);

// How many of the period's limit records presume a refusal.
std::int64_t presumed_limits(const Model& model);
// "3 limit records; 2 of them presume a refusal that nobody saw".
std::string limit_records_text(const Model& model);

// Who ended, refused or cut at a limit: "supervisor", "kernel", "kernel, presumed".
std::string limit_actor(const LimitRecord& record);

}  // namespace ethos::reports
