// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/record_types.h"

#include <algorithm>
#include <array>

namespace ethos::record {
namespace {

using enum RecordLevel;

constexpr auto kKnown = std::to_array<RecordType>({
    {"ledger.genesis", ledger},
    {"ledger.resume", ledger},
    {"ledger.hold", ledger},
    {"ledger.release", ledger},
    {"ledger.seal", ledger},
    {"ledger.anchor", ledger},
    {"ledger.prune", ledger},
    {"key.epoch", ledger},
    {"key.revoke", ledger},
    {"data.erase", either},
    {"run.open", run},
    {"capability.grant", run},
    {"sandbox.enforced", run},
    {"runtime.sandbox_denial", run},
    {"resource.limit", run},
    {"output.captured", run},
    {"artifact.exported", run},
    {"sarif.written", run},
    {"run.gap", run},
    {"run.close", run},
    {"run.abort", run},
});

constexpr auto kReserved =
    std::to_array<std::string_view>({"ledger.upgrade", "key.retire"});

}  // namespace

const RecordType* find_type(std::string_view name) {
  const auto found = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const RecordType& t) { return t.name == name; });
  return found == kKnown.end() ? nullptr : &*found;
}

TypeStatus type_status(std::string_view name) {
  if (find_type(name) != nullptr) return TypeStatus::known;
  const bool is_reserved = std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
  return is_reserved ? TypeStatus::reserved : TypeStatus::unknown;
}

bool may_follow_end(std::string_view name) {
  return name == "sarif.written" || name == "data.erase";
}

bool is_run_end(std::string_view name) { return name == "run.close" || name == "run.abort"; }

}  // namespace ethos::record
