// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/json.h"
#include "verify/result.h"

namespace ethos::verify {

enum class LimitUnit { time, size, percent, number };

// One row of declaration.md, table L.
struct LimitRule {
  std::string_view key;     // as declared
  std::string_view name;    // normal name
  LimitUnit unit;
  std::int64_t least;
  std::int64_t most;
  std::int64_t usual;       // default under lint-offline, -1: none
  std::int64_t building;    // default under build-offline
  std::span<const std::string_view> possible;  // what `enforce` may name, in the default order
  std::string_view always;  // fixed enforcer when `possible` is empty
};

std::span<const LimitRule> limit_rules();
const LimitRule* limit_by_key(std::string_view key);
const LimitRule* limit_by_name(std::string_view name);

// A declared value in the unit of the normal name.
Result<std::int64_t> parse_limit(const LimitRule& rule, const Value& declared);

// The `enforce` list that holds when none is declared.
std::vector<std::string> default_enforce(const LimitRule& rule);

}  // namespace ethos::verify
