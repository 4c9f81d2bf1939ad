// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ethos::base {

// The largest number that every reader of JSON takes for what it is: 2^53 - 1.
inline constexpr std::uint64_t kMaxCount = 9'007'199'254'740'991;

// What is wrong with `text` as a number of a command line, e.g. "-1 is no whole number from 0 to
// 10"; empty: nothing. Decimal digits only: no sign, no point, no 0 or 0x in front, which a parser
// of C takes for another base, and nothing that would wrap around.
std::string whole_number_fault(std::string_view text, std::uint64_t low, std::uint64_t high);
// The same of seconds and the like, which may have a fraction: 0.5.
std::string decimal_fault(std::string_view text, std::uint64_t low, std::uint64_t high);

// Has the option of a command line parser refuse what is none. The parser's own conversion takes
// "-1" for the largest number and "010" for eight. Templates, so that its header stays out.
template <class Option>
Option* whole_number(Option* option, std::uint64_t low = 0, std::uint64_t high = kMaxCount) {
  return option->check(
      [low, high](const std::string& text) { return whole_number_fault(text, low, high); });
}

template <class Option>
Option* decimal_number(Option* option, std::uint64_t low, std::uint64_t high) {
  return option->check(
      [low, high](const std::string& text) { return decimal_fault(text, low, high); });
}

}  // namespace ethos::base
