// SPDX-License-Identifier: Apache-2.0
#include "ledger/base/whole_number.h"

#include <algorithm>
#include <charconv>

namespace ethos::base {
namespace {

// A mistyped file name need not come back as a whole page.
constexpr std::size_t kMaxShown = 40;
constexpr std::size_t kMaxFraction = 9;

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_within(std::string_view text, std::uint64_t low, std::uint64_t high) {
  if (!is_digits(text) || (text.size() > 1 && text[0] == '0')) return false;
  std::uint64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  return ec == std::errc{} && value >= low && value <= high;
}

std::string words(std::string_view text, const char* kind, std::uint64_t low, std::uint64_t high) {
  std::string out(text.substr(0, kMaxShown));
  if (text.size() > kMaxShown) out += "...";
  return out + " is no " + kind + " from " + std::to_string(low) + " to " + std::to_string(high);
}

}  // namespace

std::string whole_number_fault(std::string_view text, std::uint64_t low, std::uint64_t high) {
  return is_within(text, low, high) ? "" : words(text, "whole number", low, high);
}

std::string decimal_fault(std::string_view text, std::uint64_t low, std::uint64_t high) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos)
    return is_within(text, low, high) ? "" : words(text, "number", low, high);
  const std::string_view fraction = text.substr(point + 1);
  // Above the last whole number is beyond it: 3600.1 is not within 3600.
  const bool is_good = is_within(text.substr(0, point), low, high) && is_digits(fraction) &&
                       fraction.size() <= kMaxFraction &&
                       (is_within(text.substr(0, point), low, high - 1) ||
                        fraction.find_first_not_of('0') == std::string_view::npos);
  return is_good ? "" : words(text, "number", low, high);
}

}  // namespace ethos::base
