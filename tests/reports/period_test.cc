// SPDX-License-Identifier: Apache-2.0
#include "reports/period.h"

#include <catch2/catch.hpp>
#include <string>

using namespace ethos::reports;

namespace {

Zone zone(const std::string& name) {
  auto opened = Zone::open("/usr/share/zoneinfo", name);
  REQUIRE(opened);
  return std::move(*opened);
}

Period period(const std::string& text, const Zone& in) {
  auto parsed = Period::parse(text, in);
  REQUIRE(parsed);
  return *parsed;
}

}  // namespace

TEST_CASE("period: both days are inside, in the zone's own calendar", "[reports]") {
  const Period quarter = period("2026-10-01..2026-12-31", zone("Europe/Berlin"));
  CHECK(utc_text(quarter.from) == "2026-09-30T22:00:00Z");
  CHECK(utc_text(quarter.until) == "2026-12-31T23:00:00Z");
  CHECK(quarter.day_count() == 92);
  CHECK(quarter.text() == "2026-10-01..2026-12-31");
  CHECK(quarter.contains_ms(quarter.from * 1000));
  CHECK_FALSE(quarter.contains_ms(quarter.from * 1000 - 1));
  CHECK(quarter.contains_ms(quarter.until * 1000 - 1));
  CHECK_FALSE(quarter.contains_ms(quarter.until * 1000));
}

TEST_CASE("period: a single day of a clock change has its real length", "[reports]") {
  const Zone berlin = zone("Europe/Berlin");
  const Period spring = period("2026-03-29..2026-03-29", berlin);
  CHECK(spring.until - spring.from == 23 * 3600);
  const Period autumn = period("2026-10-25..2026-10-25", berlin);
  CHECK(autumn.until - autumn.from == 25 * 3600);
}

TEST_CASE("period: other forms are refused", "[reports]") {
  const Zone utc = zone("UTC");
  const auto text =
      GENERATE(as<std::string>{}, "", "2026-01-01", "2026-01-01..", "2026-1-1..2026-01-02",
               "2026-02-30..2026-03-01", "2026-01-02..2026-01-01", "2026-01-01...2026-01-02",
               "1969-01-01..1970-01-01", "2026-01-01..2026-01-02 ", "2026-01-01..2026-01-0x",
               "1970-01-01..2030-01-01");
  CAPTURE(text);
  CHECK_FALSE(Period::parse(text, utc));
}

TEST_CASE("period: the stretches of a chart cover it without gap", "[reports][property]") {
  const Zone berlin = zone("Europe/Berlin");
  for (const char* text : {"2026-03-29..2026-03-29", "2026-03-20..2026-04-02",
                           "2026-10-01..2026-12-31", "2020-01-15..2026-12-31"}) {
    CAPTURE(text);
    const Period whole = period(text, berlin);
    const Buckets buckets = split(whole, berlin);
    REQUIRE_FALSE(buckets.list.empty());
    CHECK(buckets.list.front().from == whole.from);
    CHECK(buckets.list.back().until == whole.until);
    for (std::size_t i = 0; i < buckets.list.size(); ++i) {
      if (i != 0) CHECK(buckets.list[i].from == buckets.list[i - 1].until);
      CHECK(buckets.index_of(buckets.list[i].from) == i);
      CHECK(buckets.index_of(buckets.list[i].until - 1) == i);
    }
  }
  CHECK(split(period("2026-10-01..2026-12-31", berlin), berlin).list[1].label == "2026-10-05");
  CHECK(split(period("2020-01-15..2026-12-31", berlin), berlin).list[1].label == "2020-02-01");
}

TEST_CASE("period: the one before has as many days and touches it", "[reports]") {
  const Zone berlin = zone("Europe/Berlin");
  const Period quarter = period("2026-10-01..2026-12-31", berlin);
  const Period before = quarter.before(berlin);
  CHECK(before.until == quarter.from);
  CHECK(before.text() == "2026-07-01..2026-09-30");
}

TEST_CASE("period: the doubled hour names which of the two it is", "[reports]") {
  const Zone berlin = zone("Europe/Berlin");
  CHECK(local_text(1792886400 - 1, berlin) == "2026-10-25 01:59:59 CEST");
  CHECK(local_text(1792888200, berlin) == "2026-10-25 02:30:00 CEST");
  CHECK(local_text(1792891800, berlin) == "2026-10-25 02:30:00 CET");
  CHECK(offset_text(-12600) == "-03:30");
  CHECK(offset_text(7200) == "+02:00");
}
