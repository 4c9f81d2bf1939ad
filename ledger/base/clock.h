// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ledger/base/result.h"

namespace ethos::base {

// One moment as three clocks saw it (docs/formats/record.md R-16).
struct Timestamp {
  std::array<std::byte, 16> boot{};  // the kernel's boot id
  std::uint64_t mono_ns = 0;         // CLOCK_BOOTTIME
  std::int64_t wall_ms = 0;          // CLOCK_REALTIME, as read, never clamped
  auto operator<=>(const Timestamp&) const = default;
};

// Time as a parameter, so that tests can set it.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;
  [[nodiscard]] virtual Timestamp now() const = 0;
};

// The machine's clocks. Safe to use from several threads.
class SystemClock final : public Clock {
 public:
  // Reads /proc/sys/kernel/random/boot_id once; Errc::io or Errc::malformed without a usable one.
  static Result<SystemClock> open();
  SystemClock(SystemClock&& other) noexcept : boot_(other.boot_) {}
  [[nodiscard]] Timestamp now() const override;

 private:
  explicit SystemClock(const std::array<std::byte, 16>& boot) : boot_(boot) {}
  std::array<std::byte, 16> boot_;
};

// Parses the text of boot_id, e.g. "1b4e28ba-2fa1-11d2-883f-0016d3cca427\n", into its 16 bytes.
Result<std::array<std::byte, 16>> parse_boot_id(std::string_view text);

// 2026-11-29T18:13:55.042Z. Outside years 0 to 9999 the plain number of milliseconds.
std::string format_utc(std::int64_t wall_ms);

}  // namespace ethos::base
