// SPDX-License-Identifier: Apache-2.0
// Nothing is authenticated without a trusted key, and a decision that allows says so in its
// payload.
#include "sandbox/decision.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::sandbox;
  DecisionInput input;
  input.document = ethos::fuzz::text_of(data, size);
  input.tool = "t";
  input.argv = {"t"};
  const auto decision = read_decision(input);
  if (!decision) return 0;
  ethos::fuzz::require(!decision->fact.is_authenticated);
  ethos::fuzz::require(decision->refusal || decision->fact.verdict == "allow");
  return 0;
}
