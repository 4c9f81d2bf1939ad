// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ethos::verify {

// Arithmetic modulo an odd number (Montgomery's method), for checking signatures of time stamp authorities. Only
// public values come in, so nothing is kept from taking longer for some of them. It stands here because
// libcrypto's big numbers bring its whole initialisation along, four megabytes of it.
class Modulus {
 public:
  using Limbs = std::vector<std::uint32_t>;  // lowest first; always as many as the modulus has

  // Big endian, odd, more than 1, at most 8,192 bits.
  static std::optional<Modulus> from_bytes(std::string_view big_endian);

  // Nothing when the value is not below the modulus.
  [[nodiscard]] std::optional<Limbs> read(std::string_view big_endian) const;
  // Any value, reduced.
  [[nodiscard]] Limbs reduce(std::string_view big_endian) const;
  [[nodiscard]] std::string write(const Limbs& value, std::size_t bytes) const;
  // Values on which mul works, and back.
  [[nodiscard]] Limbs enter(const Limbs& value) const { return mul(value, square_); }
  [[nodiscard]] Limbs leave(const Limbs& value) const;
  [[nodiscard]] Limbs one() const;  // entered

  [[nodiscard]] Limbs mul(const Limbs& a, const Limbs& b) const;
  [[nodiscard]] Limbs add(const Limbs& a, const Limbs& b) const;
  [[nodiscard]] Limbs sub(const Limbs& a, const Limbs& b) const;
  [[nodiscard]] Limbs power(const Limbs& base, std::string_view exponent) const;  // entered base, big endian
  // Of a prime modulus: a^(p-2).
  [[nodiscard]] Limbs inverse(const Limbs& a) const;
  [[nodiscard]] static bool is_zero(const Limbs& value);
  [[nodiscard]] std::size_t size() const { return n_.size(); }

 private:
  Modulus() = default;
  [[nodiscard]] bool at_least(const Limbs& a) const;
  void subtract(Limbs& a) const;

  Limbs n_;
  Limbs square_;  // R^2
  std::uint32_t negative_inverse_ = 0;
};

}  // namespace ethos::verify
