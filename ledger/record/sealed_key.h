// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "ledger/record/secret_bytes.h"
#include "ledger/record/vkey.h"

namespace ethos::record {

// A secret key under a passphrase (docs/formats/keys.md K-18 to K-20): Argon2id and
// XChaCha20-Poly1305.
//   ethos/sealed-key/1
//   ci.example.com/ethos/aaaq...+d6cc9698+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c
//   argon2id 3 268435456 MDEyMzQ1Njc4OWFiY2RlZg==
//   (base64 of nonce and ciphertext)
inline constexpr std::string_view kSealedKeyFirstLine = "ethos/sealed-key/1\n";

// What a guess costs.
struct SealStrength {
  std::uint64_t passes = 3;
  std::uint64_t memory_bytes = std::uint64_t{256} * 1024 * 1024;
};

// Errc::malformed for an empty passphrase.
base::Result<std::string> seal_key(const SigningKey& key, base::ByteSpan passphrase,
                                   const SealStrength& strength = {});
bool is_sealed_key(std::string_view text);
// Errc::malformed for a text of another form or a strength beyond 16 passes or 1 GiB;
// Errc::refused for a wrong passphrase or a changed text, which cannot be told apart.
base::Result<SigningKey> unseal_key(std::string_view text, base::ByteSpan passphrase);

}  // namespace ethos::record
