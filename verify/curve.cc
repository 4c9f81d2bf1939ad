// SPDX-License-Identifier: Apache-2.0
#include "verify/curve.h"

#include <string>
#include <utility>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

// SP 800-186 section 3.2.1.
struct Parameters {
  std::string_view oid;
  std::string_view p;
  std::string_view n;
  std::string_view b;
  std::string_view x;
  std::string_view y;
};

constexpr Parameters kCurves[] = {
    {"1.2.840.10045.3.1.7", "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
     "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
     "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296", "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"},
    {"1.3.132.0.34", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
     "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
     "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef",
     "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
     "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f"}};

bool is_bit_set(const Modulus::Limbs& value, std::size_t bit) { return ((value[bit / 32] >> (bit % 32)) & 1U) != 0; }

}  // namespace

std::optional<Curve> Curve::find(std::string_view oid) {
  for (const Parameters& parameters : kCurves) {
    if (parameters.oid != oid) continue;
    const auto bytes = [](std::string_view hex) { return *decode_hex(hex); };
    auto p = Modulus::from_bytes(bytes(parameters.p));
    auto n = Modulus::from_bytes(bytes(parameters.n));
    Curve out(*std::move(p), *std::move(n), parameters.p.size() / 2);
    out.b_ = out.p_.enter(*out.p_.read(bytes(parameters.b)));
    out.generator_ = out.point(bytes(parameters.x), bytes(parameters.y));
    return out;
  }
  return std::nullopt;
}

std::optional<Curve::Point> Curve::point(std::string_view x_bytes, std::string_view y_bytes) const {
  const auto x = p_.read(x_bytes);
  const auto y = p_.read(y_bytes);
  if (!x || !y) return std::nullopt;
  Point out{p_.enter(*x), p_.enter(*y), p_.one()};
  const Modulus::Limbs cube = p_.mul(p_.mul(out.x, out.x), out.x);
  const Modulus::Limbs three_x = p_.add(out.x, p_.add(out.x, out.x));
  if (p_.mul(out.y, out.y) != p_.add(p_.sub(cube, three_x), b_)) return std::nullopt;
  return out;
}

Curve::Point Curve::twice(const Point& a) const {
  if (Modulus::is_zero(a.z) || Modulus::is_zero(a.y)) return {p_.one(), p_.one(), Modulus::Limbs(p_.size())};
  const auto zz = p_.mul(a.z, a.z);
  const auto product = p_.mul(p_.sub(a.x, zz), p_.add(a.x, zz));
  const auto alpha = p_.add(product, p_.add(product, product));
  const auto gamma = p_.mul(a.y, a.y);
  const auto beta = p_.mul(a.x, gamma);
  const auto beta4 = p_.add(p_.add(beta, beta), p_.add(beta, beta));
  Point out;
  out.x = p_.sub(p_.mul(alpha, alpha), p_.add(beta4, beta4));
  const auto yz = p_.mul(a.y, a.z);
  out.z = p_.add(yz, yz);
  const auto gamma2 = p_.mul(gamma, gamma);
  const auto gamma4 = p_.add(p_.add(gamma2, gamma2), p_.add(gamma2, gamma2));
  out.y = p_.sub(p_.mul(alpha, p_.sub(beta4, out.x)), p_.add(gamma4, gamma4));
  return out;
}

Curve::Point Curve::sum(const Point& a, const Point& b) const {
  if (Modulus::is_zero(a.z)) return b;
  if (Modulus::is_zero(b.z)) return a;
  const auto az2 = p_.mul(a.z, a.z);
  const auto bz2 = p_.mul(b.z, b.z);
  const auto u1 = p_.mul(a.x, bz2);
  const auto u2 = p_.mul(b.x, az2);
  const auto s1 = p_.mul(a.y, p_.mul(b.z, bz2));
  const auto s2 = p_.mul(b.y, p_.mul(a.z, az2));
  if (u1 == u2) return s1 == s2 ? twice(a) : Point{p_.one(), p_.one(), Modulus::Limbs(p_.size())};
  const auto h = p_.sub(u2, u1);
  const auto r = p_.sub(s2, s1);
  const auto h2 = p_.mul(h, h);
  const auto h3 = p_.mul(h, h2);
  const auto v = p_.mul(u1, h2);
  Point out;
  out.x = p_.sub(p_.sub(p_.mul(r, r), h3), p_.add(v, v));
  out.y = p_.sub(p_.mul(r, p_.sub(v, out.x)), p_.mul(s1, h3));
  out.z = p_.mul(h, p_.mul(a.z, b.z));
  return out;
}

Curve::Point Curve::combine(const Modulus::Limbs& u1, const Point& g, const Modulus::Limbs& u2, const Point& q) const {
  const Point both = sum(g, q);
  Point out{p_.one(), p_.one(), Modulus::Limbs(p_.size())};
  for (std::size_t bit = u1.size() * 32; bit-- > 0;) {
    out = twice(out);
    const bool first = is_bit_set(u1, bit);
    const bool second = is_bit_set(u2, bit);
    if (first || second) out = sum(out, first && second ? both : first ? g : q);
  }
  return out;
}

bool Curve::verify(std::string_view encoded, std::string_view digest, std::string_view r_bytes, std::string_view s_bytes) const {
  if (encoded.size() != 1 + 2 * bytes_ || encoded[0] != '\x04') return false;
  const auto q = point(encoded.substr(1, bytes_), encoded.substr(1 + bytes_));
  const auto r = n_.read(r_bytes);
  const auto s = n_.read(s_bytes);
  if (!q || !generator_ || !r || !s || Modulus::is_zero(*r) || Modulus::is_zero(*s)) return false;
  const auto e = n_.reduce(digest.substr(0, bytes_));  // the leftmost bits
  const auto w = n_.inverse(n_.enter(*s));
  const auto u1 = n_.leave(n_.mul(n_.enter(e), w));
  const auto u2 = n_.leave(n_.mul(n_.enter(*r), w));
  const Point sum_point = combine(u1, *generator_, u2, *q);
  if (Modulus::is_zero(sum_point.z)) return false;
  const auto z_inverse = p_.inverse(sum_point.z);
  const auto x = p_.leave(p_.mul(sum_point.x, p_.mul(z_inverse, z_inverse)));
  return n_.reduce(p_.write(x, bytes_)) == *r;
}

}  // namespace ethos::verify
