// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "verify/modular.h"

namespace ethos::verify {

// One of the NIST curves y^2 = x^3 - 3x + b, for checking ECDSA signatures (FIPS 186-5 section 6.4.2).
class Curve {
 public:
  // By the OID of the named curve: P-256 or P-384.
  static std::optional<Curve> find(std::string_view oid);

  // `point`: uncompressed. Any value out of range, and a point that is not on the curve, is a no.
  [[nodiscard]] bool verify(std::string_view point, std::string_view digest, std::string_view r, std::string_view s) const;

 private:
  struct Point {  // Jacobian; z = 0: infinity
    Modulus::Limbs x;
    Modulus::Limbs y;
    Modulus::Limbs z;
  };
  Curve(Modulus p, Modulus n, std::size_t bytes) : p_(std::move(p)), n_(std::move(n)), bytes_(bytes) {}
  [[nodiscard]] std::optional<Point> point(std::string_view x, std::string_view y) const;
  [[nodiscard]] Point twice(const Point& a) const;
  [[nodiscard]] Point sum(const Point& a, const Point& b) const;
  // u1 G + u2 Q
  [[nodiscard]] Point combine(const Modulus::Limbs& u1, const Point& g, const Modulus::Limbs& u2, const Point& q) const;

  Modulus p_;
  Modulus n_;
  std::size_t bytes_;
  Modulus::Limbs b_;
  std::optional<Point> generator_;
};

}  // namespace ethos::verify
