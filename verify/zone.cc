// SPDX-License-Identifier: Apache-2.0
#include "verify/zone.h"

#include <algorithm>
#include <chrono>

#include "verify/snapshot.h"

namespace ethos::verify {
namespace {

constexpr std::uint64_t kMaxFile = std::uint64_t{1} << 20U;
constexpr std::size_t kMaxSteps = 20'000;
constexpr std::int64_t kMaxOffset = 26 * 3600;  // RFC 8536 section 3.2
constexpr std::int64_t kDay = 86'400;

std::optional<std::int64_t> fixed_offset(std::string_view zone) {
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  const auto digit = [&](std::size_t i) { return zone[i] >= '0' && zone[i] <= '9' ? zone[i] - '0' : -1000; };
  const std::int64_t hours = digit(1) * 10 + digit(2);
  const std::int64_t minutes = digit(4) * 10 + digit(5);
  if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59) return std::nullopt;
  const std::int64_t seconds = (hours * 60 + minutes) * 60;
  return zone[0] == '-' ? -seconds : seconds;
}

// Components of letters, digits, `_`, `+`, `-`: nothing that leaves the directory.
bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() == '/' || name.back() == '/' || name.find("//") != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-' || c == '/';
  });
}

std::int64_t big_endian(std::string_view bytes) {
  std::uint64_t value = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0 ? UINT64_MAX : 0;
  for (const char c : bytes) value = value << 8U | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(value);
}

struct Header {
  std::uint64_t isut = 0;
  std::uint64_t isstd = 0;
  std::uint64_t leap = 0;
  std::uint64_t time = 0;
  std::uint64_t type = 0;
  std::uint64_t chars = 0;
  [[nodiscard]] std::uint64_t body(std::uint64_t width) const {
    return time * width + time + type * 6 + chars + leap * (width + 4) + isstd + isut;
  }
};

std::optional<Header> read_header(std::string_view bytes) {
  if (bytes.size() < 44 || !bytes.starts_with("TZif") || bytes[4] < '2') return std::nullopt;
  const auto count = [&](std::size_t i) { return static_cast<std::uint64_t>(big_endian(bytes.substr(20 + 4 * i, 4)) & 0xffffffff); };
  const Header out{count(0), count(1), count(2), count(3), count(4), count(5)};
  const std::uint64_t most = std::max({out.isut, out.isstd, out.leap, out.time, out.type, out.chars});
  if (most > kMaxSteps || out.type == 0) return std::nullopt;
  return out;
}

// [+-]hh[:mm[:ss]]
std::optional<std::int64_t> take_time(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t out = 0;
  for (std::int64_t unit = 3600; unit >= 1; unit /= 60) {
    if (unit < 3600) {
      if (!text.starts_with(':')) break;
      text.remove_prefix(1);
    }
    std::int64_t value = 0;
    std::size_t digits = 0;
    while (digits < 3 && !text.empty() && text[0] >= '0' && text[0] <= '9') {
      value = value * 10 + (text[0] - '0');
      text.remove_prefix(1);
      ++digits;
    }
    if (digits == 0 || value > 167) return std::nullopt;
    out += value * unit;
  }
  return negative ? -out : out;
}

bool take_name(std::string_view& text) {
  const bool quoted = text.starts_with('<');
  const auto end = quoted ? text.find('>') : text.find_first_of("+-0123456789,");
  const std::size_t size = end == std::string_view::npos ? text.size() : end + (quoted ? 1 : 0);
  if (size < 3 || (quoted && end == std::string_view::npos)) return false;
  text.remove_prefix(size);
  return true;
}

bool take_number(std::string_view& text, int least, int most, int& out) {
  int value = 0;
  std::size_t digits = 0;
  while (digits < 3 && !text.empty() && text[0] >= '0' && text[0] <= '9') {
    value = value * 10 + (text[0] - '0');
    text.remove_prefix(1);
    ++digits;
  }
  out = value;
  return digits > 0 && value >= least && value <= most;
}

bool take_sign(std::string_view& text, char sign) {
  if (!text.starts_with(sign)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

bool Zone::parse_date(std::string_view& text, Date& out) {
  bool good = false;
  if (take_sign(text, 'M')) {
    good = take_number(text, 1, 12, out.month) && take_sign(text, '.') && take_number(text, 1, 5, out.week) && take_sign(text, '.') &&
           take_number(text, 0, 6, out.day);
  } else if (take_sign(text, 'J')) {
    out.form = Date::Form::julian;
    good = take_number(text, 1, 365, out.day);
  } else {
    out.form = Date::Form::day;
    good = take_number(text, 0, 365, out.day);
  }
  if (!good || !take_sign(text, '/')) return good;
  const auto seconds = take_time(text);
  out.seconds = seconds.value_or(0);
  return seconds.has_value();
}

std::optional<Zone::Rule> Zone::parse_rule(std::string_view text) {
  Rule out;
  if (!take_name(text)) return std::nullopt;
  const auto usual = take_time(text);  // west is positive in these strings
  if (!usual) return std::nullopt;
  out.usual = -*usual;
  if (text.empty()) return out;
  if (!take_name(text)) return std::nullopt;
  out.summer = out.usual + 3600;
  if (!text.starts_with(',')) {
    const auto summer = take_time(text);
    if (!summer) return std::nullopt;
    out.summer = -*summer;
  }
  if (!take_sign(text, ',') || !parse_date(text, out.begin) || !take_sign(text, ',') || !parse_date(text, out.end) || !text.empty()) {
    return std::nullopt;
  }
  return out;
}

// When the date of that year comes on clocks that show `offset`.
std::int64_t Zone::instant_of(const Date& date, int year, std::int64_t offset) {
  using namespace std::chrono;
  const std::chrono::year y{year};
  sys_days day;
  if (date.form == Date::Form::month) {
    const std::chrono::month m{static_cast<unsigned>(date.month)};
    const weekday wanted{static_cast<unsigned>(date.day)};
    day = date.week == 5 ? sys_days(y / m / wanted[last]) : sys_days(y / m / wanted[static_cast<unsigned>(date.week)]);
  } else {
    int number = date.day;
    if (date.form == Date::Form::julian) number += (y.is_leap() && number >= 60 ? 1 : 0) - 1;
    day = sys_days(y / January / 1) + days(number);
  }
  return day.time_since_epoch().count() * kDay + date.seconds - offset;
}

std::vector<Zone::Step> Zone::steps_near(std::int64_t utc_seconds) const {
  std::vector<Step> out = steps_;
  const std::int64_t last = steps_.empty() ? INT64_MIN : steps_.back().at;
  if (!rule_ || utc_seconds + 400 * kDay < last) return out;
  if (!rule_->summer) {
    // Its table may end with another offset; the rule holds after it.
    if (steps_.empty()) out.push_back({INT64_MIN / 2, rule_->usual});
    return out;
  }
  const auto days = std::clamp<std::int64_t>(utc_seconds / kDay, -700'000, 2'900'000);
  const std::chrono::sys_days day{std::chrono::days(days)};
  const int year = static_cast<int>(std::chrono::year_month_day(day).year());
  std::vector<Step> made;
  for (int y = year - 1; y <= year + 1; ++y) {
    made.push_back({instant_of(rule_->begin, y, rule_->usual), *rule_->summer});
    made.push_back({instant_of(rule_->end, y, *rule_->summer), rule_->usual});
  }
  std::sort(made.begin(), made.end(), [](const Step& a, const Step& b) { return a.at < b.at; });
  for (const Step& step : made) {
    if (step.at > last) out.push_back(step);
  }
  return out;
}

std::int64_t Zone::offset_at(std::int64_t utc_seconds) const {
  std::int64_t out = first_offset_;
  for (const Step& step : steps_near(utc_seconds)) {
    if (step.at <= utc_seconds) out = step.offset;
  }
  return out;
}

std::int64_t Zone::first_instant(std::int64_t local_midnight_ms) const {
  const std::int64_t midnight = local_midnight_ms / 1000;
  const std::int64_t from = midnight - 2 * kDay;
  std::int64_t begin = from;
  std::int64_t offset = offset_at(from);
  std::vector<Step> steps = steps_near(midnight);
  steps.push_back({INT64_MAX, 0});
  for (const Step& step : steps) {
    if (step.at <= from) continue;
    const std::int64_t at = std::max(begin, midnight - offset);
    if (at < step.at) return at * 1000;
    begin = step.at;
    offset = step.offset;
  }
  return (midnight - offset) * 1000;
}

Result<Zone> Zone::parse_tzif(std::string_view bytes) {
  const auto old_form = read_header(bytes);
  if (!old_form) return malformed("not a TZif file of version 2 or later");
  const std::uint64_t second = 44 + old_form->body(4);
  if (second > bytes.size()) return malformed("the zone file ends too early");
  bytes.remove_prefix(second);
  const auto header = read_header(bytes);
  if (!header) return malformed("the zone file has no second part");
  if (44 + header->body(8) > bytes.size()) return malformed("the zone file ends too early");
  if (header->leap > 0) return malformed("the zone file counts leap seconds; take the zone of the same name without `right/`");
  bytes.remove_prefix(44);
  const std::string_view times = bytes.substr(0, header->time * 8);
  const std::string_view indices = bytes.substr(times.size(), header->time);
  const std::string_view types = bytes.substr(times.size() + indices.size(), header->type * 6);
  Zone out;
  const auto offset_of = [&](std::size_t type) { return big_endian(types.substr(type * 6, 4)); };
  for (std::size_t i = 0; i < header->type; ++i) {
    if (offset_of(i) > kMaxOffset || offset_of(i) < -kMaxOffset) return malformed("an offset of the zone file is impossible");
  }
  out.first_offset_ = offset_of(0);
  for (std::size_t i = 0; i < header->time; ++i) {
    const auto type = static_cast<unsigned char>(indices[i]);
    const std::int64_t at = big_endian(times.substr(i * 8, 8));
    if (type >= header->type || (i > 0 && at <= out.steps_.back().at)) return malformed("the steps of the zone file are out of order");
    out.steps_.push_back({at, offset_of(type)});
  }
  std::string_view footer = bytes.substr(header->body(8));
  if (!footer.starts_with('\n') || footer.find('\n', 1) == std::string_view::npos) return malformed("the zone file has no last line");
  footer = footer.substr(1, footer.find('\n', 1) - 1);
  if (footer.empty()) return out;
  out.rule_ = parse_rule(footer);
  if (!out.rule_) return malformed("the last line of the zone file is not a rule");
  return out;
}

Result<Zone> Zone::find(std::string_view name, const std::string& directory) {
  Zone out;
  if (name.empty() || name == "UTC" || name == "Z") return out;
  if (const auto offset = fixed_offset(name)) {
    out.first_offset_ = *offset;
    return out;
  }
  if (!is_zone_name(name)) return malformed("a zone is `UTC`, `+HH:MM` or a name like Europe/Berlin");
  const auto bytes = read_file(directory + "/" + std::string(name), kMaxFile);
  if (!bytes) {
    return Error{Errc::not_found, "no zone `" + std::string(name) + "` in " + directory + " (package tzdata); `UTC` and an offset of two digits each, `+01:00`, need no file"};
  }
  auto zone = parse_tzif(*bytes);
  if (!zone) return malformed("zone " + std::string(name) + ": " + zone.error().what);
  return zone;
}

}  // namespace ethos::verify
