// SPDX-License-Identifier: Apache-2.0
#include "reports/zone.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "ledger/base/file_io.h"

using namespace ethos::reports;
using std::chrono::sys_days;
using std::chrono::year;

namespace {

const std::string kDirectory = "/usr/share/zoneinfo";

Zone zone(const std::string& name) {
  auto opened = Zone::open(kDirectory, name);
  REQUIRE(opened);
  return std::move(*opened);
}

sys_days date(int y, unsigned m, unsigned d) {
  return sys_days(year(y) / std::chrono::month(m) / std::chrono::day(d));
}

std::int64_t hours_of(const Zone& in, sys_days day) {
  const std::int64_t seconds = in.start_of_day(day + std::chrono::days(1)) - in.start_of_day(day);
  REQUIRE(seconds % 1800 == 0);
  return seconds / 3600;
}

}  // namespace

TEST_CASE("zone: days at a change of the clock are 23 and 25 hours long", "[reports]") {
  const Zone berlin = zone("Europe/Berlin");
  CHECK(hours_of(berlin, date(2026, 3, 29)) == 23);
  CHECK(hours_of(berlin, date(2026, 3, 28)) == 24);
  CHECK(hours_of(berlin, date(2026, 10, 25)) == 25);
  const Zone york = zone("America/New_York");
  CHECK(hours_of(york, date(2026, 3, 8)) == 23);
  CHECK(hours_of(york, date(2026, 11, 1)) == 25);
  CHECK(hours_of(zone("UTC"), date(2026, 3, 29)) == 24);
  // Half an hour: 23.5 h rounds down.
  CHECK(zone("Australia/Lord_Howe").start_of_day(date(2026, 10, 5)) -
            zone("Australia/Lord_Howe").start_of_day(date(2026, 10, 4)) ==
        23 * 3600 + 1800);
}

TEST_CASE("zone: a day whose midnight does not exist begins when the clock jumps", "[reports]") {
  // Cairo, 2023-04-28: 00:00 became 01:00.
  const Zone cairo = zone("Africa/Cairo");
  const std::int64_t start = cairo.start_of_day(date(2023, 4, 28));
  CHECK(hours_of(cairo, date(2023, 4, 28)) == 23);
  CHECK(cairo.at(start).offset - cairo.at(start - 1).offset == 3600);
}

TEST_CASE("zone: a date that a zone skipped is an empty day", "[reports]") {
  CHECK(hours_of(zone("Pacific/Apia"), date(2011, 12, 30)) == 0);
  CHECK(hours_of(zone("Pacific/Apia"), date(2011, 12, 29)) == 24);
}

TEST_CASE("zone: the rule at the end of the file reaches beyond the list", "[reports]") {
  const Zone berlin = zone("Europe/Berlin");
  CHECK(hours_of(berlin, date(2300, 3, 25)) == 23);
  const Zone santiago = zone("America/Santiago");  // southern: daylight over the new year
  CHECK(santiago.at(date(2200, 1, 15).time_since_epoch().count() * 86400).offset == -3 * 3600);
  CHECK(santiago.at(date(2200, 6, 15).time_since_epoch().count() * 86400).offset == -4 * 3600);
}

TEST_CASE("zone: agrees with the C library over a century", "[reports][property]") {
  for (const char* name :
       {"Europe/Berlin", "America/New_York", "Asia/Kolkata", "America/Santiago",
        "Africa/Casablanca", "Europe/Dublin", "Australia/Lord_Howe", "Asia/Gaza"}) {
    CAPTURE(name);
    const Zone in = zone(name);
    REQUIRE(setenv("TZ", name, 1) == 0);
    tzset();
    for (std::int64_t at = 0; at < 4102444800; at += 3600 * 37 + 11) {
      const auto instant = static_cast<std::time_t>(at);
      std::tm local{};
      REQUIRE(localtime_r(&instant, &local) != nullptr);
      const ZoneInfo info = in.at(at);
      if (info.offset != local.tm_gmtoff || info.name != local.tm_zone) {
        CAPTURE(at, info.offset, local.tm_gmtoff, info.name, local.tm_zone);
        FAIL("differs");
      }
    }
  }
}

TEST_CASE("zone: a name that could leave the directory is refused", "[reports]") {
  const auto name =
      GENERATE(as<std::string>{}, "", "/etc/passwd", "../../etc/passwd", "Europe/../UTC",
               "right/UTC", "posix/UTC", "localtime", "Europe//Berlin", "a\nb", "Europe/Berlin/");
  CAPTURE(name);
  const auto opened = Zone::open(kDirectory, name);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().code == ethos::base::Errc::malformed);
}

TEST_CASE("zone: an offset is a zone of its own, without a file", "[reports]") {
  const auto zone = Zone::open("/nonexistent", "-03:30");
  REQUIRE(zone);
  CHECK(zone->at(0).offset == -12600);
  CHECK(zone->at(4000000000).name == "-03:30");
  const std::chrono::sys_days day{std::chrono::year{2026} / 10 / 1};
  CHECK(zone->start_of_day(day) == day.time_since_epoch().count() * 86400 + 12600);
  for (const char* bad : {"+3:00", "+24:00", "03:00", "+03:60", "+0300", "+aa:00"}) {
    CAPTURE(bad);
    CHECK_FALSE(Zone::fixed(bad));
  }
}

TEST_CASE("zone: an unknown name is not found", "[reports]") {
  const auto opened = Zone::open(kDirectory, "Europe/Atlantis");
  REQUIRE_FALSE(opened);
  CHECK(opened.error().code == ethos::base::Errc::not_found);
}

TEST_CASE("zone: a file cut at any length or with any byte changed never crashes",
          "[reports][property]") {
  const auto bytes = ethos::base::read_file(kDirectory + "/Europe/Berlin", 1 << 20);
  REQUIRE(bytes);
  for (std::size_t size = 0; size < bytes->size(); ++size) {
    const auto cut = Zone::parse("x", std::string_view(*bytes).substr(0, size));
    CHECK_FALSE(cut);
  }
  std::string changed = *bytes;
  for (std::size_t at = 0; at < changed.size(); ++at) {
    const char kept = changed[at];
    changed[at] = static_cast<char>(kept ^ 0x55);
    if (const auto parsed = Zone::parse("x", changed)) static_cast<void>(parsed->at(1790000000));
    changed[at] = kept;
  }
}

TEST_CASE("zone: rules are read strictly", "[reports]") {
  CHECK(TzRule::parse("CET-1CEST,M3.5.0,M10.5.0/3"));
  CHECK(TzRule::parse("<+0330>-3:30"));
  CHECK(TzRule::parse("<-02>2<-01>,M3.5.0/-1,M10.5.0/0"));
  CHECK(TzRule::parse("IST-2IDT,M3.4.4/26,M10.5.0"));
  CHECK(TzRule::parse("XXX3YYY,J60,J300/167"));
  for (const char* bad :
       {"", "CE-1", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1x", "<CET-1", "CET-25",
        "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,J0,J5"}) {
    CAPTURE(bad);
    CHECK_FALSE(TzRule::parse(bad).has_value());
  }
}

TEST_CASE("zone: the version of the zone data is named", "[reports]") {
  CHECK(tzdata_version(kDirectory).substr(0, 2) == "20");
  CHECK(tzdata_version("/nonexistent") == "unknown");
}
