// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sandbox/plan.h"

// The limits a declaration may name: docs/formats/declaration.md, table L.
namespace ethos::sandbox {

enum class Unit { time, size, percent, count };

struct LimitSpec {
  std::string_view key;          // in a declaration: "wall"
  std::string_view normal_name;  // in normal form and records: "wall_ms"
  Unit unit = Unit::count;
  std::uint64_t least = 1;
  std::uint64_t most = 0;
  std::uint64_t lint_default = 0;   // 0: no value unless declared
  std::uint64_t build_default = 0;  // profile build-offline
  std::vector<Enforcer> possible;   // in the order of the default list
};

// All limits, in the order of the table.
[[nodiscard]] const std::vector<LimitSpec>& limit_specs();
[[nodiscard]] const LimitSpec* find_limit(std::string_view key);
[[nodiscard]] const LimitSpec* find_limit_by_normal_name(std::string_view name);

// What a value of the limit looks like, for people: "a size such as 512MiB: an integer and KiB, MiB,
// GiB, KB, MB or GB, at least 1".
[[nodiscard]] std::string value_form(const LimitSpec& spec);

// "2GiB", "300s", "150%", "512" in the unit of `spec`; nothing when the text is no such value or
// lies outside its range.
[[nodiscard]] std::optional<std::uint64_t> parse_limit(const LimitSpec& spec,
                                                       std::string_view text);

// "supervisor", "rlimit", "cgroup", "tmpfs".
[[nodiscard]] std::string_view enforcer_name(Enforcer enforcer);
// The names a declaration may write: not "tmpfs", which nothing else can replace.
[[nodiscard]] std::optional<Enforcer> parse_enforcer(std::string_view name);

}  // namespace ethos::sandbox
