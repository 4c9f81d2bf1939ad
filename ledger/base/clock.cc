// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/clock.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "ledger/base/file_io.h"
#include "ledger/base/hex.h"

namespace ethos::base {
namespace {

constexpr std::size_t kBootIdBytes = 64;

timespec read_clock(clockid_t id) {
  timespec ts{};
  // Cannot fail for these clocks with a good pointer.
  [[maybe_unused]] const int rc = ::clock_gettime(id, &ts);
  assert(rc == 0);
  return ts;
}

}  // namespace

Result<std::array<std::byte, 16>> parse_boot_id(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text.size() != 36) return fail(Errc::malformed, "boot_id: not a UUID");
  std::string hex;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash != (text[i] == '-')) return fail(Errc::malformed, "boot_id: not a UUID");
    if (!is_dash) hex += text[i];
  }
  auto bytes = decode_hex(hex);
  if (!bytes) return Unexpected(std::move(bytes).error().with_context("boot_id"));
  std::array<std::byte, 16> out{};
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return out;
}

Result<SystemClock> SystemClock::open() {
  auto text = read_file("/proc/sys/kernel/random/boot_id", kBootIdBytes);
  if (!text) return Unexpected(std::move(text).error().with_context("clock"));
  auto boot = parse_boot_id(*text);
  if (!boot) return Unexpected(std::move(boot).error().with_context("clock"));
  return SystemClock(*boot);
}

Timestamp SystemClock::now() const {
  const timespec mono = read_clock(CLOCK_BOOTTIME);
  const timespec wall = read_clock(CLOCK_REALTIME);
  Timestamp t;
  t.boot = boot_;
  t.mono_ns = static_cast<std::uint64_t>(mono.tv_sec) * 1'000'000'000U +
              static_cast<std::uint64_t>(mono.tv_nsec);
  t.wall_ms =
      std::max<std::int64_t>(0, wall.tv_sec * std::int64_t{1000} + wall.tv_nsec / 1'000'000);
  return t;
}

std::string format_utc(std::int64_t wall_ms) {
  using std::chrono::milliseconds;
  constexpr std::int64_t kYear0 = -62'167'219'200'000;
  constexpr std::int64_t kYear9999End = 253'402'300'799'999;
  if (wall_ms < kYear0 || wall_ms > kYear9999End) return std::to_string(wall_ms);
  const std::chrono::sys_time<milliseconds> at{milliseconds(wall_ms)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss<milliseconds> time{at - day};
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()));
  return out.data();
}

}  // namespace ethos::base
