// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/digest.h"

#include <algorithm>

#include "ledger/base/base64.h"
#include "ledger/base/hex.h"
#include "ledger/record/sha256.h"

namespace ethos::record {
namespace {

constexpr std::string_view kPrefix = "sha256:";

base::Result<Digest> digest_of(base::Result<base::Bytes> bytes) {
  if (!bytes) return base::Unexpected(std::move(bytes).error());
  return Digest::from_bytes(*bytes);
}

}  // namespace

Digest::Digest(std::span<const std::byte, kSize> bytes) {
  std::copy(bytes.begin(), bytes.end(), bytes_.begin());
}

base::Result<Digest> Digest::from_bytes(base::ByteSpan bytes) {
  if (bytes.size() != kSize) return base::fail(base::Errc::malformed, "digest: not 32 bytes");
  return Digest(std::span<const std::byte, kSize>(bytes.data(), kSize));
}

base::Result<Digest> Digest::from_hex(std::string_view hex) {
  return digest_of(base::decode_hex(hex));
}

base::Result<Digest> Digest::from_base64(std::string_view text) {
  return digest_of(base::decode_base64(text));
}

base::Result<Digest> Digest::from_text(std::string_view text) {
  if (!text.starts_with(kPrefix)) {
    return base::fail(base::Errc::malformed, "digest: does not start with sha256:");
  }
  return from_hex(text.substr(kPrefix.size()));
}

std::string Digest::hex() const { return base::encode_hex(bytes_); }
std::string Digest::base64() const { return base::encode_base64(bytes_); }
std::string Digest::text() const { return std::string(kPrefix) + hex(); }

Digest sha256(std::initializer_list<base::ByteSpan> parts) {
  Sha256 hash;
  for (const base::ByteSpan part : parts) hash.update(part);
  return hash.finish();
}

}  // namespace ethos::record
