// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace ethos::sarif::validation {
namespace {

// Whether a number that a double cannot hold is too large, rather than too small. Its first digit
// that counts stands at 10^place.
bool is_huge(std::string_view token) {
  if (!token.empty() && token[0] == '-') token.remove_prefix(1);
  const std::size_t exponent_at = token.find_first_of("eE");
  const std::string_view digits = token.substr(0, exponent_at);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const std::int64_t place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  if (exponent_at == std::string_view::npos) return place > 0;
  std::string_view exponent = token.substr(exponent_at + 1);
  const bool is_negative = exponent[0] == '-';
  if (exponent[0] == '-' || exponent[0] == '+') exponent.remove_prefix(1);
  std::int64_t value = 0;
  const auto done = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
  if (done.ec == std::errc::result_out_of_range) return !is_negative;
  value =
      std::min(value, std::int64_t{1} << 50U);  // no token is so long: the sum stays exact enough
  return place + (is_negative ? -value : value) > 0;
}

}  // namespace

double double_from_token(std::string_view token) {
  double value = 0;
  const auto done = std::from_chars(token.data(), token.data() + token.size(), value);
  if (done.ec != std::errc::result_out_of_range) return value;
  if (!is_huge(token)) return 0;
  const double infinity = std::numeric_limits<double>::infinity();
  return token[0] == '-' ? -infinity : infinity;
}

bool is_whole(double value) { return std::isfinite(value) && std::trunc(value) == value; }

std::optional<std::int64_t> integer_from_token(std::string_view token) {
  std::int64_t value = 0;
  const auto done = std::from_chars(token.data(), token.data() + token.size(), value);
  if (done.ec == std::errc() && done.ptr == token.data() + token.size()) return value;
  if (done.ec == std::errc::result_out_of_range) return std::nullopt;
  const double real = double_from_token(token);
  constexpr double kLimit = 9007199254740992.0;  // 2^53: whole numbers are exact up to here
  if (!is_whole(real) || real > kLimit || real < -kLimit) return std::nullopt;
  return static_cast<std::int64_t>(real);
}

}  // namespace ethos::sarif::validation
