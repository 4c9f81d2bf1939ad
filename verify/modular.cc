// SPDX-License-Identifier: Apache-2.0
#include "verify/modular.h"

#include <algorithm>

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxBytes = 1024;

Modulus::Limbs limbs_of(std::string_view bytes, std::size_t count) {
  Modulus::Limbs out(count);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t place = bytes.size() - 1 - i;  // from the lowest
    out[place / 4] |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (place % 4 * 8);
  }
  return out;
}

std::string_view without_zeros(std::string_view bytes) {
  const auto first = bytes.find_first_not_of('\0');
  return first == std::string_view::npos ? std::string_view() : bytes.substr(first);
}

}  // namespace

bool Modulus::is_zero(const Limbs& value) {
  return std::all_of(value.begin(), value.end(), [](std::uint32_t limb) { return limb == 0; });
}

bool Modulus::at_least(const Limbs& a) const {
  for (std::size_t i = n_.size(); i-- > 0;) {
    if (a[i] != n_[i]) return a[i] > n_[i];
  }
  return true;
}

void Modulus::subtract(Limbs& a) const {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < n_.size(); ++i) {
    const std::uint64_t taken = std::uint64_t{n_[i]} + borrow;
    borrow = a[i] < taken ? 1 : 0;
    a[i] = static_cast<std::uint32_t>(a[i] + (borrow << 32U) - taken);
  }
}

std::optional<Modulus> Modulus::from_bytes(std::string_view bytes) {
  bytes = without_zeros(bytes);
  if (bytes.empty() || bytes.size() > kMaxBytes || (static_cast<unsigned char>(bytes.back()) & 1U) == 0) return std::nullopt;
  if (bytes.size() == 1 && bytes[0] == '\x01') return std::nullopt;
  Modulus out;
  out.n_ = limbs_of(bytes, (bytes.size() + 3) / 4);
  // Newton's iteration: each step doubles the right bits.
  std::uint32_t inverse = 1;
  for (int i = 0; i < 5; ++i) inverse *= 2U - out.n_[0] * inverse;
  out.negative_inverse_ = 0U - inverse;
  Limbs value(out.n_.size());
  value[0] = 1;
  if (out.at_least(value)) return std::nullopt;  // cannot be: n > 1
  for (std::size_t bit = 0; bit < out.n_.size() * 64; ++bit) value = out.add(value, value);
  out.square_ = std::move(value);
  return out;
}

std::optional<Modulus::Limbs> Modulus::read(std::string_view bytes) const {
  bytes = without_zeros(bytes);
  if (bytes.size() > n_.size() * 4) return std::nullopt;
  Limbs out = limbs_of(bytes, n_.size());
  if (at_least(out)) return std::nullopt;
  return out;
}

Modulus::Limbs Modulus::reduce(std::string_view bytes) const {
  Limbs out(n_.size());
  for (const char c : bytes) {
    for (int bit = 7; bit >= 0; --bit) {
      out = add(out, out);
      if (((static_cast<unsigned char>(c) >> static_cast<unsigned>(bit)) & 1U) == 0) continue;
      Limbs unit(n_.size());
      unit[0] = 1;
      out = add(out, unit);
    }
  }
  return out;
}

std::string Modulus::write(const Limbs& value, std::size_t bytes) const {
  std::string out(bytes, '\0');
  for (std::size_t place = 0; place < std::min(bytes, value.size() * 4); ++place) {
    out[bytes - 1 - place] = static_cast<char>(value[place / 4] >> (place % 4 * 8));
  }
  return out;
}

Modulus::Limbs Modulus::add(const Limbs& a, const Limbs& b) const {
  Limbs out(n_.size());
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < n_.size(); ++i) {
    carry += std::uint64_t{a[i]} + b[i];
    out[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32U;
  }
  if (carry != 0 || at_least(out)) subtract(out);
  return out;
}

Modulus::Limbs Modulus::sub(const Limbs& a, const Limbs& b) const {
  if (is_zero(b)) return a;
  Limbs minus = n_;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < n_.size(); ++i) {
    const std::uint64_t taken = std::uint64_t{b[i]} + borrow;
    borrow = minus[i] < taken ? 1 : 0;
    minus[i] = static_cast<std::uint32_t>(minus[i] + (borrow << 32U) - taken);
  }
  return add(a, minus);
}

Modulus::Limbs Modulus::mul(const Limbs& a, const Limbs& b) const {
  const std::size_t k = n_.size();
  std::vector<std::uint32_t> t(k + 2);
  for (std::size_t i = 0; i < k; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < k; ++j) {
      carry += std::uint64_t{a[i]} * b[j] + t[j];
      t[j] = static_cast<std::uint32_t>(carry);
      carry >>= 32U;
    }
    carry += t[k];
    t[k] = static_cast<std::uint32_t>(carry);
    t[k + 1] = static_cast<std::uint32_t>(carry >> 32U);
    const std::uint32_t m = t[0] * negative_inverse_;
    carry = (std::uint64_t{m} * n_[0] + t[0]) >> 32U;
    for (std::size_t j = 1; j < k; ++j) {
      carry += std::uint64_t{m} * n_[j] + t[j];
      t[j - 1] = static_cast<std::uint32_t>(carry);
      carry >>= 32U;
    }
    carry += t[k];
    t[k - 1] = static_cast<std::uint32_t>(carry);
    t[k] = t[k + 1] + static_cast<std::uint32_t>(carry >> 32U);
  }
  Limbs out(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(k));
  if (t[k] != 0 || at_least(out)) subtract(out);
  return out;
}

Modulus::Limbs Modulus::leave(const Limbs& value) const {
  Limbs unit(n_.size());
  unit[0] = 1;
  return mul(value, unit);
}

Modulus::Limbs Modulus::one() const {
  Limbs unit(n_.size());
  unit[0] = 1;
  return enter(unit);
}

Modulus::Limbs Modulus::power(const Limbs& base, std::string_view exponent) const {
  Limbs out = one();
  for (const char c : exponent) {
    for (int bit = 7; bit >= 0; --bit) {
      out = mul(out, out);
      if (((static_cast<unsigned char>(c) >> static_cast<unsigned>(bit)) & 1U) != 0) out = mul(out, base);
    }
  }
  return out;
}

Modulus::Limbs Modulus::inverse(const Limbs& a) const {
  Limbs exponent = n_;  // minus 2: n is odd and at least 3
  if (exponent[0] >= 2) {
    exponent[0] -= 2;
  } else {
    exponent[0] = exponent[0] - 2U;  // borrows
    for (std::size_t i = 1; i < exponent.size() && exponent[i]-- == 0; ++i) {
    }
  }
  return power(a, write(exponent, exponent.size() * 4));
}

}  // namespace ethos::verify
