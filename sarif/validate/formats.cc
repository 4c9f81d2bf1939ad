// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/formats.h"

#include <array>
#include <cstddef>

namespace ethos::sarif::validation {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// "aa-AA" with lower or upper case letters; the region may be absent.
bool is_language(std::string_view text) {
  if (text.size() != 2 && text.size() != 5) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 2 ? text[i] != '-' : !is_alpha(text[i])) return false;
  }
  return true;
}

// Somewhere a "/" with another character before it and something on the same line after it.
bool is_mime_type(std::string_view text) {
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] != '/' || text[i - 1] == '/') continue;
    const std::string_view after = text.substr(i + 1, 3);
    const bool ends_line =
        after[0] == '\n' || after[0] == '\r' || after == "\xE2\x80\xA8" || after == "\xE2\x80\xA9";
    if (!ends_line) return true;
  }
  return false;
}

// Somewhere four runs of digits with a dot between each two.
bool has_dotted_quad(std::string_view text) {
  std::size_t dots = 0;
  bool in_digits = false;
  for (const char c : text) {
    if (is_digit(c)) {
      in_digits = true;
      if (dots == 3) return true;
    } else if (c == '.' && in_digits) {
      ++dots;
      in_digits = false;
    } else {
      dots = 0;
      in_digits = false;
    }
  }
  return false;
}

// Two digits at `at`, or -1.
int two_digits(std::string_view text, std::size_t at) {
  if (at + 2 > text.size() || !is_digit(text[at]) || !is_digit(text[at + 1])) return -1;
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const int century = two_digits(text, 0);
  const int year_of_century = two_digits(text, 2);
  const int month = two_digits(text, 5);
  const int day = two_digits(text, 8);
  if (century < 0 || year_of_century < 0 || month < 1 || month > 12 || day < 1) return false;
  const int year = century * 100 + year_of_century;
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return day <= (month == 2 && is_leap ? 29 : kDays[static_cast<std::size_t>(month - 1)]);
}

// The zone behind a time of day: Z, or an offset of hours and perhaps minutes.
struct Zone {
  bool is_there = false;
  int sign = 1;
  int hours = 0;
  int minutes = 0;
};

Zone parse_zone(std::string_view text) {
  if (text == "Z" || text == "z") return {.is_there = true};
  if (text.size() < 3 || (text[0] != '+' && text[0] != '-')) return {};
  Zone zone{.is_there = true, .sign = text[0] == '-' ? -1 : 1, .hours = two_digits(text, 1)};
  text.remove_prefix(3);
  if (!text.empty()) {
    if (text[0] == ':') text.remove_prefix(1);
    zone.minutes = text.size() == 2 ? two_digits(text, 0) : -1;
  }
  zone.is_there = zone.hours >= 0 && zone.hours <= 23 && zone.minutes >= 0 && zone.minutes <= 59;
  return zone;
}

bool is_time_of_day(std::string_view text) {
  if (text.size() < 9 || text[2] != ':' || text[5] != ':') return false;
  const int hour = two_digits(text, 0);
  const int minute = two_digits(text, 3);
  const int second = two_digits(text, 6);
  if (hour < 0 || minute < 0 || second < 0) return false;
  std::size_t end = 8;
  if (text[end] == '.') {
    std::size_t digits_end = end + 1;
    while (digits_end < text.size() && is_digit(text[digits_end])) ++digits_end;
    if (digits_end == end + 1) return false;
    end = digits_end;
  }
  const Zone zone = parse_zone(text.substr(end));
  if (!zone.is_there) return false;
  if (hour <= 23 && minute <= 59 && second < 60) return true;
  const int utc_minute = minute - zone.minutes * zone.sign;
  const int utc_hour = hour - zone.hours * zone.sign - (utc_minute < 0 ? 1 : 0);
  return (utc_hour == 23 || utc_hour == -1) && (utc_minute == 59 || utc_minute == -1) &&
         second < 61;
}

// Characters of a path segment: unreserved, sub-delimiters, ":" and "@". A reference may also hold
// a quotation mark: the validators let it pass there.
enum CharClass : std::uint8_t { kSegment = 1, kQuote = 2, kUserInfo = 4, kRegName = 8 };

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  const auto mark = [&classes](std::string_view chars, unsigned bits) {
    for (const char c : chars) {
      auto& slot = classes[static_cast<unsigned char>(c)];
      slot = static_cast<std::uint8_t>(slot | bits);
    }
  };
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=";
  mark(kPlain, kSegment | kUserInfo | kRegName);
  mark(":", kSegment | kUserInfo);
  mark("@", kSegment);
  mark("\"", kQuote);
  return classes;
}();

// Length of the run at the start of `text` made of characters of `classes`, "%" with two
// hexadecimal digits, and those in `also`.
std::size_t run_length(std::string_view text, unsigned classes, std::string_view also) {
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if ((kClasses[static_cast<unsigned char>(c)] & classes) != 0 ||
        also.find(c) != std::string_view::npos) {
      ++i;
    } else if (c == '%' && i + 2 < text.size() && is_hex(text[i + 1]) && is_hex(text[i + 2])) {
      i += 3;
    } else {
      break;
    }
  }
  return i;
}

// Up to and including the ":", or 0.
std::size_t scheme_length(std::string_view text) {
  if (text.empty() || !is_alpha(text[0])) return 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ':') return i + 1;
    const bool fits = is_alpha(text[i]) || is_digit(text[i]) || text[i] == '+' || text[i] == '-' ||
                      text[i] == '.';
    if (!fits) return 0;
  }
  return 0;
}

// One dotted part of an IPv4 address: 0 to 255, leading zeros up to three digits.
bool is_octet(std::string_view text) {
  if (text.empty() || text.size() > 3) return false;
  int value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return false;
    value = value * 10 + (c - '0');
  }
  return value <= 255;
}

bool is_ipv4(std::string_view text) {
  for (int i = 0; i < 3; ++i) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || !is_octet(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return is_octet(text);
}

// Groups of 16 bits in "a:b:c"; an IPv4 address may stand last and counts as two. -1: malformed.
int count_groups(std::string_view text, bool ipv4_may_end) {
  if (text.empty()) return 0;
  int groups = 0;
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (colon == std::string_view::npos && ipv4_may_end && is_ipv4(group)) return groups + 2;
    if (group.empty() || group.size() > 4) return -1;
    for (const char c : group) {
      if (!is_hex(c)) return -1;
    }
    ++groups;
    if (colon == std::string_view::npos) return groups;
    text.remove_prefix(colon + 1);
  }
}

bool is_ipv6(std::string_view text) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return count_groups(text, true) == 8;
  const int before = count_groups(text.substr(0, gap), false);
  const int after = count_groups(text.substr(gap + 2), true);
  return before >= 0 && after >= 0 && before + after <= 7;
}

// "v1.x": an address form of the future.
bool is_future_address(std::string_view text) {
  if (text.size() < 4 || (text[0] != 'v' && text[0] != 'V')) return false;
  std::size_t i = 1;
  while (i < text.size() && is_hex(text[i])) ++i;
  if (i == 1 || i >= text.size() || text[i] != '.') return false;
  const std::string_view rest = text.substr(i + 1);
  if (rest.empty() || rest.find('%') != std::string_view::npos) return false;
  return run_length(rest, kUserInfo, "") == rest.size();
}

// "//user@[::1]:80/path": only behind slashes may a bracket stand, so every other form is a plain
// run of path characters.
bool is_bracketed_authority(std::string_view text, unsigned path_classes) {
  if (text.empty() || text[0] != '/') return false;
  text.remove_prefix(1);
  if (!text.empty() && text[0] == '/') text.remove_prefix(1);
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return false;
  if (open > 0) {
    const std::string_view user = text.substr(0, open - 1);
    if (text[open - 1] != '@' || run_length(user, kUserInfo, "") != user.size()) return false;
  }
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos) return false;
  const std::string_view address = text.substr(open + 1, close - open - 1);
  if (!is_ipv6(address) && !is_future_address(address)) return false;
  text.remove_prefix(close + 1);
  if (!text.empty() && text[0] == ':') {
    text.remove_prefix(1);
    while (!text.empty() && is_digit(text[0])) text.remove_prefix(1);
  }
  if (text.empty()) return true;
  return text[0] == '/' && run_length(text, path_classes, "/") == text.size();
}

// Everything behind the scheme.
bool is_uri_rest(std::string_view text, bool may_be_empty, unsigned classes) {
  const std::size_t hash = text.find('#');
  if (hash != std::string_view::npos) {
    const std::string_view fragment = text.substr(hash + 1);
    if (run_length(fragment, classes, "/?") != fragment.size()) return false;
    text = text.substr(0, hash);
  }
  const std::size_t question = text.find('?');
  if (question != std::string_view::npos) {
    const std::string_view query = text.substr(question + 1);
    if (run_length(query, classes, "/?") != query.size()) return false;
    text = text.substr(0, question);
  }
  if (text.empty()) return may_be_empty;
  return run_length(text, classes, "/") == text.size() || is_bracketed_authority(text, classes);
}

}  // namespace

bool is_absolute_uri(std::string_view text) {
  const std::size_t scheme = scheme_length(text);
  return scheme != 0 && is_uri_rest(text.substr(scheme), false, kSegment);
}

bool is_uri_reference(std::string_view text) {
  constexpr unsigned kClassesHere = kSegment | kQuote;
  if (is_uri_rest(text, true, kClassesHere)) return true;
  const std::size_t scheme = scheme_length(text);
  return scheme != 0 && is_uri_rest(text.substr(scheme), true, kClassesHere);
}

bool is_date_time(std::string_view text) {
  // Any white space parts the two in the common validators, once; only what is ASCII is taken here.
  if (text.size() < 11) return false;
  const char separator = text[10];
  const bool parts = separator == 'T' || separator == 't' || separator == ' ' ||
                     (separator >= '\t' && separator <= '\r');
  return parts && is_date(text.substr(0, 10)) && is_time_of_day(text.substr(11));
}

bool is_guid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_hyphen ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  const bool has_version = text[14] >= '1' && text[14] <= '5';
  return has_version && std::string_view("89abAB").find(text[19]) != std::string_view::npos;
}

bool has_format(std::string_view text, Format format) {
  switch (format) {
    case Format::none:
      return true;
    case Format::uri:
      return is_absolute_uri(text);
    case Format::uri_reference:
      return is_uri_reference(text);
    case Format::date_time:
      return is_date_time(text);
    case Format::guid:
      return is_guid(text);
    case Format::language:
      return is_language(text);
    case Format::mime_type:
      return is_mime_type(text);
    case Format::dotted_quad:
      return has_dotted_quad(text);
  }
  return false;
}

}  // namespace ethos::sarif::validation
