// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ethos::verify {

enum class HashKind { sha1, sha256, sha384, sha512 };
// Of an AlgorithmIdentifier's OID; nothing for others.
std::optional<HashKind> hash_of_oid(std::string_view oid);
std::string hash_bytes(HashKind kind, std::string_view bytes);

enum class SignatureAnswer { right, wrong, unsupported };

// Checks `signature` over `message` by the key of a SubjectPublicKeyInfo: RSA PKCS #1 v1.5 (RFC 8017 section 8.2, 2,048
// to 8,192 bits) and ECDSA over P-256 and P-384 (FIPS 186-5), with SHA-256, SHA-384 or SHA-512. `algorithm`: the
// signature's OID; `digest`: the hash that stands beside it, for those that do not name one.
SignatureAnswer check_signature(std::string_view key_info, std::string_view algorithm, std::optional<HashKind> digest,
                                std::string_view message, std::string_view signature);

}  // namespace ethos::verify
