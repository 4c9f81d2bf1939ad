// SPDX-License-Identifier: Apache-2.0
#include "verify/limits.h"

#include <array>
#include <utility>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr std::int64_t kMost = 9007199254740991;  // 2^53 - 1
constexpr std::int64_t kMiB = std::int64_t{1} << 20U;
constexpr std::int64_t kGiB = std::int64_t{1} << 30U;

constexpr std::array<std::string_view, 1> kCgroup{"cgroup"};
constexpr std::array<std::string_view, 1> kSupervisor{"supervisor"};
constexpr std::array<std::string_view, 1> kRlimit{"rlimit"};
constexpr std::array<std::string_view, 2> kCgroupRlimit{"cgroup", "rlimit"};
constexpr std::array<std::string_view, 2> kCgroupSupervisor{"cgroup", "supervisor"};

using U = LimitUnit;
constexpr std::array<LimitRule, 13> kRules{{
    {"wall", "wall_ms", U::time, 1, kMost, 300'000, 3'600'000, kSupervisor, {}},
    {"memory", "memory_bytes", U::size, 1, kMost, 2 * kGiB, 8 * kGiB, kCgroupRlimit, {}},
    {"swap", "swap_bytes", U::size, 0, kMost, -1, -1, kCgroup, {}},
    {"cpu", "cpu_percent", U::percent, 1, 1'000'000, -1, -1, kCgroup, {}},
    {"io_read", "io_read_bps", U::size, 65'536, kMost, -1, -1, kCgroup, {}},
    {"io_write", "io_write_bps", U::size, 65'536, kMost, -1, -1, kCgroup, {}},
    {"pids", "pids", U::number, 1, 4'194'304, 512, 4096, kCgroupSupervisor, {}},
    {"output", "output_bytes", U::size, 1, 64 * kMiB, 64 * kMiB, 64 * kMiB, kSupervisor, {}},
    // A declaration may name at most 16 TiB; those of earlier times could name more.
    {"file_size", "file_bytes", U::size, 1, kMost, kGiB, 8 * kGiB, kRlimit, {}},
    {"open_files", "open_files", U::number, 1, 1'048'576, 1024, 1024, kRlimit, {}},
    {"scratch", "scratch_bytes", U::size, 1, kMost, 256 * kMiB, 2 * kGiB, {}, "tmpfs"},
    {"staged", "staged_bytes", U::size, 1, kMost, 256 * kMiB, 2 * kGiB, {}, "tmpfs"},
    {"inodes", "inodes", U::number, 1, kMost, 20'000, 500'000, {}, "tmpfs"},
}};

using Suffix = std::pair<std::string_view, std::int64_t>;
constexpr std::array<Suffix, 7> kSizes{{{"", 1}, {"KiB", 1024}, {"MiB", kMiB}, {"GiB", kGiB},
                                        {"KB", 1000}, {"MB", 1'000'000}, {"GB", 1'000'000'000}}};
constexpr std::array<Suffix, 5> kTimes{{{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
constexpr std::array<Suffix, 1> kPercents{{{"%", 1}}};
constexpr std::array<Suffix, 1> kNumbers{{{"", 1}}};

std::span<const Suffix> suffixes(LimitUnit unit) {
  switch (unit) {
    case U::time: return kTimes;
    case U::size: return kSizes;
    case U::percent: return kPercents;
    case U::number: return kNumbers;
  }
  return kNumbers;
}

std::string units_text(LimitUnit unit) {
  std::string out;
  for (const auto& [name, factor] : suffixes(unit)) {
    if (!name.empty()) out.append(out.empty() ? " and one of the units " : ", ").append(name);
  }
  return out.empty() ? " without a unit" : out + (suffixes(unit)[0].first.empty() ? ", or none" : "");
}

}  // namespace

std::span<const LimitRule> limit_rules() { return kRules; }

const LimitRule* limit_by_key(std::string_view key) {
  for (const LimitRule& rule : kRules) {
    if (rule.key == key) return &rule;
  }
  return nullptr;
}

const LimitRule* limit_by_name(std::string_view name) {
  for (const LimitRule& rule : kRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

Result<std::int64_t> parse_limit(const LimitRule& rule, const Value& declared) {
  const std::string the_limit = "the limit `" + std::string(rule.key) + "` ";
  std::string text = declared.text();
  if (declared.is_integer()) {
    if (declared.number() < 0) return malformed(the_limit + "is negative");
    text = std::to_string(declared.number());
  } else if (!declared.is_string()) {
    return malformed(the_limit + "is neither number nor text");
  }
  const auto end = text.find_first_not_of("0123456789");
  const std::string_view digits = std::string_view(text).substr(0, end);
  const std::string_view suffix = end == std::string::npos ? "" : std::string_view(text).substr(end);
  const auto count = digits.size() <= 15 ? parse_decimal(digits) : std::nullopt;
  if (!count) return malformed(the_limit + "is `" + printable(text, 30) + "`, which is not a number of 1 to 15 digits" + units_text(rule.unit));
  for (const auto& [name, factor] : suffixes(rule.unit)) {
    if (name != suffix) continue;
    const auto n = static_cast<std::int64_t>(*count);
    if (n > kMost / factor || n * factor < rule.least || n * factor > rule.most) {
      return malformed(the_limit + "is `" + text + "`, which is not " + std::to_string(rule.least) + " to " + std::to_string(rule.most) + " (" + std::string(rule.name) + ")");
    }
    return n * factor;
  }
  return malformed(the_limit + "has the unknown unit `" + printable(suffix, 20) + "`; it is a number" + units_text(rule.unit));
}

std::vector<std::string> default_enforce(const LimitRule& rule) {
  if (rule.possible.empty()) return {std::string(rule.always)};
  return {rule.possible.begin(), rule.possible.end()};
}

}  // namespace ethos::verify
