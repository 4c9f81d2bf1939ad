// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"

namespace ethos::reports {

// A POSIX TZ rule, `CET-1CEST,M3.5.0,M10.5.0/3`: what a TZif file says about times after its last
// listed change (RFC 8536 section 3.3).
struct TzRule {
  struct Change {
    enum class Kind : std::uint8_t { julian, zero_based, month_week_day };
    Kind kind = Kind::month_week_day;
    int month = 1;
    int week = 1;
    int day = 0;
    std::int32_t seconds = 7200;  // of the local day, -167 h to 167 h
  };
  std::string standard_name;
  std::int32_t standard_offset = 0;  // seconds east of UTC
  bool has_daylight = false;
  std::string daylight_name;
  std::int32_t daylight_offset = 0;
  Change start, end;

  static std::optional<TzRule> parse(std::string_view text);
};

// What a zone says at one instant.
struct ZoneInfo {
  std::int32_t offset = 0;  // seconds east of UTC
  std::string name;         // "CEST", "+03"
};

// An IANA time zone, read from a TZif file (RFC 8536, version 2 and later). All instants are
// seconds since 1970-01-01T00:00:00Z.
class Zone {
 public:
  // `name` is an IANA name, or an offset `+HH:MM`; a name is never used as a path before it is
  // checked. Errc::malformed for a name that is none, not_found for one this host does not know,
  // unsupported for an unusable file.
  static base::Result<Zone> open(const std::string& directory, std::string_view name);
  static std::optional<Zone> fixed(std::string_view name);
  static base::Result<Zone> parse(std::string name, std::string_view bytes);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& digest() const { return digest_; }  // sha256:… of the file
  [[nodiscard]] ZoneInfo at(std::int64_t instant) const;

  // The first instant whose local date is `day` or later. Days are the half-open stretches between
  // these, so they are 23, 24 or 25 hours long (or empty, where a zone skipped a date).
  [[nodiscard]] std::int64_t start_of_day(std::chrono::sys_days day) const;

 private:
  struct Kind {
    std::int32_t offset = 0;
    std::string name;
  };
  [[nodiscard]] std::int64_t next_change_after(std::int64_t instant, std::int64_t limit) const;

  std::string name_;
  std::string digest_;
  std::vector<std::int64_t> changes_;
  std::vector<std::uint8_t> kind_of_change_;
  std::vector<Kind> kinds_;
  std::optional<TzRule> rule_;
};

// "2025b" as the zone directory says it, or "unknown".
std::string tzdata_version(const std::string& directory);

}  // namespace ethos::reports
