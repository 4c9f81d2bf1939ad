// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "reports/zone.h"

namespace ethos::reports {
namespace {

// Reads the POSIX TZ grammar, with the hours up to 167 of RFC 8536 section 3.3.1.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  std::optional<TzRule> rule() {
    TzRule out;
    if (!name(out.standard_name) || !offset(out.standard_offset)) return std::nullopt;
    if (done()) return out;
    out.has_daylight = true;
    if (!name(out.daylight_name)) return std::nullopt;
    out.daylight_offset = out.standard_offset + 3600;
    if (!done() && text_[at_] != ',' && !offset(out.daylight_offset)) return std::nullopt;
    if (!take(',') || !change(out.start) || !take(',') || !change(out.end) || !done()) {
      return std::nullopt;
    }
    return out;
  }

 private:
  bool done() const { return at_ == text_.size(); }
  bool take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  static bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  bool name(std::string& out) {
    const bool quoted = take('<');
    const std::size_t start = at_;
    while (!done() &&
           (is_alpha(text_[at_]) ||
            (quoted && (is_digit(text_[at_]) || text_[at_] == '+' || text_[at_] == '-')))) {
      ++at_;
    }
    out = std::string(text_.substr(start, at_ - start));
    return out.size() >= 3 && out.size() <= 16 && (!quoted || take('>'));
  }

  bool number(int& out, int least, int most) {
    const std::size_t start = at_;
    out = 0;
    while (!done() && is_digit(text_[at_]) && at_ - start < 3)
      out = out * 10 + (text_[at_++] - '0');
    return at_ > start && out >= least && out <= most;
  }

  // [+-]h[:m[:s]] as seconds.
  bool clock(std::int32_t& out, int most_hours) {
    const bool negative = take('-');
    if (!negative) static_cast<void>(take('+'));
    int hours = 0;
    int minutes = 0;
    int seconds = 0;
    if (!number(hours, 0, most_hours)) return false;
    if (take(':')) {
      if (!number(minutes, 0, 59)) return false;
      if (take(':') && !number(seconds, 0, 59)) return false;
    }
    out = hours * 3600 + minutes * 60 + seconds;
    if (negative) out = -out;
    return true;
  }

  // POSIX counts west as positive.
  bool offset(std::int32_t& out) {
    if (!clock(out, 24)) return false;
    out = -out;
    return true;
  }

  bool change(TzRule::Change& out) {
    using Kind = TzRule::Change::Kind;
    if (take('M')) {
      out.kind = Kind::month_week_day;
      if (!number(out.month, 1, 12) || !take('.') || !number(out.week, 1, 5) || !take('.') ||
          !number(out.day, 0, 6)) {
        return false;
      }
    } else if (take('J')) {
      out.kind = Kind::julian;
      if (!number(out.day, 1, 365)) return false;
    } else {
      out.kind = Kind::zero_based;
      if (!number(out.day, 0, 365)) return false;
    }
    return !take('/') || clock(out.seconds, 167);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<TzRule> TzRule::parse(std::string_view text) {
  if (text.size() > 128) return std::nullopt;
  return RuleReader(text).rule();
}

}  // namespace ethos::reports
