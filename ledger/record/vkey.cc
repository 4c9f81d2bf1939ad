// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/vkey.h"

#include <sodium/core.h>
#include <sodium/crypto_core_ed25519.h>
#include <sodium/crypto_sign_ed25519.h>

#include <algorithm>

#include "ledger/base/base64.h"
#include "ledger/base/hex.h"
#include "ledger/base/random.h"
#include "ledger/record/digest.h"
#include "ledger/record/utf8.h"

namespace ethos::record {
namespace {

using base::Errc;
using base::fail;
using base::Result;

constexpr std::byte kEd25519{1};
constexpr std::string_view kSecretPrefix = "PRIVATE+KEY+";
constexpr std::size_t kKeyBytes = 32;

KeyId key_id(std::string_view name, base::ByteSpan public_bytes) {
  constexpr std::string_view kMiddle("\n\x01", 2);
  const Digest digest = sha256({base::as_bytes(name), base::as_bytes(kMiddle), public_bytes});
  KeyId id{};
  std::copy_n(digest.bytes().begin(), id.size(), id.begin());
  return id;
}

// The three parts of a vkey, and of a secret line behind its prefix.
struct KeyText {
  std::string_view name;
  base::Bytes id;
  base::Bytes payload;  // algorithm byte and key
};

Result<KeyText> split_key_text(std::string_view text, const char* what) {
  const std::size_t first = text.find('+');
  const std::size_t second = first == text.npos ? first : text.find('+', first + 1);
  if (second == text.npos) return fail(Errc::malformed, std::string(what) + ": not name+id+key");
  KeyText out;
  out.name = text.substr(0, first);
  auto id = base::decode_hex(text.substr(first + 1, second - first - 1));
  auto payload = base::decode_base64(text.substr(second + 1));
  if (!is_key_name(out.name)) return fail(Errc::malformed, std::string(what) + ": bad name");
  if (!id || id->size() != 4) return fail(Errc::malformed, std::string(what) + ": bad key id");
  if (!payload || payload->empty())
    return fail(Errc::malformed, std::string(what) + ": bad base64");
  out.id = std::move(*id);
  out.payload = std::move(*payload);
  return out;
}

Result<void> check_algorithm(const KeyText& key, const char* what) {
  if (key.payload[0] != kEd25519) {
    return fail(Errc::unsupported, std::string(what) + ": algorithm is not Ed25519");
  }
  if (key.payload.size() != 1 + kKeyBytes) {
    return fail(Errc::malformed, std::string(what) + ": key is not 32 bytes");
  }
  return {};
}

// Unicode spaces (White_Space) by their UTF-8 bytes; ASCII ones are handled by value.
bool has_space(std::string_view name) {
  constexpr std::string_view kWide[] = {
      "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81",
      "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86",
      "\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
      "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};
  if (name.find_first_of(" \t\n\v\f\r") != name.npos) return true;
  return std::any_of(std::begin(kWide), std::end(kWide),
                     [&](std::string_view space) { return name.find(space) != name.npos; });
}

// Canonical encoding, on the curve, in the main subgroup: a small-order key verifies anything.
Result<void> check_point(base::ByteSpan bytes) {
  if (crypto_core_ed25519_is_valid_point(base::as_uchar(bytes)) == 1) return {};
  return fail(Errc::malformed, "vkey: not a usable Ed25519 public key");
}

}  // namespace

bool is_key_name(std::string_view name) {
  return !name.empty() && is_record_text(name) && name.find('+') == name.npos && !has_space(name);
}

PublicKey::PublicKey(std::string name, const std::array<std::byte, 32>& bytes)
    : name_(std::move(name)), id_(key_id(name_, bytes)), bytes_(bytes) {}

Result<PublicKey> PublicKey::from_text(std::string_view vkey) {
  auto parts = split_key_text(vkey, "vkey");
  if (!parts) return base::Unexpected(std::move(parts).error());
  if (auto ok = check_algorithm(*parts, "vkey"); !ok)
    return base::Unexpected(std::move(ok).error());
  std::array<std::byte, kKeyBytes> bytes{};
  std::copy(parts->payload.begin() + 1, parts->payload.end(), bytes.begin());
  PublicKey key(std::string(parts->name), bytes);
  if (!std::equal(key.id_.begin(), key.id_.end(), parts->id.begin())) {
    return fail(Errc::malformed, "vkey: the id is not that of the key");
  }
  if (auto ok = check_point(bytes); !ok) return base::Unexpected(std::move(ok).error());
  return key;
}

Result<PublicKey> PublicKey::from_bytes(std::string_view name, base::ByteSpan bytes32) {
  std::array<std::byte, kKeyBytes> bytes{};
  if (!is_key_name(name) || bytes32.size() != bytes.size())
    return fail(Errc::malformed, "key: bad name or size");
  std::copy(bytes32.begin(), bytes32.end(), bytes.begin());
  if (auto ok = check_point(bytes); !ok) return base::Unexpected(std::move(ok).error());
  return PublicKey(std::string(name), bytes);
}

std::string PublicKey::text() const {
  base::Bytes payload{kEd25519};
  payload.insert(payload.end(), bytes_.begin(), bytes_.end());
  return name_ + "+" + base::encode_hex(id_) + "+" + base::encode_base64(payload);
}

bool PublicKey::verifies(base::ByteSpan message, base::ByteSpan signature) const {
  return signature.size() == crypto_sign_ed25519_BYTES &&
         crypto_sign_ed25519_verify_detached(base::as_uchar(signature), base::as_uchar(message),
                                             message.size(), base::as_uchar(bytes())) == 0;
}

SigningKey::SigningKey(PublicKey public_key, SecretBytes expanded)
    : public_key_(std::move(public_key)), expanded_(std::move(expanded)) {}

Result<SigningKey> SigningKey::from_seed(std::string_view name, base::ByteSpan seed32) {
  if (!is_key_name(name)) return fail(Errc::malformed, "key: bad name");
  if (seed32.size() != crypto_sign_ed25519_SEEDBYTES) return fail(Errc::malformed, "key: bad seed");
  std::array<std::byte, kKeyBytes> public_bytes{};
  SecretBytes expanded(crypto_sign_ed25519_SECRETKEYBYTES);
  crypto_sign_ed25519_seed_keypair(base::as_uchar(std::span<std::byte>(public_bytes)),
                                   base::as_uchar(expanded.writable()), base::as_uchar(seed32));
  return SigningKey(PublicKey(std::string(name), public_bytes), std::move(expanded));
}

namespace {

std::array<std::byte, 32> salted(base::ByteSpan salt, base::ByteSpan seed) {
  const Digest digest = sha256({salt, seed});
  std::array<std::byte, 32> out{};
  std::ranges::copy(digest.bytes(), out.begin());
  return out;
}

}  // namespace

KeyMark SigningKey::mark() const {
  KeyMark out(public_key_);
  base::fill_random(out.salt_);
  out.digest_ = salted(out.salt_, expanded_.bytes().first(crypto_sign_ed25519_SEEDBYTES));
  return out;
}

Result<SigningKey> SigningKey::from_known(std::string_view name, base::ByteSpan seed32,
                                          const KeyMark* known) {
  if (known == nullptr || name != known->key_.name() ||
      seed32.size() != crypto_sign_ed25519_SEEDBYTES ||
      salted(known->salt_, seed32) != known->digest_) {
    return from_seed(name, seed32);
  }
  SecretBytes expanded(crypto_sign_ed25519_SECRETKEYBYTES);
  const auto at = std::ranges::copy(seed32, expanded.writable().begin()).out;
  std::ranges::copy(known->key_.bytes(), at);
  return SigningKey(known->key_, std::move(expanded));
}

Result<SigningKey> SigningKey::generate(std::string_view name) {
  SecretBytes seed(crypto_sign_ed25519_SEEDBYTES);
  base::fill_random(seed.writable());
  return from_seed(name, seed.bytes());
}

Result<SigningKey> SigningKey::from_file_text(std::string_view text, const KeyMark* known) {
  if (!text.starts_with(kSecretPrefix) || !text.ends_with('\n') ||
      text.find('\n') != text.size() - 1) {
    return fail(Errc::malformed, "key: not one line that starts with PRIVATE+KEY+");
  }
  text.remove_prefix(kSecretPrefix.size());
  text.remove_suffix(1);
  auto parts = split_key_text(text, "key");
  if (!parts) return base::Unexpected(std::move(parts).error());
  const SecretBytes payload{base::ByteSpan(parts->payload)};
  if (auto ok = check_algorithm(*parts, "key"); !ok) return base::Unexpected(std::move(ok).error());
  auto key = from_known(parts->name, payload.bytes().subspan(1), known);
  std::fill(parts->payload.begin(), parts->payload.end(), std::byte{0});
  if (!key) return key;
  if (!std::equal(parts->id.begin(), parts->id.end(), key->public_key().id().begin())) {
    return fail(Errc::mismatch, "key: the id is not that of the key");
  }
  return key;
}

SecretBytes SigningKey::file_text() const {
  SecretBytes payload(1 + kKeyBytes);
  payload.writable()[0] = kEd25519;
  std::copy_n(expanded_.bytes().begin(), kKeyBytes, payload.writable().begin() + 1);
  std::string secret = base::encode_base64(payload.bytes());
  const std::string head = std::string(kSecretPrefix) + public_key_.name() + "+" +
                           base::encode_hex(public_key_.id()) + "+";
  SecretBytes out(head.size() + secret.size() + 1);
  auto at = std::copy_n(base::as_bytes(head).begin(), head.size(), out.writable().begin());
  at = std::copy_n(base::as_bytes(secret).begin(), secret.size(), at);
  *at = std::byte{'\n'};
  std::fill(secret.begin(), secret.end(), '\0');
  return out;
}

Signature SigningKey::sign(base::ByteSpan message) const {
  Signature out{};
  crypto_sign_ed25519_detached(base::as_uchar(std::span<std::byte>(out)), nullptr,
                               base::as_uchar(message), message.size(),
                               base::as_uchar(expanded_.bytes()));
  return out;
}

}  // namespace ethos::record
