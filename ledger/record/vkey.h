// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"
#include "ledger/record/secret_bytes.h"

namespace ethos::record {

using KeyId = std::array<std::byte, 4>;
using Signature = std::array<std::byte, 64>;

// A name that may stand in a note's signature line: not empty, no space, no '+' (C2SP signed-note).
bool is_key_name(std::string_view name);

// Public key as a C2SP vkey (docs/formats/keys.md K-1, K-2); Ed25519 only:
//   ci.example.com/ethos/aaaq...+d6cc9698+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c
class PublicKey {
 public:
  // Errc::malformed for a bad text, a wrong id or an unusable point; Errc::unsupported for another
  // algorithm byte.
  static base::Result<PublicKey> from_text(std::string_view vkey);
  // A key that came without a name. Errc::malformed for a bad name or an unusable point.
  static base::Result<PublicKey> from_bytes(std::string_view name, base::ByteSpan bytes32);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const KeyId& id() const { return id_; }
  [[nodiscard]] base::ByteSpan bytes() const { return bytes_; }
  // RFC 8032 verification; S >= L, small-order and non-canonical points are refused.
  [[nodiscard]] bool verifies(base::ByteSpan message, base::ByteSpan signature) const;
  friend bool operator==(const PublicKey&, const PublicKey&) = default;

 private:
  friend class SigningKey;
  PublicKey(std::string name, const std::array<std::byte, 32>& bytes);
  std::string name_;
  KeyId id_{};
  std::array<std::byte, 32> bytes_{};
};

// What knows a secret key again when its file is read once more, so that its public half need not
// be computed anew (a third of a commit's cryptography): a digest of the seed with salt of its own.
// Says nothing about the seed, which is random.
class KeyMark {
 private:
  friend class SigningKey;
  explicit KeyMark(PublicKey key) : key_(std::move(key)) {}
  PublicKey key_;
  std::array<std::byte, 32> salt_{};
  std::array<std::byte, 32> digest_{};
};

// Secret key of one name. Its one-line form (K-3) is
//   PRIVATE+KEY+<name>+<id>+<base64(0x01 || seed)>
class SigningKey {
 public:
  static base::Result<SigningKey> generate(std::string_view name);
  static base::Result<SigningKey> from_seed(std::string_view name, base::ByteSpan seed32);
  // Exactly one line with its line feed. Error texts never repeat the content. `known`: the mark of
  // a key that may be this one.
  static base::Result<SigningKey> from_file_text(std::string_view text,
                                                 const KeyMark* known = nullptr);
  [[nodiscard]] KeyMark mark() const;
  [[nodiscard]] SecretBytes file_text() const;
  [[nodiscard]] const PublicKey& public_key() const { return public_key_; }
  [[nodiscard]] Signature sign(base::ByteSpan message) const;

 private:
  SigningKey(PublicKey public_key, SecretBytes expanded);
  static base::Result<SigningKey> from_known(std::string_view name, base::ByteSpan seed32,
                                             const KeyMark* known);
  PublicKey public_key_;
  SecretBytes expanded_;  // libsodium's 64 bytes: seed || public key
};

}  // namespace ethos::record
