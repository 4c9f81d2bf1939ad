// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/context.h"

#include <algorithm>
#include <tuple>

namespace ethos::sarif::validation {

void MessageTable::seal() {
  std::sort(messages_.begin(), messages_.end(), [](const MessageInfo& a, const MessageInfo& b) {
    return std::tie(a.id.high, a.id.low) < std::tie(b.id.high, b.id.low);
  });
}

const MessageInfo* MessageTable::find(const ItemDigest& id) const {
  const auto found = std::lower_bound(messages_.begin(), messages_.end(), id,
                                      [](const MessageInfo& message, const ItemDigest& key) {
                                        return std::tie(message.id.high, message.id.low) <
                                               std::tie(key.high, key.low);
                                      });
  return found != messages_.end() && found->id == id ? &*found : nullptr;
}

void Context::claim(const Claim& claim, const Value& value) {
  if (run.claims.add(claim, value) || run.claims_are_full) return;
  run.claims_are_full = true;
  reporter.at(Check::too_large_to_check, value, [] {
    return "The results of this run refer to too many different places: from here on, references "
           "that come before what they name are not checked.";
  });
}

bool leads_in_circle(const std::vector<std::int32_t>& parents, std::vector<std::int32_t>& mark,
                     std::int32_t start) {
  std::int32_t at = start;
  while (at >= 0 && static_cast<std::size_t>(at) < parents.size()) {
    std::int32_t& seen = mark[static_cast<std::size_t>(at)];
    if (seen == start + 1) return true;
    if (seen != 0) return false;
    seen = start + 1;
    at = parents[static_cast<std::size_t>(at)];
  }
  return false;
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
