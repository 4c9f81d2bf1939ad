// SPDX-License-Identifier: Apache-2.0
#include "sandbox/limits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace ethos::sandbox {
namespace {

constexpr std::uint64_t kMaxInteger = (std::uint64_t{1} << 53) - 1;
constexpr std::uint64_t kKi = 1024;
constexpr std::uint64_t kMi = kKi * 1024;
constexpr std::uint64_t kGi = kMi * 1024;
constexpr std::uint64_t kSecond = 1000;

std::vector<LimitSpec> make_specs() {
  using enum Enforcer;
  constexpr std::uint64_t kMostPids = 4'194'304;             // PID_MAX_LIMIT
  constexpr std::uint64_t kMostFiles = 1'048'576;            // fs.nr_open's default
  constexpr std::uint64_t kLeastRate = 64 * kKi;             // a page takes no longer than 1/16 s
  constexpr std::uint64_t kMostFileBytes = 16 * 1024 * kGi;  // of ext4, the largest file
  constexpr std::uint64_t kMostPercent = 1'000'000;          // 10,000 CPUs
  return {
      {"wall", "wall_ms", Unit::time, 1, kMaxInteger, 300 * kSecond, 3600 * kSecond, {supervisor}},
      {"memory", "memory_bytes", Unit::size, 1, kMaxInteger, 2 * kGi, 8 * kGi, {cgroup, rlimit}},
      {"swap", "swap_bytes", Unit::size, 0, kMaxInteger, 0, 0, {cgroup}},
      {"cpu", "cpu_percent", Unit::percent, 1, kMostPercent, 0, 0, {cgroup}},
      {"io_read", "io_read_bps", Unit::size, kLeastRate, kMaxInteger, 0, 0, {cgroup}},
      {"io_write", "io_write_bps", Unit::size, kLeastRate, kMaxInteger, 0, 0, {cgroup}},
      {"pids", "pids", Unit::count, 1, kMostPids, 512, 4096, {cgroup, supervisor}},
      {"output", "output_bytes", Unit::size, 1, 64 * kMi, 64 * kMi, 64 * kMi, {supervisor}},
      {"file_size", "file_bytes", Unit::size, 1, kMostFileBytes, kGi, 8 * kGi, {rlimit}},
      {"open_files", "open_files", Unit::count, 1, kMostFiles, 1024, 1024, {rlimit}},
      {"scratch", "scratch_bytes", Unit::size, 1, kMaxInteger, 256 * kMi, 2 * kGi, {tmpfs}},
      {"staged", "staged_bytes", Unit::size, 1, kMaxInteger, 256 * kMi, 2 * kGi, {tmpfs}},
      {"inodes", "inodes", Unit::count, 1, kMaxInteger, 20'000, 500'000, {tmpfs}},
  };
}

struct Suffix {
  std::string_view text;
  std::uint64_t factor;
};

std::span<const Suffix> suffixes(Unit unit) {
  static constexpr auto kSizes = std::to_array<Suffix>({{"", 1},
                                                        {"KiB", kKi},
                                                        {"MiB", kMi},
                                                        {"GiB", kGi},
                                                        {"KB", 1000},
                                                        {"MB", 1'000'000},
                                                        {"GB", 1'000'000'000}});
  static constexpr auto kTimes = std::to_array<Suffix>(
      {{"", kSecond}, {"ms", 1}, {"s", kSecond}, {"m", 60 * kSecond}, {"h", 3600 * kSecond}});
  static constexpr auto kPercent = std::to_array<Suffix>({{"%", 1}});
  static constexpr auto kCount = std::to_array<Suffix>({{"", 1}});
  switch (unit) {
    case Unit::size:
      return kSizes;
    case Unit::time:
      return kTimes;
    case Unit::percent:
      return kPercent;
    case Unit::count:
      break;
  }
  return kCount;
}

}  // namespace

const std::vector<LimitSpec>& limit_specs() {
  static const std::vector<LimitSpec> specs = make_specs();
  return specs;
}

const LimitSpec* find_limit(std::string_view key) {
  const auto& specs = limit_specs();
  const auto it = std::ranges::find(specs, key, &LimitSpec::key);
  return it == specs.end() ? nullptr : &*it;
}

const LimitSpec* find_limit_by_normal_name(std::string_view name) {
  const auto& specs = limit_specs();
  const auto it = std::ranges::find(specs, name, &LimitSpec::normal_name);
  return it == specs.end() ? nullptr : &*it;
}

std::string value_form(const LimitSpec& spec) {
  std::string out;
  switch (spec.unit) {
    case Unit::size:
      out = "a size such as 512MiB: an integer with KiB, MiB, GiB, KB, MB, GB or nothing for bytes";
      break;
    case Unit::time:
      out = "a time such as 30s: an integer with ms, s, m, h or nothing for seconds";
      break;
    case Unit::percent:
      out = "a share such as 150%: an integer with %, 100% being one CPU";
      break;
    case Unit::count:
      out = "an integer without a unit";
      break;
  }
  const std::string unit = spec.unit == Unit::time   ? " ms"
                           : spec.unit == Unit::size ? " bytes"
                                                     : "";
  // A number has 15 digits at most, which the largest value as one does not.
  const char* digits = spec.most >= 1'000'000'000'000'000 ? ", in at most 15 digits" : "";
  return out + ", from " + std::to_string(spec.least) + " to " + std::to_string(spec.most) + unit +
         digits;
}

std::optional<std::uint64_t> parse_limit(const LimitSpec& spec, std::string_view text) {
  constexpr std::size_t kMaxDigits = 15;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > kMaxDigits) return std::nullopt;
  if (digits > 1 && text[0] == '0') return std::nullopt;
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + digits, value);
  const auto list = suffixes(spec.unit);
  const auto it = std::ranges::find(list, text.substr(digits), &Suffix::text);
  if (it == list.end() || value > kMaxInteger / it->factor) return std::nullopt;
  value *= it->factor;
  if (value < spec.least || value > spec.most) return std::nullopt;
  return value;
}

std::string_view enforcer_name(Enforcer enforcer) {
  switch (enforcer) {
    case Enforcer::supervisor:
      return "supervisor";
    case Enforcer::rlimit:
      return "rlimit";
    case Enforcer::cgroup:
      return "cgroup";
    case Enforcer::tmpfs:
      break;
  }
  return "tmpfs";
}

std::optional<Enforcer> parse_enforcer(std::string_view name) {
  for (const Enforcer e : {Enforcer::supervisor, Enforcer::rlimit, Enforcer::cgroup})
    if (enforcer_name(e) == name) return e;
  return std::nullopt;
}

}  // namespace ethos::sandbox
