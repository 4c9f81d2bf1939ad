// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/context.h"

namespace ethos::sarif::validation {

void Context::claim(const Claim& claim, const Value& value) {
  if (run.claims.add(claim, value) || run.claims_are_full) return;
  run.claims_are_full = true;
  reporter.at(Check::too_large_to_check, value, [] {
    return "The results of this run refer to too many different places: from here on, references "
           "that come before what they name are not checked.";
  });
}

bool is_in_run(const Value& value) {
  for (Value at = value; at.has_parent(); at = at.parent()) {
    if (at.type() == Type::run) return true;
  }
  return false;
}

std::optional<Value> artifact_location_of(const Value& location) {
  const auto physical = location.find(Key::physical_location);
  return physical ? physical->find(Key::artifact_location) : std::nullopt;
}

std::optional<Value> region_of(const Value& location) {
  const auto physical = location.find(Key::physical_location);
  return physical ? physical->find(Key::region) : std::nullopt;
}

}  // namespace ethos::sarif::validation
