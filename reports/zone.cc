// SPDX-License-Identifier: Apache-2.0
#include "reports/zone.h"

#include <algorithm>
#include <array>
#include <limits>

#include "ledger/base/file_io.h"
#include "reports/sha256.h"

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;
using std::chrono::days;
using std::chrono::sys_days;

constexpr std::size_t kMaxZoneBytes = 262144;
constexpr std::int64_t kDay = 86400;
// No offset is above 26 h (RFC 8536 asks readers to accept -25 h to +26 h).
constexpr std::int32_t kMaxOffset = 26 * 3600;

bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() == '/' || name.back() == '/') return false;
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '+' || c == '-' || c == '/';
  };
  // Leap-second and copied trees, and the host's own choice, are not IANA names.
  if (name.starts_with("right/") || name.starts_with("posix/") || name == "localtime" ||
      name == "posixrules" || name.find("//") != std::string_view::npos) {
    return false;
  }
  return std::all_of(name.begin(), name.end(), good);
}

// Big-endian integers out of a byte string, with one sticky failure.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] bool good() const { return good_; }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size() - at_) {
      good_ = false;
      return {};
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  std::uint8_t byte() {
    const auto one = take(1);
    return one.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(one[0]);
  }
  std::uint32_t u32() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = (value << 8U) | byte();
    return value;
  }
  std::int64_t i64() {
    const std::uint64_t high = u32();
    return static_cast<std::int64_t>((high << 32U) | u32());
  }
  std::string_view rest() { return bytes_.substr(at_); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

struct Header {
  char version = 0;
  std::uint32_t ut_local = 0, standard_wall = 0, leaps = 0, changes = 0, kinds = 0, letters = 0;
};

bool read_header(Cursor& in, Header& out) {
  if (in.take(4) != "TZif") return false;
  out.version = static_cast<char>(in.byte());
  in.take(15);
  for (auto* field :
       {&out.ut_local, &out.standard_wall, &out.leaps, &out.changes, &out.kinds, &out.letters}) {
    *field = in.u32();
  }
  // 256 kinds at most (the index is a byte); the file itself is small, so are all counts.
  return in.good() && out.kinds >= 1 && out.kinds <= 256 && out.changes < 100000 &&
         out.letters < 100000 && out.leaps < 10000 && out.ut_local <= out.kinds &&
         out.standard_wall <= out.kinds;
}

std::size_t body_bytes(const Header& header, std::size_t time_bytes) {
  return header.changes * (time_bytes + 1) + header.kinds * std::size_t{6} + header.letters +
         header.leaps * (time_bytes + 4) + header.standard_wall + header.ut_local;
}

std::chrono::year year_of(std::int64_t seconds) {
  const auto day = sys_days(days(seconds >= 0 ? seconds / kDay : (seconds - kDay + 1) / kDay));
  return std::chrono::year_month_day(day).year();
}

// The instant a rule's change happens in that year; `offset` is in force before it.
std::int64_t change_in_year(const TzRule::Change& change, std::chrono::year year,
                            std::int32_t offset) {
  using namespace std::chrono;
  sys_days day;
  switch (change.kind) {
    case TzRule::Change::Kind::month_week_day: {
      const month in_month(static_cast<unsigned>(change.month));
      const weekday on(static_cast<unsigned>(change.day));
      day = change.week == 5 ? sys_days(year / in_month / on[last])
                             : sys_days(year / in_month / on[static_cast<unsigned>(change.week)]);
      break;
    }
    case TzRule::Change::Kind::julian:  // February 29 is never counted
      day = sys_days(year / January / 1) + days(change.day - 1);
      if (year.is_leap() && change.day >= 60) day += days(1);
      break;
    case TzRule::Change::Kind::zero_based:
      day = sys_days(year / January / 1) + days(change.day);
      break;
  }
  return day.time_since_epoch().count() * kDay + change.seconds - offset;
}

ZoneInfo at_rule(const TzRule& rule, std::int64_t instant) {
  if (!rule.has_daylight) return {rule.standard_offset, rule.standard_name};
  // The latest change before the instant decides; the neighbours cover years that begin mid-season.
  const std::chrono::year year = year_of(instant);
  std::int64_t newest = std::numeric_limits<std::int64_t>::min();
  bool daylight = false;
  for (int shift = -1; shift <= 1; ++shift) {
    const auto near = year + std::chrono::years(shift);
    const std::int64_t start = change_in_year(rule.start, near, rule.standard_offset);
    const std::int64_t end = change_in_year(rule.end, near, rule.daylight_offset);
    if (start <= instant && start > newest) newest = start, daylight = true;
    if (end <= instant && end > newest) newest = end, daylight = false;
  }
  return daylight ? ZoneInfo{rule.daylight_offset, rule.daylight_name}
                  : ZoneInfo{rule.standard_offset, rule.standard_name};
}

}  // namespace

// `+02:00`: no file, and the same at all times.
std::optional<Zone> Zone::fixed(std::string_view name) {
  const auto digit = [&](std::size_t at) {
    return name[at] >= '0' && name[at] <= '9' ? name[at] - '0' : 100;
  };
  if (name.size() != 6 || (name[0] != '+' && name[0] != '-') || name[3] != ':') return std::nullopt;
  const int hours = digit(1) * 10 + digit(2);
  const int minutes = digit(4) * 10 + digit(5);
  if (hours > 18 || minutes > 59) return std::nullopt;
  Zone out;
  out.name_ = std::string(name);
  out.digest_ = sha256_text(name);
  const std::int32_t offset = (hours * 60 + minutes) * 60;
  out.kinds_.push_back({name[0] == '-' ? -offset : offset, std::string(name)});
  return out;
}

base::Result<Zone> Zone::open(const std::string& directory, std::string_view name) {
  if (auto offset = fixed(name)) return std::move(*offset);
  if (!is_zone_name(name))
    return fail(Errc::malformed, "not an IANA time zone name, nor an offset +HH:MM");
  auto bytes = base::read_file(directory + "/" + std::string(name), kMaxZoneBytes);
  if (!bytes) {
    return fail(Errc::not_found, "time zone " + std::string(name) + " is not in " + directory +
                                     " (Debian package tzdata)");
  }
  return parse(std::string(name), *bytes);
}

base::Result<Zone> Zone::parse(std::string name, std::string_view bytes) {
  const auto bad = [&name](const char* why) {
    return fail(Errc::unsupported, "time zone file of " + name + ": " + why);
  };
  Cursor in(bytes);
  Header header;
  if (!read_header(in, header)) return bad("not a TZif file");
  if (header.version < '2') return bad("version 1, without 64-bit times");
  in.take(body_bytes(header, 4));
  if (!read_header(in, header)) return bad("cut short");
  if (header.leaps != 0) return bad("counts leap seconds");

  Zone zone;
  zone.name_ = std::move(name);
  zone.digest_ = sha256_text(bytes);
  for (std::uint32_t i = 0; i < header.changes; ++i) zone.changes_.push_back(in.i64());
  for (std::uint32_t i = 0; i < header.changes; ++i) zone.kind_of_change_.push_back(in.byte());
  std::vector<std::uint8_t> name_at;
  for (std::uint32_t i = 0; i < header.kinds; ++i) {
    zone.kinds_.push_back({static_cast<std::int32_t>(in.u32()), {}});
    in.byte();  // is daylight: the offset says what matters
    name_at.push_back(in.byte());
  }
  const std::string_view letters = in.take(header.letters);
  in.take(header.standard_wall + std::size_t{header.ut_local});
  if (!in.good() || in.byte() != '\n') return bad("cut short");
  for (std::size_t i = 0; i < zone.kinds_.size(); ++i) {
    if (std::abs(std::int64_t{zone.kinds_[i].offset}) > kMaxOffset ||
        name_at[i] >= letters.size()) {
      return bad("impossible values");
    }
    const auto from = letters.substr(name_at[i]);
    zone.kinds_[i].name = std::string(from.substr(0, from.find('\0')));
  }
  if (!std::is_sorted(zone.changes_.begin(), zone.changes_.end()) ||
      std::any_of(zone.kind_of_change_.begin(), zone.kind_of_change_.end(),
                  [&zone](std::uint8_t kind) { return kind >= zone.kinds_.size(); })) {
    return bad("impossible values");
  }
  const std::string_view footer = in.rest();
  const std::string_view rule = footer.substr(0, footer.find('\n'));
  if (rule.size() == footer.size()) return bad("cut short");
  if (!rule.empty()) {
    zone.rule_ = TzRule::parse(rule);
    if (!zone.rule_) return bad("a rule this program does not know");
  }
  return zone;
}

ZoneInfo Zone::at(std::int64_t instant) const {
  const auto later = std::upper_bound(changes_.begin(), changes_.end(), instant);
  if (later == changes_.end() && rule_) return at_rule(*rule_, instant);
  if (later == changes_.begin()) return {kinds_[0].offset, kinds_[0].name};
  const Kind& kind =
      kinds_[kind_of_change_[static_cast<std::size_t>(later - changes_.begin()) - 1]];
  return {kind.offset, kind.name};
}

std::int64_t Zone::next_change_after(std::int64_t instant, std::int64_t limit) const {
  const auto later = std::upper_bound(changes_.begin(), changes_.end(), instant);
  std::int64_t next = later == changes_.end() ? limit : std::min(limit, *later);
  if (rule_ && rule_->has_daylight && later == changes_.end()) {
    for (int shift = -1; shift <= 1; ++shift) {
      const auto near = year_of(instant) + std::chrono::years(shift);
      for (const std::int64_t change : {change_in_year(rule_->start, near, rule_->standard_offset),
                                        change_in_year(rule_->end, near, rule_->daylight_offset)}) {
        if (change > instant) next = std::min(next, change);
      }
    }
  }
  return next;
}

std::int64_t Zone::start_of_day(sys_days day) const {
  const std::int64_t midnight = day.time_since_epoch().count() * kDay;  // as if the zone were UTC
  // Walk the stretches of constant offset around it; the first moment that reaches the date is in
  // one.
  std::int64_t from = midnight - 2 * kDay;
  const std::int64_t limit = midnight + 2 * kDay;
  while (from < limit) {
    const std::int64_t until = next_change_after(from, limit);
    const std::int64_t reached = std::max(from, midnight - at(from).offset);
    if (reached < until) return reached;
    from = until;
  }
  return limit;
}

std::string tzdata_version(const std::string& directory) {
  constexpr std::size_t kMaxSource = 4194304;
  constexpr std::string_view kMark = "# version ";
  const auto source = base::read_file(directory + "/tzdata.zi", kMaxSource);
  if (!source || !source->starts_with(kMark)) return "unknown";
  const std::string_view line = std::string_view(*source).substr(0, source->find('\n'));
  const std::string_view version = line.substr(kMark.size());
  const bool plain =
      !version.empty() && version.size() <= 32 &&
      std::all_of(version.begin(), version.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
      });
  return plain ? std::string(version) : "unknown";
}

}  // namespace ethos::reports
