// SPDX-License-Identifier: Apache-2.0
#include "verify/public_key.h"

// Below the EVP layer, as digest.h explains.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>
#include <utility>

#include "verify/curve.h"
#include "verify/der.h"
#include "verify/modular.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMinRsaBytes = 256;

struct Algorithm {
  std::string_view oid;
  bool is_rsa;
  std::optional<HashKind> hash;  // nothing: the digest algorithm beside it says
};

constexpr std::array<Algorithm, 7> kAlgorithms{{
    {"1.2.840.113549.1.1.1", true, std::nullopt},
    {"1.2.840.113549.1.1.11", true, HashKind::sha256},
    {"1.2.840.113549.1.1.12", true, HashKind::sha384},
    {"1.2.840.113549.1.1.13", true, HashKind::sha512},
    {"1.2.840.10045.4.3.2", false, HashKind::sha256},
    {"1.2.840.10045.4.3.3", false, HashKind::sha384},
    {"1.2.840.10045.4.3.4", false, HashKind::sha512},
}};

// DER of DigestInfo up to the digest itself (RFC 8017 section 9.2, note 1).
std::string digest_info(HashKind kind) {
  const auto with = [](char number, char size) {
    return std::string("\x30") + static_cast<char>(size + 17) + std::string("\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02", 12) + number +
           std::string("\x05\x00\x04", 3) + size;
  };
  switch (kind) {
    case HashKind::sha256: return with('\x01', 32);
    case HashKind::sha384: return with('\x02', 48);
    case HashKind::sha512: return with('\x03', 64);
    case HashKind::sha1: break;
  }
  return "";
}

SignatureAnswer check_rsa(std::string_view key, HashKind kind, std::string_view message, std::string_view signature) {
  const auto sequence = der_only(key, kDerSequence);
  if (!sequence) return SignatureAnswer::wrong;
  DerReader reader(sequence->content);
  const auto n_value = reader.take(kDerInteger);
  const auto e_value = reader.take(kDerInteger);
  if (!n_value || !e_value || !reader.at_end()) return SignatureAnswer::wrong;
  const auto n = der_unsigned(*n_value);
  const auto e = der_unsigned(*e_value);
  // An exponent beyond 64 bits only costs time.
  if (!n || !e || n->size() < kMinRsaBytes || e->empty() || e->size() > 8) return SignatureAnswer::unsupported;
  const auto modulus = Modulus::from_bytes(*n);
  if (!modulus) return SignatureAnswer::unsupported;
  const auto value = modulus->read(signature);
  if (!value || signature.size() != n->size()) return SignatureAnswer::wrong;
  const std::string block = modulus->write(modulus->leave(modulus->power(modulus->enter(*value), *e)), n->size());
  const std::string tail = digest_info(kind) + hash_bytes(kind, message);
  const std::string expected = std::string("\x00\x01", 2) + std::string(n->size() - 3 - tail.size(), '\xff') + std::string(1, '\0') + tail;
  return block == expected ? SignatureAnswer::right : SignatureAnswer::wrong;
}

SignatureAnswer check_ecdsa(const Curve& curve, std::string_view point, HashKind kind, std::string_view message, std::string_view signature) {
  const auto sequence = der_only(signature, kDerSequence);
  if (!sequence) return SignatureAnswer::wrong;
  DerReader reader(sequence->content);
  const auto r_value = reader.take(kDerInteger);
  const auto s_value = reader.take(kDerInteger);
  const auto r = r_value ? der_unsigned(*r_value) : std::nullopt;
  const auto s = s_value ? der_unsigned(*s_value) : std::nullopt;
  if (!r || !s || !reader.at_end()) return SignatureAnswer::wrong;
  return curve.verify(point, hash_bytes(kind, message), *r, *s) ? SignatureAnswer::right : SignatureAnswer::wrong;
}

}  // namespace

std::optional<HashKind> hash_of_oid(std::string_view oid) {
  if (oid == "1.3.14.3.2.26") return HashKind::sha1;
  if (oid == "2.16.840.1.101.3.4.2.1") return HashKind::sha256;
  if (oid == "2.16.840.1.101.3.4.2.2") return HashKind::sha384;
  if (oid == "2.16.840.1.101.3.4.2.3") return HashKind::sha512;
  return std::nullopt;
}

std::string hash_bytes(HashKind kind, std::string_view bytes) {
  std::string out;
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto target = [&](std::size_t size) {
    out.resize(size);
    return reinterpret_cast<unsigned char*>(out.data());
  };
  SHA_CTX small{};
  SHA256_CTX middle{};
  SHA512_CTX large{};
  switch (kind) {
    case HashKind::sha1:
      SHA1_Init(&small);
      SHA1_Update(&small, data, bytes.size());
      SHA1_Final(target(20), &small);
      break;
    case HashKind::sha256:
      SHA256_Init(&middle);
      SHA256_Update(&middle, data, bytes.size());
      SHA256_Final(target(32), &middle);
      break;
    case HashKind::sha384:
      SHA384_Init(&large);
      SHA384_Update(&large, data, bytes.size());
      SHA384_Final(target(48), &large);
      break;
    case HashKind::sha512:
      SHA512_Init(&large);
      SHA512_Update(&large, data, bytes.size());
      SHA512_Final(target(64), &large);
      break;
  }
  return out;
}

SignatureAnswer check_signature(std::string_view key_info, std::string_view algorithm, std::optional<HashKind> digest,
                                std::string_view message, std::string_view signature) {
  const auto info = der_only(key_info, kDerSequence);
  DerReader reader(info ? info->content : std::string_view());
  const auto key_algorithm = reader.take(kDerSequence);
  const auto key_bits = reader.take(kDerBits);
  const auto key = key_bits ? der_bits(*key_bits) : std::nullopt;
  if (!key_algorithm || !key || !reader.at_end()) return SignatureAnswer::wrong;
  DerReader parts(key_algorithm->content);
  const auto key_oid = parts.take(kDerOid);
  if (!key_oid) return SignatureAnswer::wrong;
  for (const Algorithm& known : kAlgorithms) {
    if (known.oid != algorithm) continue;
    const auto hash = known.hash ? known.hash : digest;
    // What stands in two places must be the same in both.
    if (!hash || *hash == HashKind::sha1 || (digest && *digest != *hash)) return SignatureAnswer::unsupported;
    const std::string name = der_oid_text(key_oid->content);
    if (known.is_rsa) return name == kAlgorithms[0].oid ? check_rsa(*key, *hash, message, signature) : SignatureAnswer::wrong;
    const auto curve_oid = parts.take(kDerOid);
    if (name != "1.2.840.10045.2.1" || !curve_oid) return SignatureAnswer::wrong;
    const auto curve = Curve::find(der_oid_text(curve_oid->content));
    return curve ? check_ecdsa(*curve, *key, *hash, message, signature) : SignatureAnswer::unsupported;
  }
  return SignatureAnswer::unsupported;
}

}  // namespace ethos::verify
