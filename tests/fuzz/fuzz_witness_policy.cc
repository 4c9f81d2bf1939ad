// SPDX-License-Identifier: Apache-2.0
// A policy of witnesses: a cosignature more never takes a quorum away, and all of them make one.
#include "ledger/anchor/witness_policy.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto policy = ethos::ledger::WitnessPolicy::parse(ethos::fuzz::text_of(data, size));
  if (!policy) return 0;
  std::set<std::string> cosigned;
  bool is_met = policy->is_met(cosigned);
  for (const auto& witness : policy->witnesses()) {
    cosigned.insert(witness.name);
    const bool now = policy->is_met(cosigned);
    ethos::fuzz::require(now || !is_met);
    is_met = now;
  }
  ethos::fuzz::require(is_met);
  return 0;
}
